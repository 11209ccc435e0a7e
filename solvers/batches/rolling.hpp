/// \file  Resistance of a sphere contact to rolling and spinning, solved in closed form: an
///        additional law (solvers/batches/additional_law.hpp).
///
/// In addition to λ an angular impulse Λ acts on a and −Λ on b. R is the effective radius,
/// 1/R = 1/r_a + 1/r_b; a wall is flat (1/r_b = 0). We use
///
///     L = Λ/R [N s]      and      δw = R (ω_a − ω_b) = R/r_a u_a − R/r_b u_b [m/s],
///
/// where δw is the rolling velocity and u = r ω. L⋅δw is the work of Λ. Radii appear only in the
/// fractions R/r. The block of the operator is
/// A_w = R² (1/I_a + 1/I_b) = 5/2 (w_a R²/r_a² + w_b R²/r_b²) times the identity. The law has a
/// cone for rolling and an interval for spinning,
///
///     ‖L_t‖ ≤ μ_r λₙ,   δw_t = −s L_t, s ≥ 0, s > 0 only if ‖L_t‖ = μ_r λₙ,
///     |L_n| ≤ μ_s λₙ,   δw_n = −s L_n, s ≥ 0, s > 0 only if |L_n| = μ_s λₙ.
///
/// Rolling and spinning each dissipate as much as possible. Sources: A. Tasora, M. Anitescu, "A
/// complementarity-based rolling friction model for rigid contacts", Meccanica 48 (2013) 1643; V.
/// Acary, F. Bourrier, "Coulomb friction with rolling resistance as a cone complementarity
/// problem", Eur. J. Mech. A/Solids 85 (2021) 104046. As in these papers λₙ is the current normal
/// impulse, so that rolling does not open a contact. Unlike in these papers, the length in the
/// limits of the moment is the effective radius times a number.
///
/// Rigid bodies of any shape use ω instead of u and the fraction R for both bodies, and the bound
/// R² (‖J_a‖ + ‖J_b‖) instead of A_w.
///
/// The formulas with u treat a wall as a sphere with w = 0 and r_b = r_a: u_b = r_a Ω, where Ω is
/// the wall's angular velocity, and R/r_b = 1.
#pragma once

#include "solvers/batches/additional_law.hpp"
#include "solvers/batches/contact_batch.hpp"
#include "solvers/one_contact/contact.hpp"
#include "solvers/one_contact/rigid_body.hpp"
#include "solvers/one_contact/sphere_contact.hpp"
#include "solvers/simd/simd.hpp"

namespace scree {

struct PairRolling {
  double rolling = 0.0;   // μ_r ≥ 0 [-]
  double spinning = 0.0;  // μ_s ≥ 0 [-]

  bool IsActive() const { return rolling != 0.0 || spinning != 0.0; }
  friend bool operator==(const PairRolling&, const PairRolling&) = default;
};

/// Rolling and spinning resistance of one contact or of a packet of eight.
template <class Real>
struct RollingData {
  Real rolling{};         // μ_r ≥ 0 [-]
  Real spinning{};        // μ_s ≥ 0 [-]
  Real effective_mass{};  // 1/(κ A_w), κ as for the contact [kg]
  Real fraction_a{};      // R/r_a, the fraction of u_a in the rolling velocity [-]
  Real fraction_b{};      // R/r_b; 1 if b is a wall
};
using RollingContact = RollingData<double>;

struct RollingLaw {
  static constexpr const char* kName = "rolling";
  using Pair = PairRolling;
  template <class Real>
  using Data = RollingData<Real>;

  /// Friction and L both rotate bodies, also by contacts on other ranks. With weight 1, as for λ,
  /// the error of a body with one contact on each of two ranks only changes its sign in a sweep,
  /// and with more contacts errors grow. Measured with a packing at rest with μ_r = 0.2 and 1, on 2
  /// to 16 ranks: weight 1 stalls, 2 diverges on 4 ranks, 4 stalls on 8 ranks, 8 converges on any
  /// number of ranks, as fast as on one.
  static constexpr Index kRemoteWeight = 8;

  static constexpr bool kGrowsWithLoad = true;
  static constexpr bool kIsGiven = false;
  static constexpr bool kActsAsLambda = false;
  static constexpr bool kIsOfBonds = false;

  static double Range(const PairRolling&, double) { return 0.0; }

  static RollingContact MakeData(const PairRolling& pair, const LawContact& contact) {
    RollingContact rolling = {pair.rolling, pair.spinning};
    rolling.fraction_a = rolling.fraction_b = 1.0;
    if (contact.radius_b == kFlatRadius) return rolling;
    const double sum = contact.radius_a + contact.radius_b;
    rolling.fraction_a = contact.radius_b / sum;
    rolling.fraction_b = contact.radius_a / sum;
    return rolling;
  }

  /// A_w of two bodies [1/kg].
  static double ScalarBlock(const RollingContact& rolling, double inverse_mass_a,
                            double inverse_mass_b) {
    return kMassOverInertia * (inverse_mass_a * rolling.fraction_a * rolling.fraction_a +
                               inverse_mass_b * rolling.fraction_b * rolling.fraction_b);
  }

