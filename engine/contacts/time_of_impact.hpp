/// \file  Swept test: predicts the contact plane of bodies that move far in a step.
#pragma once

#include <algorithm>
#include <cmath>

#include "solvers/base/types.hpp"

namespace scree {

/// Time at which a moving sphere touches a point, or passes nearest to it; at most dt [s].
/// @param offset  from the point to the sphere's centre; for two spheres between the centres [m]
/// @param radius  of the sphere; for two spheres the sum of their radii [m]
inline double TimeOfImpact(const Vec3& offset, const Vec3& velocity, double radius, double dt) {
  const double approach = -offset.dot(velocity), squared = velocity.squaredNorm();
  if (!(approach > 0.0)) return 0.0;
  const double root = approach * approach - squared * (offset.squaredNorm() - radius * radius);
  return std::clamp((approach - std::sqrt(std::max(root, 0.0))) / squared, 0.0, dt);
}

/// Two spheres need the swept test if their relative displacement in a step is larger than this
/// fraction of the sum of their radii, because the plane at the beginning of the step would stop
/// spheres that only pass each other.
inline constexpr double kSweptPathFraction = 0.25;

/// The contact plane between two spheres.
struct PairPlane {
  Vec3 normal;  // from the second sphere to the first
  double gap;   // along the normal, at the positions of the beginning of the step [m]
};

/// The plane at the time of impact if two spheres move far, else the present plane.
/// @param now         the plane at the present positions
/// @param separation  from the centre of the second to that of the first [m]
/// @param velocity  of the first relative to the second [m/s]
/// @param radii_sum  sum of the radii [m]
inline PairPlane PredictPlane(const PairPlane& now, const Vec3& separation, const Vec3& velocity,
                              double radii_sum, double dt) {
  const double min_displacement = kSweptPathFraction * radii_sum;
  if (!(now.gap > 0.0 && dt * dt * velocity.squaredNorm() > min_displacement * min_displacement))
    return now;
  const Vec3 at_impact = separation + TimeOfImpact(separation, velocity, radii_sum, dt) * velocity;
  const double distance = at_impact.norm();
  // Rounding may make the predicted distance too small for a normal if the centres nearly meet.
  if (!(distance > 0.5 * radii_sum)) return now;
  const Vec3 normal = at_impact / distance;
  return {normal, normal.dot(separation) - radii_sum};
}

}  // namespace scree
