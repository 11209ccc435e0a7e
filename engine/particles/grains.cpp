#include "engine/particles/grains.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "engine/particles/body_mass.hpp"
#include "engine/particles/random.hpp"

namespace scree {
namespace {

/// Uniform in [0, 1).
double RandomFraction(std::uint64_t seed, ParticleId id, std::uint64_t draw) {
  return 0.5 * (UniformAroundZero(seed, id, draw) + 1.0);
}

/// @param choices  not empty, with cumulative fractions
template <class Choice>
const Choice& ChooseByFraction(const std::vector<Choice>& choices, double fraction) {
  const auto found = std::ranges::upper_bound(choices, fraction, {}, &Choice::cumulative_fraction);
  return found == choices.end() ? choices.back() : *found;
}

/// @pre the template has shapes
const GrainShape& DrawnShape(const GrainTemplate& grain, ParticleId id, std::uint64_t seed) {
  return ChooseByFraction(grain.shapes, RandomFraction(seed, id, kShapeDraw));
}

/// @pre the template has a mixture
const MixturePart& DrawnPart(const GrainTemplate& grain, ParticleId id, std::uint64_t seed) {
  return ChooseByFraction(grain.mixture, RandomFraction(seed, id, kMixtureDraw));
}

GrainTemplate PartOf(const GrainTemplate& grain, const MixturePart& part) {
  GrainTemplate part_template = grain;
  part_template.mixture.clear();
  part_template.material = part.material;
  part_template.sizes = part.sizes;
  return part_template;
}

/// Mean of a property of the template's particles that is proportional to the cube of the radius.
/// @param value  of a particle of this material, shape and radius
template <class Value>
double MeanOf(const GrainTemplate& grain, const Value& value) {
  double mean = 0.0, previous = 0.0;
  for (const MixturePart& part : grain.mixture) {
    mean += (part.cumulative_fraction - previous) *
            value(part.material, kSphereShape, std::cbrt(part.sizes.MeanCube()));
    previous = part.cumulative_fraction;
  }
  const double mean_radius = std::cbrt(grain.sizes.MeanCube());
  for (const GrainShape& shape : grain.shapes) {
    mean += (shape.cumulative_fraction - previous) *
            value(grain.material, shape.shape, shape.radius > 0.0 ? shape.radius : mean_radius);
    previous = shape.cumulative_fraction;
  }
  return previous > 0.0 ? mean : value(grain.material, kSphereShape, mean_radius);
}

}  // namespace

ShapeId ShapeOf(const GrainTemplate& grain, ParticleId id, std::uint64_t seed) {
  return grain.shapes.empty() ? kSphereShape : DrawnShape(grain, id, seed).shape;
}

/// Uniform over all rotations (K. Shoemake, Uniform random rotations, Graphics Gems III, 1992).
Quaternion OrientationOf(const GrainTemplate& grain, ParticleId id, std::uint64_t seed) {
  if (grain.shapes.empty()) return {};
  constexpr double kTwoPi = 2.0 * std::numbers::pi;
  const double fraction = RandomFraction(seed, id, OrientationDraw(0));
  const double first = kTwoPi * RandomFraction(seed, id, OrientationDraw(1));
  const double second = kTwoPi * RandomFraction(seed, id, OrientationDraw(2));
  const double inner = std::sqrt(1.0 - fraction), outer = std::sqrt(fraction);
  return Normalized({outer * std::cos(second), inner * std::sin(first), inner * std::cos(first),
                     outer * std::sin(second)});
}

MaterialId MaterialOf(const GrainTemplate& grain, ParticleId id, std::uint64_t seed) {
  return grain.mixture.empty() ? grain.material : DrawnPart(grain, id, seed).material;
}

double RadiusOf(const GrainTemplate& grain, ParticleId id, std::uint64_t seed) {
  if (!grain.shapes.empty()) {
    const double shape_radius = DrawnShape(grain, id, seed).radius;
    if (shape_radius > 0.0) return shape_radius;
  }
  const SizeDistribution& sizes =
      grain.mixture.empty() ? grain.sizes : DrawnPart(grain, id, seed).sizes;
  return sizes.Quantile(RandomFraction(seed, id, kSizeDraw));
}

std::vector<MaterialId> MaterialsOf(const GrainTemplate& grain) {
  if (grain.mixture.empty()) return {grain.material};
  std::vector<MaterialId> materials;
  for (const MixturePart& part : grain.mixture) materials.push_back(part.material);
  return materials;
}

void MakeParticle(const GrainTemplate& grain, const Vec3& position, ParticleId id,
                  std::uint64_t seed, Particles& particles) {
  Vec3 velocity = grain.velocity;
  for (int axis = 0; axis < 3; ++axis) {
    velocity[axis] += grain.jitter[axis] * UniformAroundZero(seed, id, JitterDraw(axis));
  }
  const std::size_t i = particles.Size();
  Resize(particles, i + 1);  // at rest, with the identity as orientation
  particles.position[i] = position;
  particles.velocity[i] = velocity;
  particles.radius[i] = RadiusOf(grain, id, seed);
  particles.id[i] = id;
  particles.material[i] = MaterialOf(grain, id, seed);
  particles.shape[i] = ShapeOf(grain, id, seed);
  particles.orientation[i] = OrientationOf(grain, id, seed);
}

void SetNumberFractions(const MaterialTable& materials, std::vector<MixturePart>& mixture) {
  double sum = 0.0;
  for (MixturePart& part : mixture) {
    sum += part.fraction / (materials[part.material].density * part.sizes.MeanCube());
    part.cumulative_fraction = sum;
  }
  for (MixturePart& part : mixture) part.cumulative_fraction /= sum;
}

double MeanMass(const Scene& scene, const GrainTemplate& grain) {
  return MeanOf(grain, [&](MaterialId material, ShapeId shape, double radius) {
    return MassOf(scene, material, shape, radius);
  });
}

double MeanVolume(const Scene& scene, const GrainTemplate& grain) {
  return MeanOf(grain, [&](MaterialId, ShapeId shape, double radius) {
    return VolumeOf(scene, shape, radius);
  });
}

BalancedMixture::BalancedMixture(const Scene& scene, const GrainTemplate& grain)
    : scene_(scene), masses_(std::max<std::size_t>(grain.mixture.size(), 1), 0.0) {
  for (const MixturePart& part : grain.mixture) {
    parts_.push_back(PartOf(grain, part));
    mass_fractions_.push_back(part.fraction);
  }
  if (!parts_.empty()) return;
  parts_.push_back(grain);
  mass_fractions_.push_back(1.0);
}

BalancedMixture::Grain BalancedMixture::Next(ParticleId id) const {
  std::size_t next_part = 0;
  for (std::size_t k = 1; k < parts_.size(); ++k) {
    if (masses_[k] / mass_fractions_[k] < masses_[next_part] / mass_fractions_[next_part])
      next_part = k;
  }
  const GrainTemplate& grain = parts_[next_part];
  const double radius = RadiusOf(grain, id, scene_.seed);
  const ShapeId shape = ShapeOf(grain, id, scene_.seed);
  return {next_part, radius, MassOf(scene_, grain.material, shape, radius)};
}

}  // namespace scree
