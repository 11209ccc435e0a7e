/// \file  Newly made particles: what seed and id make of a template.
#pragma once

#include <functional>
#include <vector>

#include "engine/particles/particles.hpp"
#include "engine/scene/scene.hpp"

namespace scree {

/// Says which places are this rank's; with it each rank makes its own particles and no others.
using OwnsPlace = std::function<bool(const Vec3&)>;

/// Shape, orientation, material and radius [m] of the particle with this id; they follow from the
/// seed too.
ShapeId ShapeOf(const GrainTemplate& grain, ParticleId id, std::uint64_t seed);
Quaternion OrientationOf(const GrainTemplate& grain, ParticleId id, std::uint64_t seed);
MaterialId MaterialOf(const GrainTemplate& grain, ParticleId id, std::uint64_t seed);
double RadiusOf(const GrainTemplate& grain, ParticleId id, std::uint64_t seed);

/// Appends one particle whose size, material, shape, orientation and velocity jitter follow from
/// the seed and its id.
void MakeParticle(const GrainTemplate& grain, const Vec3& position, ParticleId id,
                  std::uint64_t seed, Particles& particles);

/// Shares of the number (`up_to`) from the shares of the mass.
void SetNumberShares(const MaterialTable& materials, std::vector<MixturePart>& mixture);

/// Of many grains [kg].
double MeanMass(const Scene& scene, const GrainTemplate& grain);

/// Grains one after the other, of a mixture the part that is farthest behind its share of the mass:
/// after each grain all parts have their shares within one grain. Where grains are drawn one by one
/// (RadiusOf of a mixture) they have them on average only.
class BalancedMixture {
 public:
  BalancedMixture(const Scene& scene, const GrainTemplate& grain);

  struct Grain {
    std::size_t part = 0;
    double radius = 0.0;  // [m]
    double mass = 0.0;    // [kg]
  };
  /// The next one, if it has this id.
  Grain Next(ParticleId id) const;
  void Take(const Grain& grain) { masses_[grain.part] += grain.mass; }

  /// By which MakeParticle makes a grain of this part.
  const GrainTemplate& Part(std::size_t part) const { return parts_[part]; }

  /// Taken so far of each part [kg]; one entry if it is no mixture.
  const std::vector<double>& Masses() const { return masses_; }
  void SetMasses(const std::vector<double>& masses) { masses_ = masses; }

 private:
  const Scene& scene_;
  std::vector<GrainTemplate> parts_;
  std::vector<double> shares_;
  std::vector<double> masses_;
};

}  // namespace scree
