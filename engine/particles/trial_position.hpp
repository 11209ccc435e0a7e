/// \file  Trial positions of a sphere.
#pragma once

#include "engine/geometry/box.hpp"
#include "engine/particles/random.hpp"

namespace scree {

/// The box of possible centres of a sphere that is completely inside the bounds. Along an axis on
/// which the sphere does not fit, the box is only the midpoint of the bounds.
inline Box CentresIn(const Box& bounds, double radius) {
  const Vec3 reach = (0.5 * bounds.Extent() - Vec3::Constant(radius)).cwiseMax(0.0);
  const Vec3 middle = 0.5 * (bounds.lower + bounds.upper);
  return {middle - reach, middle + reach};
}

/// Trial position of a particle's centre, uniform in a box.
inline Vec3 TrialPosition(const Box& centres, std::uint64_t seed, ParticleId id,
                          std::uint64_t trial) {
  Vec3 position = 0.5 * (centres.lower + centres.upper);
  for (int axis = 0; axis < 3; ++axis) {
    const double reach = 0.5 * (centres.upper[axis] - centres.lower[axis]);
    position[axis] += reach * UniformAroundZero(seed, id, PositionDraw(trial, axis));
  }
  return position;
}

}  // namespace scree
