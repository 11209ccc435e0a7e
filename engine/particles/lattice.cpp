#include "engine/particles/lattice.hpp"

#include <cmath>
#include <numbers>

#include "engine/particles/random.hpp"

namespace scree {

std::array<std::int64_t, 3> Lattice::Sites() const {
  constexpr double kRounding = 1e-9;  // of a site: 0.065 / 0.001 is not quite 65
  std::array<std::int64_t, 3> sites;
  for (int axis = 0; axis < 3; ++axis) {
    sites[static_cast<std::size_t>(axis)] = static_cast<std::int64_t>(
        std::floor((region.upper[axis] - region.lower[axis]) / spacing + kRounding));
  }
  return sites;
}

Vec3 LatticeSite(const Lattice& lattice, const std::array<std::int64_t, 3>& site) {
  const Vec3 number(static_cast<double>(site[0]), static_cast<double>(site[1]),
                    static_cast<double>(site[2]));
  return lattice.region.lower + lattice.spacing * (number + Vec3::Constant(0.5));
}

namespace {

/// Uniform in [0, 1).
double Share(std::uint64_t seed, ParticleId id, std::uint64_t draw) {
  return 0.5 * (UniformAroundZero(seed, id, draw) + 1.0);
}

/// @pre there are shapes
const GrainShape& DrawnShape(const GrainTemplate& grain, ParticleId id, std::uint64_t seed) {
  const double share = Share(seed, id, kShapeDraw);
  for (const GrainShape& one : grain.shapes) {
    if (share < one.up_to) return one;
  }
  return grain.shapes.back();
}

}  // namespace

ShapeId ShapeOf(const GrainTemplate& grain, ParticleId id, std::uint64_t seed) {
  return grain.shapes.empty() ? kSphereShape : DrawnShape(grain, id, seed).shape;
}

/// Uniform over all rotations (K. Shoemake, Uniform random rotations, Graphics Gems III, 1992).
Quaternion OrientationOf(const GrainTemplate& grain, ParticleId id, std::uint64_t seed) {
  if (grain.shapes.empty()) return {};
  constexpr double kTurn = 2.0 * std::numbers::pi;
  const double share = Share(seed, id, OrientationDraw(0));
  const double first = kTurn * Share(seed, id, OrientationDraw(1));
  const double second = kTurn * Share(seed, id, OrientationDraw(2));
  const double inner = std::sqrt(1.0 - share), outer = std::sqrt(share);
  return Normalized({outer * std::cos(second), inner * std::sin(first), inner * std::cos(first),
                     outer * std::sin(second)});
}

double RadiusOf(const GrainTemplate& grain, ParticleId id, std::uint64_t seed) {
  if (!grain.shapes.empty()) {
    const double described = DrawnShape(grain, id, seed).radius;
    if (described > 0.0) return described;
  }
  return grain.sizes.Quantile(0.5 * (UniformAroundZero(seed, id, kSizeDraw) + 1.0));
}

void MakeParticle(const GrainTemplate& grain, const Vec3& position, ParticleId id,
                  std::uint64_t seed, Particles& particles) {
  Vec3 velocity = grain.velocity;
  for (int axis = 0; axis < 3; ++axis) {
    velocity[axis] += grain.jitter[axis] * UniformAroundZero(seed, id, JitterDraw(axis));
  }
  const std::size_t i = particles.Size();
  Resize(particles, i + 1);  // at rest, not turned
  particles.position[i] = position;
  particles.velocity[i] = velocity;
  particles.radius[i] = RadiusOf(grain, id, seed);
  particles.id[i] = id;
  particles.material[i] = grain.material;
  particles.shape[i] = ShapeOf(grain, id, seed);
  particles.orientation[i] = OrientationOf(grain, id, seed);
}

}  // namespace scree
