/// \file  A cohesive zone with damage between two surfaces: an additional law
///        (solvers/batches/additional_law.hpp).
///
/// With u the displacement of a relative to b since the birth of the bond, S its area, w its
/// fracture energy per area, and c_n and c_t its stiffnesses per area, the traction on a is
///
///     T = −S β² (c_n ⟨u_n⟩ n + c_t u_t),   β ← min(β, w/Q),   Q = c_n ⟨u_n⟩² + c_t ‖u_t‖²,
///
/// with β = 1 at birth. The bond stores S β² Q/2, damage dissipates S w (β₀ − β₁) in a step from β₀
/// to β₁, and breaking requires S w in total. The largest traction is at Q = w: S √(c_n w) in
/// tension, S √(c_t w) in shear. This is the law of M. Raous, L. Cangémi, M. Cocu, Comput. Methods
/// Appl. Mech. Eng. 177 (1999) 383, without viscosity. λ acts in addition: the contact cannot close
/// further than at birth, and has the friction of its pair of materials.
///
/// In a step u₁ = u₀ + dt δv, where δv is the velocity after the step. The impulse L = dt T is
/// evaluated at the displacement u_θ, with the secant B in place of β² (indices 0 and 1: start and
/// end of the step; damage grows beyond Q_d):
///
///     L = −dt S B (c_n ⟨u_n⟩_θ n + c_t u_tθ),   u_θ = (1 − θ) u₀ + θ u₁,   Q_d = w/β₀,
///     B = β₀²                               Q₁ ≤ Q_d,
///     B = β₀ (β₀ (1 − f) + β₁ f)            Q₁ > Q_d,   f = (Q₁ − Q_d)/(Q₁ − Q₀),   f ≤ 1.
///
/// With θ = 1/2, −T⋅(u₁ − u₀) is exactly the stored plus the dissipated energy for any length of
/// the step (for openings ≥ 0). But vibrations with ω dt ≫ 1 would change their sign from step to
/// step and decay slowly, so that errors of the sweeps add up. So θ = (1/2 + h)/(1 + h), where
/// h = dt² S β₀² c A, A being the block of the contact, is (ω dt)² of the bond's vibration. θ is
/// near 1/2 if the step resolves the vibration, as with heavy or driven bodies, else near 1. For
/// θ > 1/2, −T⋅(u₁ − u₀) is larger by (θ − 1/2) S B c ‖u₁ − u₀‖². The step is stable for any
/// stiffness.
///
/// L* is the solution with the normal block A_n and the tangential block A_t of one contact. If
/// these are too large, a sweep corrects L less, but a converged L still satisfies the equations
/// above. If there are several solutions (a stiff bond between light bodies snaps), L* is an
/// elastic one if possible.
///
/// In the code lengths are divided by dt, so that they are velocities, and Q is divided by w.
#pragma once

#include "solvers/batches/additional_law.hpp"
#include "solvers/one_contact/sphere_contact.hpp"
#include "solvers/simd/simd.hpp"

namespace scree {

/// Pairs of materials have no coefficients of this law; only bonds have it.
struct PairDamage {
  bool IsActive() const { return false; }
  friend bool operator==(const PairDamage&, const PairDamage&) = default;
};

/// The bond of one contact or of a packet of eight; zero if there is no bond.
template <class Real>
struct DamageData {
  Real effective_mass{};              // 1/(κ A_n) [kg]
  Real tangential{};                  // A_t/A_n [-]
  Real energy{};                      // S w/2 [J]
  Real stiffness_n{};                 // c_n dt²/w [s²/m²]
  Real stiffness_t{};                 // c_t dt²/w [s²/m²]
  Real intact{};                      // β₀ [-]
  Real opening{};                     // ⟨u_n⟩₀/dt ≥ 0 [m/s]
  Real slip_x{}, slip_y{}, slip_z{};  // u_t0/dt [m/s]
  Real implicitness{};                // 2 θ − 1, from 0 to 1 [-]

