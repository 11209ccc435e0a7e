/// \file  Makes particles from a template, the seed and an id.
#pragma once

#include <functional>
#include <vector>

#include "engine/particles/particles.hpp"
#include "engine/scene/scene.hpp"

namespace scree {

/// Whether this rank owns a position. Each rank makes only the particles that it owns.
using OwnsPosition = std::function<bool(const Vec3&)>;

/// Shape, orientation, material and radius [m] of the particle with this id; all are functions of
/// the seed and the id.
ShapeId ShapeOf(const GrainTemplate& grain, ParticleId id, std::uint64_t seed);
Quaternion OrientationOf(const GrainTemplate& grain, ParticleId id, std::uint64_t seed);
MaterialId MaterialOf(const GrainTemplate& grain, ParticleId id, std::uint64_t seed);
double RadiusOf(const GrainTemplate& grain, ParticleId id, std::uint64_t seed);

/// The materials of all particles of the template.
std::vector<MaterialId> MaterialsOf(const GrainTemplate& grain);

/// Appends one particle. Its size, material, shape, orientation and velocity jitter are functions
/// of the seed and its id.
void MakeParticle(const GrainTemplate& grain, const Vec3& position, ParticleId id,
                  std::uint64_t seed, Particles& particles);

/// Computes the cumulative number fractions (`cumulative_fraction`) of a mixture from its mass
/// fractions.
void SetNumberFractions(const MaterialTable& materials, std::vector<MixturePart>& mixture);

/// Mean mass [kg] and mean volume of solid [m³] of the template's particles.
double MeanMass(const Scene& scene, const GrainTemplate& grain);
double MeanVolume(const Scene& scene, const GrainTemplate& grain);

/// Generates particles one after the other. In a mixture the next particle comes from the part that
/// is farthest behind its mass fraction, so that all fractions are always correct to within one
/// particle. With independent draws (RadiusOf of a mixture) they are correct only on average.
class BalancedMixture {
 public:
  BalancedMixture(const Scene& scene, const GrainTemplate& grain);

  struct Grain {
    std::size_t part = 0;
    double radius = 0.0;  // [m]
    double mass = 0.0;    // [kg]
  };
  /// The next particle. If it is placed, call AddMass, which counts it.
  Grain Next(ParticleId id) const;
  void AddMass(const Grain& grain) { masses_[grain.part] += grain.mass; }

  /// The template from which MakeParticle makes particles of this part.
  const GrainTemplate& Part(std::size_t part) const { return parts_[part]; }

  /// Mass generated so far of each part [kg]; if there is no mixture, a single entry.
  const std::vector<double>& Masses() const { return masses_; }
  void SetMasses(const std::vector<double>& masses) { masses_ = masses; }

 private:
  const Scene& scene_;
  std::vector<GrainTemplate> parts_;
  std::vector<double> mass_fractions_;
  std::vector<double> masses_;
};

}  // namespace scree
