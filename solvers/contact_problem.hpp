/// \file  One step's contact problem for spheres: the fixed data, and the unknowns.
///
/// Signs: the normal n points from body b to body a; δv is the velocity of a minus that of b at the
/// contact, δvₙ > 0 separates; the impulse λ acts on a, −λ on b.
#pragma once

#include <limits>
#include <vector>

#include "solvers/types.hpp"

namespace scree {

/// Velocity and inertia of one solid sphere, or of a fixed body: one cache line.
///
/// u = r ω, the scaled angular velocity, is the velocity of the surface by rotation alone; with it
/// the radius drops out of every contact equation.
struct alignas(64) SphereBody {
  Vec3 v = Vec3::Zero();      // velocity of the centre [m/s]
  double inverse_mass = 0.0;  // w [1/kg]; 0 for a body that moves as prescribed
  Vec3 u = Vec3::Zero();      // r ω [m/s]
  double radius = 0.0;        // r [m]
};
static_assert(sizeof(SphereBody) == 64);

/// What stays constant about a contact during a solve.
struct Contact {
  Vec3 normal = Vec3::UnitZ();  // n, unit vector
  double bias = 0.0;            // b = −c, where the solution has δvₙ ≥ c [m/s]
  double effective_mass = 0.0;  // 1/(κ Aₙₙ), κ ≥ 1 damps contacts of shared bodies [kg]
  double friction = 0.0;        // μ [-]
  Index a = 0;                  // bodies, as indices into ContactSolution::bodies
  Index b = 0;
};

/// What resists the rolling and the spinning of a contact (solvers/rolling.hpp).
struct RollingContact {
  double rolling = 0.0;         // μ_r ≥ 0 [-]
  double spinning = 0.0;        // μ_s ≥ 0 [-]
  double effective_mass = 0.0;  // 1/(κ A_w), κ as for the contact [kg]
  double share_a = 0.0;         // R/r_a: how much of its u is in the rolling velocity [-]
  double share_b = 0.0;         // R/r_b; 1 if b is a wall
};

struct ContactProblem {
  std::vector<Contact> contacts;
  std::vector<RollingContact> rolling;  // one per contact; empty: none resists rolling
  Index first_fixed = std::numeric_limits<Index>::max();  // bodies from here on have w = 0
};

/// Invariant: v = v_free + M⁻¹ W λ, u alike, for the impulses stored here, those of rolling too.
struct ContactSolution {
  std::vector<SphereBody> bodies;      // owned spheres, ghosts, walls
  std::vector<Vec3> impulses;          // λ in world axes, one per contact [N s]
  std::vector<Vec3> rolling_impulses;  // Λ/R, one per contact, or empty as the problem's [N s]
};

}  // namespace scree