  Vector3<Real> Slip() const { return {slip_x, slip_y, slip_z}; }
  /// Q/w.
  Real Measure(const Real& opening_now, const Vector3<Real>& slip_now) const {
    return Fma(stiffness_n * opening_now, opening_now, stiffness_t * Dot(slip_now, slip_now));
  }
};
using DamageContact = DamageData<double>;

namespace internal {

SCREE_INLINE bool AnyLane(bool condition) { return condition; }
SCREE_INLINE bool AnyLane(const Int8& condition) { return Bits(condition) != 0; }

/// The problem of one contact: displacements at the end of the step as functions of B.
template <class Real>
struct DamageProblem {
  Real stiffness_n, stiffness_t;  // as in the data
  Real opening;                   // at the beginning [m/s]
  Vector3<Real> slip;             // at the beginning [m/s]
  Real free_opening;              // at the end with L = 0 [m/s]
  Vector3<Real> free_slip;        // at the end with L = 0 [m/s]
  Real ratio_n, ratio_t;          // dt² S c A/2 of the normal and the tangential part [-]
  Real intact, limit, initial;    // β₀, Q_d/w, Q₀/w
  Real start_weight, end_weight;  // 2 (1 − θ), 2 θ

  struct End {
    Real opening;        // ⟨u_n⟩₁/dt
    Vector3<Real> slip;  // u_t1/dt
    Real measure;        // Q₁/w
    Real slope;          // dQ₁/dB
  };
  SCREE_INLINE End At(const Real& b) const {
    const Real zero = Real{}, k_n = b * ratio_n, k_t = b * ratio_t;
    const Real r_n = 1.0 / Fma(end_weight, k_n, zero + 1.0),
               r_t = 1.0 / Fma(end_weight, k_t, zero + 1.0);
    const Real start_n = start_weight * k_n, start_t = start_weight * k_t;
    const Real linear = r_n * Fnma(start_n, opening, free_opening);
    End end;
    end.opening = Select(linear > zero, linear, zero);
    end.slip = {r_t * Fnma(start_t, slip.x, free_slip.x), r_t * Fnma(start_t, slip.y, free_slip.y),
                r_t * Fnma(start_t, slip.z, free_slip.z)};
    const Real squared = Dot(end.slip, end.slip);
    end.measure = Fma(stiffness_n * end.opening, end.opening, stiffness_t * squared);
    end.slope = -2.0 * Fma(stiffness_n * ratio_n * r_n * end.opening,
                           Fma(end_weight, end.opening, start_weight * opening),
                           stiffness_t * ratio_t * r_t *
                               Fma(end_weight, squared, start_weight * Dot(end.slip, slip)));
    return end;
  }
  /// B for Q₁ = q w beyond Q_d. @param slope  set to dB/dq
  SCREE_INLINE Real Secant(const Real& q, Real& slope) const {
    const Real zero = Real{}, span = q - initial, inverse = 1.0 / q;
    const Real elastic = Select(initial < limit, (limit - initial) / span, zero), f = 1.0 - elastic;
    slope = intact * Select(initial < limit, (inverse - intact) * elastic / span, zero) -
            intact * f * inverse * inverse;
    return intact * Fma(intact, elastic, f * inverse);
  }
};

/// Computes B of the lanes in `active`, whose elastic solution ends at Q₁ = q_elastic w beyond Q_d.
/// Newton's iteration for q = Q₁(B(q))/w in a bracket starts at the solution without a bond if this
/// is beyond Q_d, else at the elastic one. It converges monotonically in pure tension or shear. A
/// lane does not depend on other lanes.
template <class Real, class Mask>
[[gnu::noinline]] Real SolveDamage(const DamageProblem<Real>& problem, const Real& elastic,
                                   const Real& q_elastic, Mask active) {
  constexpr int kMaxSteps = 60;
  constexpr double kTolerance = 1e-14;
  const Real q_free = problem.At(Real{}).measure;
  Real low = problem.limit, high = q_free + q_elastic;
  Real q = Select(q_free > low, q_free, q_elastic), result = elastic;
  for (int step = 0; step < kMaxSteps && AnyLane(active); ++step) {
    Real slope;
    const Real b = problem.Secant(q, slope);
    const auto end = problem.At(b);
    const Real error = end.measure - q;
    result = Select(active, b, result);
    low = Select(error > 0.0, q, low);
    high = Select(error > 0.0, high, q);
    const Real newton = q - error / (end.slope * slope - 1.0);
    const Real next =
        Select(newton > low, Select(newton < high, newton, 0.5 * (low + high)), 0.5 * (low + high));
    const Real size = Select(error < 0.0, -error, error);
    active = Select(active, size, Real{}) > kTolerance * q;
    q = next;
  }
  return result;
}

}  // namespace internal

struct DamageLaw {
  static constexpr const char* kName = "damage";
  using Pair = PairDamage;
  template <class Real>
  using Data = DamageData<Real>;

