/// \file  The frictional problem of a single sphere contact, solved in closed form.
///
/// The arm from a sphere's centre to the contact is parallel to the normal, so the contact's block
/// of the Delassus operator is A = diag(Aₙₙ, Aₜₜ, Aₜₜ), and Coulomb's law and the maximum
/// dissipation principle have the same solution (solvers/README.md). For solid spheres, with
/// I = 2/5 m r²: Aₙₙ = w_a + w_b and Aₜₜ = 7/2 Aₙₙ.
#pragma once

#include <algorithm>
#include <cmath>

#include "solvers/contact_problem.hpp"
#include "solvers/types.hpp"

namespace scree {

inline constexpr double kMassOverInertia = 5.0 / 2.0;    // r² m / I of a solid sphere
inline constexpr double kTangentOverNormal = 7.0 / 2.0;  // Aₜₜ / Aₙₙ of two solid spheres

/// Relative velocity of a's surface against b's at the contact [m/s].
inline Vec3 RelativeVelocity(const SphereBody& a, const SphereBody& b, const Vec3& normal) {
  return a.v - b.v - (a.u + b.u).cross(normal);
}

/// Returns the impulse λ* of one contact, all else fixed: with δv* = δv + A (λ* − λ),
///
///     0 ≤ λₙ* ⊥ δvₙ* + b ≥ 0,   ‖λₜ*‖ ≤ μ λₙ*,   δvₜ* = −s λₜ*, s ≥ 0, s > 0 only if ‖λₜ*‖ = μ λₙ*
///
/// Three regimes: separating (λ* = 0), sticking (δvₜ* = 0), slipping (λₜ* on the cone, against
/// δvₜ).
/// @param n         contact normal, unit vector
/// @param inverse_a_n  1/Aₙₙ [kg], > 0; 1/(κ Aₙₙ) takes a shorter step before the projection
/// @param mu        friction coefficient [-], ≥ 0
/// @param impulse   λ, this contact's present impulse [N s]
/// @param delta_v   δv, the relative velocity with λ in place [m/s]
/// @param bias      b [m/s]
inline Vec3 SolveSphereContact(const Vec3& n, double inverse_a_n, double mu, const Vec3& impulse,
                               const Vec3& delta_v, double bias) {
  const double lambda_n = impulse.dot(n);
  const double delta_v_n = delta_v.dot(n);
  const double new_n = std::max(0.0, lambda_n - (delta_v_n + bias) * inverse_a_n);
  Vec3 new_t =
      (impulse - lambda_n * n) - (delta_v - delta_v_n * n) * (inverse_a_n / kTangentOverNormal);
  const double limit = mu * new_n;
  const double squared = new_t.squaredNorm();
  if (squared > limit * limit) new_t *= limit / std::sqrt(squared);
  return new_n * n + new_t;
}

/// Adds an impulse to body a and its opposite to body b.
inline void ApplyImpulse(const Vec3& normal, const Vec3& impulse, SphereBody& a, SphereBody& b) {
  const Vec3 torque = kMassOverInertia * normal.cross(impulse);
  a.v += a.inverse_mass * impulse;
  a.u -= a.inverse_mass * torque;
  b.v -= b.inverse_mass * impulse;
  b.u -= b.inverse_mass * torque;
}

/// One relaxation: replaces the contact's impulse by its solution with all others fixed, and lets
/// the two bodies follow.
inline void RelaxSphereContact(const Contact& contact, Vec3& impulse, SphereBody& a,
                               SphereBody& b) {
  const Vec3 delta_v = RelativeVelocity(a, b, contact.normal);
  const Vec3 solved = SolveSphereContact(contact.normal, contact.effective_mass, contact.friction,
                                         impulse, delta_v, contact.bias);
  ApplyImpulse(contact.normal, solved - impulse, a, b);
  impulse = solved;
}

}  // namespace scree
