/// \file  Resistance of a sphere contact to rolling and spinning, solved in closed form.
///
/// Beside λ an angular impulse Λ acts on a and −Λ on b. With the effective radius R,
/// 1/R = 1/r_a + 1/r_b, a wall being flat, we work with
///
///     L = Λ/R [N s]      and      δw = R (ω_a − ω_b) = R/r_a u_a − R/r_b u_b [m/s],
///
/// the rolling velocity. The power L⋅δw is that of Λ; the radii drop out but for the shares R/r;
/// and the block of the operator is A_w = R² (1/I_a + 1/I_b) = 5/2 (w_a R²/r_a² + w_b R²/r_b²)
/// times the identity. The law has a cone for rolling and an interval for spinning,
///
///     ‖L_t‖ ≤ μ_r λₙ,   δw_t = −s L_t, s ≥ 0, s > 0 only if ‖L_t‖ = μ_r λₙ,
///     |L_n| ≤ μ_s λₙ,   δw_n = −s L_n alike:
///
/// each dissipates as much as it can. Sources: A. Tasora, M. Anitescu, "A complementarity-based
/// rolling friction model for rigid contacts", Meccanica 48 (2013) 1643; V. Acary, F. Bourrier,
/// "Coulomb friction with rolling resistance as a cone complementarity problem", Eur. J. Mech.
/// A/Solids 85 (2021) 104046. As there λₙ is the one the contact has, so that rolling does not open
/// a contact; unlike there the lengths of the cones are the effective radius times a number.
///
/// A wall is as a sphere with w = 0 and the radius r_a, so that u_b = r_a Ω and R/r_b counts as 1.
#pragma once

#include "solvers/contact_problem.hpp"
#include "solvers/simd.hpp"
#include "solvers/sphere_contact.hpp"

namespace scree {

/// L* of one contact or of eight that share no body, all else fixed, λ too; δw* is that of L*.
/// Changing over a and b, and with them the signs of n, L and δw, changes its sign and no bit more.
/// @param n          contact normal, unit vector
/// @param lambda_n   the contact's normal impulse [N s]; below zero, by rounding, it counts as zero
/// @param rolling, spinning  μ_r, μ_s [-], ≥ 0
/// @param inverse_a  1/A_w, or 1/(κ A_w) [kg]
/// @param impulse    L, the present impulse [N s]
/// @param delta_w    δw with L in place [m/s]
template <class Real>
SCREE_INLINE Vector3<Real> SolveRolling(const Vector3<Real>& n, const Real& lambda_n,
                                        const Real& rolling, const Real& spinning,
                                        const Real& inverse_a, const Vector3<Real>& impulse,
                                        const Vector3<Real>& delta_w) {
  const Real zero = Real{};
  const Real load = Select(lambda_n > zero, lambda_n, zero);
  const Vector3<Real> free = {Fnma(inverse_a, delta_w.x, impulse.x),
                              Fnma(inverse_a, delta_w.y, impulse.y),
                              Fnma(inverse_a, delta_w.z, impulse.z)};
  const Real free_n = Dot(free, n);
  const Real limit_n = spinning * load;
  const Real capped = Select(free_n > limit_n, limit_n, free_n);
  const Real new_n = Select(capped < -limit_n, -limit_n, capped);

  const Vector3<Real> free_t = {Fnma(free_n, n.x, free.x), Fnma(free_n, n.y, free.y),
                                Fnma(free_n, n.z, free.z)};
  const Real limit_t = rolling * load;
  const Real squared = Dot(free_t, free_t);
  const Real scale =
      Select(squared > limit_t * limit_t, limit_t * InverseSqrt(squared), zero + 1.0);
  return {Fma(scale, free_t.x, new_n * n.x), Fma(scale, free_t.y, new_n * n.y),
          Fma(scale, free_t.z, new_n * n.z)};
}

/// The same for one contact.
/// @param lambda  the contact's impulse λ [N s]
inline Vec3 SolveRolling(const Vec3& normal, const RollingContact& rolling, const Vec3& lambda,
                         double inverse_a, const Vec3& impulse, const Vec3& delta_w) {
  const auto entries = [](const Vec3& v) { return Vector3<double>{v.x(), v.y(), v.z()}; };
  const Vector3<double> n = entries(normal);
  const Vector3<double> solved =
      SolveRolling(n, Dot(entries(lambda), n), rolling.rolling, rolling.spinning, inverse_a,
                   entries(impulse), entries(delta_w));
  return {solved.x, solved.y, solved.z};
}

/// A_w of two bodies [1/kg].
inline double RollingBlock(const RollingContact& rolling, double inverse_mass_a,
                           double inverse_mass_b) {
  return kMassOverInertia * (inverse_mass_a * rolling.share_a * rolling.share_a +
                             inverse_mass_b * rolling.share_b * rolling.share_b);
}

/// δw [m/s].
inline Vec3 RollingVelocity(const RollingContact& rolling, const SphereBody& a,
                            const SphereBody& b) {
  return rolling.share_a * a.u - rolling.share_b * b.u;
}

/// Turns body a by L and body b by its opposite: r Δω = r R L/I = 5/2 w R/r L.
inline void ApplyRolling(const RollingContact& rolling, const Vec3& impulse, SphereBody& a,
                         SphereBody& b) {
  a.u += kMassOverInertia * rolling.share_a * a.inverse_mass * impulse;
  b.u -= kMassOverInertia * rolling.share_b * b.inverse_mass * impulse;
}

/// One relaxation of L, after that of the contact.
/// @param lambda           the contact's impulse λ [N s]
/// @param[in,out] impulse  L
inline void RelaxRolling(const Vec3& normal, const RollingContact& rolling, const Vec3& lambda,
                         Vec3& impulse, SphereBody& a, SphereBody& b) {
  const Vec3 solved = SolveRolling(normal, rolling, lambda, rolling.effective_mass, impulse,
                                   RollingVelocity(rolling, a, b));
  ApplyRolling(rolling, solved - impulse, a, b);
  impulse = solved;
}

/// L with which a contact starts, that of the last step brought onto the cones of the new normal
/// and λ.
inline Vec3 OnRollingCones(const Vec3& normal, const RollingContact& rolling, const Vec3& lambda,
                           const Vec3& impulse) {
  return SolveRolling(normal, rolling, lambda, 0.0, impulse, Vec3::Zero());
}

}  // namespace scree