  static constexpr Index kRemoteWeight = 1;
  static constexpr bool kGrowsWithLoad = false;
  static constexpr bool kIsGiven = false;
  static constexpr bool kActsAsLambda = true;
  static constexpr bool kIsOfBonds = true;

  static double Range(const PairDamage&, double) { return 0.0; }
  static DamageContact MakeData(const PairDamage&, const LawContact&) { return {}; }
  /// A_n [1/kg].
  static double ScalarBlock(const DamageContact&, double inverse_mass_a, double inverse_mass_b) {
    return inverse_mass_a + inverse_mass_b;
  }

  /// L* of one contact, or of eight that share no body, with λ fixed. If a and b are exchanged, and
  /// n, slip, L and δv change their signs, only the sign of L* differs.
  /// @param inverse_a  1/A_n, or 1/(κ A_n) [kg]
  template <class Real>
  SCREE_INLINE static Vector3<Real> Solve(const Vector3<Real>& n, const Real&,
                                          const DamageData<Real>& data, const Real& inverse_a,
                                          const Vector3<Real>& impulse,
                                          const Vector3<Real>& delta_v) {
    const Real zero = Real{}, one = zero + 1.0;
    if (!internal::AnyLane(data.energy > zero)) return impulse;
    const Real a_n = one / Select(inverse_a > zero, inverse_a, one), a_t = data.tangential * a_n;
    const Real l_n = Dot(impulse, n), v_n = Dot(delta_v, n);
    const auto tangential = [&](const Vector3<Real>& x, const Real& x_n) -> Vector3<Real> {
      return {Fnma(x_n, n.x, x.x), Fnma(x_n, n.y, x.y), Fnma(x_n, n.z, x.z)};
    };
    const Vector3<Real> l_t = tangential(impulse, l_n), v_t = tangential(delta_v, v_n);
    const Vector3<Real> slip = data.Slip();
    const Real intact = Select(data.intact > zero, data.intact, one);
    const Real stiff_n = data.stiffness_n * data.energy, stiff_t = data.stiffness_t * data.energy;
    const internal::DamageProblem<Real> problem = {
        .stiffness_n = data.stiffness_n,
        .stiffness_t = data.stiffness_t,
        .opening = data.opening,
        .slip = slip,
        .free_opening = data.opening + Fnma(a_n, l_n, v_n),
        .free_slip = {slip.x + Fnma(a_t, l_t.x, v_t.x), slip.y + Fnma(a_t, l_t.y, v_t.y),
                      slip.z + Fnma(a_t, l_t.z, v_t.z)},
        .ratio_n = stiff_n * a_n,
        .ratio_t = stiff_t * a_t,
        .intact = intact,
        .limit = one / intact,
        .initial = data.Measure(data.opening, slip),
        .start_weight = one - data.implicitness,
        .end_weight = one + data.implicitness};
    Real b = intact * intact;
    const Real q_elastic = problem.At(b).measure;
    const auto is_damaged = q_elastic > problem.limit;
    if (internal::AnyLane(is_damaged)) {
      b = internal::SolveDamage(problem, b, q_elastic, is_damaged);
    }
    const auto end = problem.At(b);
    const Real k_n = b * stiff_n, k_t = b * stiff_t;
    const auto weighted = [&](const Real& before, const Real& after) {
      return Fma(problem.end_weight, after, problem.start_weight * before);
    };
    const Real solved_n = -k_n * weighted(data.opening, end.opening);
    const auto entry = [&](const Real& n_k, const Real& before, const Real& after,
                           const Real& present) {
      const Real solved = Fnma(k_t, weighted(before, after), solved_n * n_k);
      return Select(inverse_a > zero, solved, present);
    };
    return {entry(n.x, slip.x, end.slip.x, impulse.x), entry(n.y, slip.y, end.slip.y, impulse.y),
            entry(n.z, slip.z, end.slip.z, impulse.z)};
  }

  static Wrench WrenchOnA(const DamageContact&, const Vec3& impulse, double) {
    return {impulse, Vec3::Zero()};
  }
};

}  // namespace scree
