/// \file  What forces other than contacts add to the velocities of the particles in a step.
#pragma once

#include <span>
#include <vector>

#include "solvers/base/types.hpp"

namespace scree {

/// Forces on the owned particles of a rank, beside weight and contacts: on each act f − k v' and T.
/// Of each array one entry per owned particle, or none: zeros.
struct BodyForces {
  std::vector<Vec3> force;   // f; with k u in it, if u is the velocity that the drag drives to [N]
  std::vector<Vec3> torque;  // T, in world axes [N m]
  std::vector<double> drag;  // k ≥ 0, of the velocity at the end of the step [kg/s]
};

/// Of one particle, with the drag in its mass: with contacts
///
///     (m + dt k) (v' − vᶠ) = W λ,   vᶠ = (v + dt (g + f/m)) / (1 + dt k/m)
///
/// which is stable for any k, and right for what rests under a flow. Against contacts the rotation
/// is as heavy as the translation, I (1 + dt k/m): an error of the order of dt, and none at rest.
struct BodyKick {
  Vec3 v = Vec3::Zero();      // vᶠ − v [m/s]
  Vec3 omega = Vec3::Zero();  // the same of ω [1/s]
  double inverse_mass = 0.0;  // 1/(m + dt k) [1/kg]
};

/// Of all local particles.
struct BodyKicks {
  Vec3 weight = Vec3::Zero();         // dt g [m/s]
  std::span<const BodyKick> of = {};  // empty: nothing but the weight acts

  bool Any() const { return !of.empty(); }
  const Vec3& VelocityOf(std::size_t i) const { return of.empty() ? weight : of[i].v; }
  /// Of a point of a particle.
  Vec3 VelocityAt(std::size_t i, const Vec3& arm) const {
    return of.empty() ? weight : Vec3(of[i].v + of[i].omega.cross(arm));
  }
};

}  // namespace scree
