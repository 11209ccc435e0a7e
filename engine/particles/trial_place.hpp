/// \file  Where a sphere tries to find a place.
#pragma once

#include "engine/geometry/box.hpp"
#include "engine/particles/random.hpp"

namespace scree {

/// Where the centre of a sphere may be that is wholly inside the bounds; a point on an axis on
/// which it has no room.
inline Box CentresIn(const Box& bounds, double radius) {
  const Vec3 reach = (0.5 * bounds.Extent() - Vec3::Constant(radius)).cwiseMax(0.0);
  const Vec3 middle = 0.5 * (bounds.lower + bounds.upper);
  return {middle - reach, middle + reach};
}

/// The centre of a particle in its trial, uniform in a box.
inline Vec3 TrialPlace(const Box& centres, std::uint64_t seed, ParticleId id, std::uint64_t trial) {
  Vec3 place = 0.5 * (centres.lower + centres.upper);
  for (int axis = 0; axis < 3; ++axis) {
    const double reach = 0.5 * (centres.upper[axis] - centres.lower[axis]);
    place[axis] += reach * UniformAroundZero(seed, id, PlaceDraw(trial, axis));
  }
  return place;
}

}  // namespace scree
