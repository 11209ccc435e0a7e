/// \file  The data of a sphere and of a contact in the contact problem.
///
/// Signs: the normal n points from body b to body a; δv is the velocity of a minus that of b at the
/// contact, δvₙ > 0 separates; the impulse λ acts on a, −λ on b.
#pragma once

#include <limits>

#include "solvers/base/types.hpp"

namespace scree {

/// Velocity and inertia of one solid sphere, or of a fixed body: one cache line.
///
/// u = r ω, the scaled angular velocity, is the surface velocity due to rotation. With it the
/// radius drops out of every contact equation.
struct alignas(64) SphereBody {
  Vec3 v = Vec3::Zero();      // velocity of the centre [m/s]
  double inverse_mass = 0.0;  // w [1/kg]; 0 for a driven body
  Vec3 u = Vec3::Zero();      // r ω [m/s]
  double radius = 0.0;        // r [m]
};
static_assert(sizeof(SphereBody) == 64);

/// The data of a contact that stay constant during a solve.
struct Contact {
  Vec3 normal = Vec3::UnitZ();  // n, unit vector
  double bias = 0.0;            // b = −c, where the solution has δvₙ ≥ c [m/s]
  double effective_mass = 0.0;  // 1/(κ Aₙₙ), κ ≥ 1 under-relaxes contacts of shared bodies [kg]
  double friction = 0.0;        // μ [-]
  // Tangential; friction acts on δvₜ minus this slip. 0 for spheres and for contacts that do not
  // rebound [m/s]
  Vec3 restitution_slip = Vec3::Zero();
  Index a = 0;  // index of the body in the problem
  Index b = 0;
};

/// Radius of a flat surface: a wall, which is the second body, or a face of a polyhedron.
inline constexpr double kFlatRadius = std::numeric_limits<double>::infinity();

/// Reduced radius R of two surfaces, 1/R = 1/r_a + 1/r_b [m]; symmetric to the last bit.
inline double EffectiveRadius(double radius_a, double radius_b) {
  if (radius_b == kFlatRadius) return radius_a;
  if (radius_a == kFlatRadius) return radius_b;
  return radius_a * radius_b / (radius_a + radius_b);
}

/// An impulse and an angular impulse about the contact, on body a [N s, N m s].
struct Wrench {
  Vec3 impulse = Vec3::Zero();
  Vec3 angular = Vec3::Zero();
};

}  // namespace scree
