/// \file  Where bodies that move far in a step will touch: the plane of a speculative contact.
#pragma once

#include <algorithm>
#include <cmath>

#include "solvers/base/types.hpp"

namespace scree {

/// When a sphere touches a point on its way, or passes nearest; at most dt [s].
/// @param from    from the point to its centre [m]
/// @param radius  of the sphere; of two spheres the sum, and `from` joins their centres [m]
inline double TimeOfImpact(const Vec3& from, const Vec3& velocity, double radius, double dt) {
  const double approach = -from.dot(velocity), squared = velocity.squaredNorm();
  if (!(approach > 0.0)) return 0.0;
  const double root = approach * approach - squared * (from.squaredNorm() - radius * radius);
  return std::clamp((approach - std::sqrt(std::max(root, 0.0))) / squared, 0.0, dt);
}

/// Of the sum of their radii: two spheres that move farther against each other in a step than this
/// have the contact that they will have, not that of the beginning, whose plane would stop what
/// passes by.
inline constexpr double kFarForPairs = 0.25;

/// The plane between two spheres, from the second to the first.
struct PairPlane {
  Vec3 normal;
  double gap;  // of what is at rest against each other, along the normal [m]
};

/// @param now    the plane between them as they are
/// @param apart  from the centre of the second to that of the first [m]
/// @param velocity  of the first against the second [m/s]
/// @param touch  sum of the radii [m]
inline PairPlane PredictPlane(const PairPlane& now, const Vec3& apart, const Vec3& velocity,
                              double touch, double dt) {
  const double far = kFarForPairs * touch;
  if (!(now.gap > 0.0 && dt * dt * velocity.squaredNorm() > far * far)) return now;
  const Vec3 later = apart + TimeOfImpact(apart, velocity, touch, dt) * velocity;
  const double distance = later.norm();
  // Rounding may bring centres together that pass each other at a millionth of their radii.
  if (!(distance > 0.5 * touch)) return now;
  const Vec3 normal = later / distance;
  return {normal, normal.dot(apart) - touch};
}

}  // namespace scree