  /// Rigid bodies of any shape use R for both fractions [m].
  static void SetRigidFractions(double radius_a, double radius_b, RollingContact& rolling) {
    rolling.fraction_a = rolling.fraction_b = EffectiveRadius(radius_a, radius_b);
  }
  /// An upper bound of A_w [1/kg]; ‖J‖ is the largest sum of a row.
  static double ScalarBlock(const RollingContact& rolling, const RigidBody& a, const RigidBody& b) {
    const auto norm = [](const RigidBody& body) {
      return body.InverseInertia().cwiseAbs().rowwise().sum().maxCoeff();
    };
    return rolling.fraction_a * rolling.fraction_a * norm(a) +
           rolling.fraction_b * rolling.fraction_b * norm(b);
  }

  /// δw [m/s].
  static Vec3 Velocity(const RollingContact& rolling, const SphereBody& a, const SphereBody& b) {
    return rolling.fraction_a * a.u - rolling.fraction_b * b.u;
  }
  static Vec3 Velocity(const RollingContact& rolling, const RigidBody& a, const RigidBody& b) {
    return rolling.fraction_a * a.omega - rolling.fraction_b * b.omega;
  }
  template <class Bodies>
  SCREE_INLINE static Vector3<Double8> Velocity(const RollingData<Double8>& rolling,
                                                const Bodies& bodies) {
    const Vector3<Double8> u_a = bodies.a.U(), u_b = bodies.b.U();
    // Rounds the products before the difference, so that exchanging a and b only changes the sign.
    return {rolling.fraction_a * u_a.x - rolling.fraction_b * u_b.x,
            rolling.fraction_a * u_a.y - rolling.fraction_b * u_b.y,
            rolling.fraction_a * u_a.z - rolling.fraction_b * u_b.z};
  }

  /// L* of one contact, or of eight that share no body, with everything else fixed, including λ. If
  /// a and b are exchanged, and n, L and δw change their signs, only the sign of L* differs.
  /// @param n          contact normal, unit vector
  /// @param lambda_n   λₙ [N s]; a negative value, from rounding, counts as 0
  /// @param inverse_a  1/A_w, or 1/(κ A_w) [kg]
  /// @param impulse    L, the current impulse [N s]
  /// @param delta_w    δw, which includes the effect of L [m/s]
  template <class Real>
  SCREE_INLINE static Vector3<Real> Solve(const Vector3<Real>& n, const Real& lambda_n,
                                          const RollingData<Real>& rolling, const Real& inverse_a,
                                          const Vector3<Real>& impulse,
                                          const Vector3<Real>& delta_w) {
    const Real zero = Real{};
    const Real load = Select(lambda_n > zero, lambda_n, zero);
    const Vector3<Real> free_impulse = {Fnma(inverse_a, delta_w.x, impulse.x),
                                        Fnma(inverse_a, delta_w.y, impulse.y),
                                        Fnma(inverse_a, delta_w.z, impulse.z)};
    const Real free_n = Dot(free_impulse, n);
    const Real limit_n = rolling.spinning * load;
    const Real capped = Select(free_n > limit_n, limit_n, free_n);
    const Real new_n = Select(capped < -limit_n, -limit_n, capped);

    const Vector3<Real> free_t = {Fnma(free_n, n.x, free_impulse.x),
                                  Fnma(free_n, n.y, free_impulse.y),
                                  Fnma(free_n, n.z, free_impulse.z)};
    const Real limit_t = rolling.rolling * load;
    const Real squared = Dot(free_t, free_t);
    const Real scale =
        Select(squared > limit_t * limit_t, limit_t * InverseSqrt(squared), zero + 1.0);
    return {Fma(scale, free_t.x, new_n * n.x), Fma(scale, free_t.y, new_n * n.y),
            Fma(scale, free_t.z, new_n * n.z)};
  }

  /// Rotates bodies a by L and bodies b by −L: r Δω = r R L/I = 5/2 w R/r L.
  template <class Bodies>
  SCREE_INLINE static void Apply(const RollingData<Double8>& rolling,
                                 const Vector3<Double8>& impulse, Bodies& bodies) {
    bodies.a.Roll(rolling.fraction_a, impulse);
    bodies.b.Roll(-rolling.fraction_b, impulse);
  }

  static Vec3 TermOnBody(const RollingData<Double8>& rolling, std::size_t lane, double sign,
                         const Vec3& impulse) {
    const double fraction = sign > 0.0 ? rolling.fraction_a[lane] : rolling.fraction_b[lane];
    return sign * fraction * impulse;
  }
  static void ApplySum(const Vec3& sum, SphereBody& body) {
    body.u += kMassOverInertia * body.inverse_mass * sum;
  }
  static void ApplySum(const Vec3& sum, RigidBody& body) {
    body.omega += body.InverseInertia() * sum;
  }

  static Wrench WrenchOnA(const RollingContact& rolling, const Vec3& impulse, double radius_a) {
    return {Vec3::Zero(), rolling.fraction_a * radius_a * impulse};
  }
};

}  // namespace scree
