/// \file  The change of the particles' velocities in a step by all forces except contact forces.
#pragma once

#include <span>
#include <vector>

#include "solvers/base/types.hpp"

namespace scree {

/// The force f − k v' (v': velocity at the end of the step) and the torque T on each owned particle
/// of a rank, in addition to weight and contact forces. Each array has one entry per owned
/// particle. An empty array stands for zeros.
struct BodyForces {
  std::vector<Vec3> force;   // f; includes k u if the drag drives the particle to a velocity u [N]
  std::vector<Vec3> torque;  // T, in world axes [N m]
  std::vector<double> drag;  // k ≥ 0 [kg/s]
};

/// The kick of one particle. The drag increases its effective mass. With contact impulses W λ
///
///     (m + dt k) (v' − vᶠ) = W λ,   vᶠ = (v + dt (g + f/m)) / (1 + dt k/m)
///
/// This is stable for any k, and exact for particles at rest in a flow. The contact problem scales
/// the inertia like the mass, I (1 + dt k/m), with an error of order dt that is zero at rest.
struct BodyKick {
  Vec3 v = Vec3::Zero();      // vᶠ − v [m/s]
  Vec3 omega = Vec3::Zero();  // change of ω [1/s]
  double inverse_mass = 0.0;  // 1/(m + dt k) [1/kg]
};

struct BodyKicks {
  Vec3 weight = Vec3::Zero();  // dt g [m/s]
  // One per local particle; empty: only the weight acts.
  std::span<const BodyKick> per_particle = {};

  /// Whether forces other than the weight act.
  bool HasForces() const { return !per_particle.empty(); }
  /// Change of the velocity of a particle's centre [m/s].
  const Vec3& VelocityOf(std::size_t i) const {
    return per_particle.empty() ? weight : per_particle[i].v;
  }
  /// Change of the velocity of a point of a particle [m/s].
  /// @param arm  from the particle's centre to the point [m]
  Vec3 VelocityAt(std::size_t i, const Vec3& arm) const {
    return per_particle.empty() ? weight
                                : Vec3(per_particle[i].v + per_particle[i].omega.cross(arm));
  }
};

}  // namespace scree
