/// \file  The frictional problem of a single sphere contact, solved in closed form.
///
/// The arm from a sphere's centre to the contact is parallel to the normal, so the contact's block
/// of the Delassus operator is A = diag(Aₙₙ, Aₜₜ, Aₜₜ), and Coulomb's law and the maximum
/// dissipation principle have the same solution (solvers/README.md). For solid spheres, with
/// I = 2/5 m r²: Aₙₙ = w_a + w_b and Aₜₜ = 7/2 Aₙₙ.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "solvers/base/types.hpp"
#include "solvers/one_contact/contact.hpp"
#include "solvers/simd/simd.hpp"

namespace scree {

inline constexpr double kMassOverInertia = 5.0 / 2.0;    // r² m / I of a solid sphere
inline constexpr double kTangentOverNormal = 7.0 / 2.0;  // Aₜₜ / Aₙₙ of two solid spheres

/// A vector whose entries are scalars of one contact, or packets of eight contacts.
template <class Real>
struct Vector3 {
  Real x, y, z;
};

inline Vec3 LaneOf(const Vector3<Double8>& packet, std::size_t lane) {
  return {packet.x[lane], packet.y[lane], packet.z[lane]};
}

template <class Real>
SCREE_INLINE Real Dot(const Vector3<Real>& a, const Vector3<Real>& b) {
  return Fma(a.z, b.z, Fma(a.y, b.y, a.x * b.x));
}

template <class Real>
SCREE_INLINE Vector3<Real> Cross(const Vector3<Real>& a, const Vector3<Real>& b) {
  return {Fms(a.y, b.z, a.z * b.y), Fms(a.z, b.x, a.x * b.z), Fms(a.x, b.y, a.y * b.x)};
}

/// The impulse λ* of one contact, or of a packet of eight that share no body, with all else fixed.
/// With δv* = δv + A (λ* − λ),
///
///     0 ≤ λₙ* ⊥ δvₙ* + b ≥ 0,   ‖λₜ*‖ ≤ μ λₙ*,   δvₜ* = −s λₜ*, s ≥ 0, s > 0 only if ‖λₜ*‖ = μ λₙ*
///
/// Three regimes: separating (λ* = 0), sticking (δvₜ* = 0), slipping (λₜ* on the cone, against
/// δvₜ*).
/// @param n            contact normal, unit vector
/// @param inverse_a_n  1/Aₙₙ [kg], > 0; 1/(κ Aₙₙ) takes a shorter step before the projection
/// @param mu           friction coefficient [-], ≥ 0
/// @param impulse      λ, this contact's present impulse [N s]
/// @param delta_v      δv, the relative velocity, which includes the effect of λ [m/s]
/// @param bias         b [m/s]
template <class Real>
SCREE_INLINE Vector3<Real> SolveSphereContact(const Vector3<Real>& n, const Real& inverse_a_n,
                                              const Real& mu, const Vector3<Real>& impulse,
                                              const Vector3<Real>& delta_v, const Real& bias) {
  const Real zero = Real{};
  const Real lambda_n = Dot(impulse, n);
  const Real delta_v_n = Dot(delta_v, n);
  const Real step_n = Fnma(delta_v_n + bias, inverse_a_n, lambda_n);
  const Real new_n = Select(step_n > zero, step_n, zero);

  // λₜ − δvₜ/Aₜₜ. One step removes the normal parts of both vectors.
  const Real inverse_a_t = inverse_a_n * (1.0 / kTangentOverNormal);
  const Real normal_part = Fms(inverse_a_t, delta_v_n, lambda_n);
  const Vector3<Real> new_t = {Fma(normal_part, n.x, Fnma(inverse_a_t, delta_v.x, impulse.x)),
                               Fma(normal_part, n.y, Fnma(inverse_a_t, delta_v.y, impulse.y)),
                               Fma(normal_part, n.z, Fnma(inverse_a_t, delta_v.z, impulse.z))};
  const Real limit = mu * new_n;
  const Real squared = Dot(new_t, new_t);
  const Real scale = Select(squared > limit * limit, limit * InverseSqrt(squared), zero + 1.0);
  return {Fma(scale, new_t.x, new_n * n.x), Fma(scale, new_t.y, new_n * n.y),
          Fma(scale, new_t.z, new_n * n.z)};
}

/// SolveSphereContact for one contact, with Vec3.
inline Vec3 SolveSphereContact(const Vec3& n, double inverse_a_n, double mu, const Vec3& impulse,
                               const Vec3& delta_v, double bias) {
  const auto entries = [](const Vec3& v) { return Vector3<double>{v.x(), v.y(), v.z()}; };
  const Vector3<double> solved =
      SolveSphereContact(entries(n), inverse_a_n, mu, entries(impulse), entries(delta_v), bias);
  return {solved.x, solved.y, solved.z};
}

/// Velocity of a's surface relative to b's at the contact [m/s].
inline Vec3 RelativeVelocity(const SphereBody& a, const SphereBody& b, const Vec3& normal) {
  return a.v - b.v - (a.u + b.u).cross(normal);
}

}  // namespace scree
