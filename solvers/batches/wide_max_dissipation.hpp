/// \file  The maximally dissipative impulses of eight contacts, for any blocks A.
///
/// In the basis of solvers/batches/kernel_state.hpp with a₁ = a₂ = 1 the energy on the plane of
/// maximum compression is ½ ‖y − b̂‖² plus a constant: the impulse is the point of the feasible set
/// closest to b̂. A rotation of T is still free: with Â = L Lᵀ, T = L⁻ᵀ E, where the rotation E
/// makes L⁻¹ Q L⁻ᵀ diagonal, Q = 1 − μ² a_T a_Tᵀ/Aₙₙ². As TᵀT = TᵀQT + μ² g gᵀ, the cone
/// ‖T y‖ ≤ μ xₙ is
///
///     l₁ y₁² + l₂ y₂² + 2 bₙ (k₁ y₁ + k₂ y₂) ≤ μ² bₙ²/Aₙₙ²,   kᵢ = μ² gᵢ/Aₙₙ,
///
/// with l₂ > 0 the larger eigenvalue of L⁻¹ Q L⁻ᵀ, l₁ the smaller one, and g₁ ≥ 0 by the choice of
/// the sign of t₁. With the near vertex of the ellipse, parabola or hyperbola as origin,
///
///     y₁ = bₙ (z₁ − ρ X),   y₂ = bₙ (ρ Y − w₂),   w₂ = k₂/l₂,   ρ = e/l₂,
///     r = μ²/Aₙₙ² + k₂ w₂,   e = √(k₁² + l₁ r) = μ/(Aₙₙ √(l₂ det Â)),   z₁ = r/(e + k₁),
///
/// the boundary is Y² = 2 X − κ X² (solvers/batches/closest_point.hpp) with κ = l₁/l₂. The second
/// form of e has no cancellation. Near a parabola the result is sensitive to κ, which is therefore
/// computed from l₁ l₂ = det Q/det Â and from the eigenvalue that is a sum of terms of equal sign.
///
/// We know of no publication that treats the three sections in one form (for ellipses see
/// L. Maisonobe, Quick computation of the distance between a point and an ellipse, 2003).
#pragma once

#include "solvers/batches/closest_point.hpp"
#include "solvers/batches/wide_kernel.hpp"

namespace scree {

namespace internal {

/// a − b, as a rounded difference and its rounding error.
SCREE_INLINE Double8 Difference(const Double8& a, const Double8& b, Double8& error) {
  const Double8 difference = a - b;
  const Double8 minus_b = difference - a;
  error = (a - (difference - minus_b)) - (b + minus_b);
  return difference;
}

/// det Q = (Aₙₙ² − μ² ‖a_T‖²)/Aₙₙ². Near a parabola the result depends on the last digits of this
/// difference, so products and differences are computed with their rounding errors.
SCREE_INLINE Double8 DeterminantOfQ(const Block8& a, const Double8& mu, const Double8& inverse_nn) {
  const Double8 t = mu * a.nt, o = mu * a.no;
  const Double8 t_error = Fms(mu, a.nt, t), o_error = Fms(mu, a.no, o);
  const Double8 nn2 = a.nn * a.nn, t2 = t * t, o2 = o * o;
  const Double8 nn2_error = Fms(a.nn, a.nn, nn2);
  const Double8 t2_error = Fma(2.0 * t, t_error, Fms(t, t, t2));
  const Double8 o2_error = Fma(2.0 * o, o_error, Fms(o, o, o2));
  Double8 first_error, second_error;
  const Double8 first = Difference(nn2, t2, first_error);
  const Double8 second = Difference(first, o2, second_error);
  const Double8 errors = (first_error + second_error) + (nn2_error - t2_error - o2_error);
  return (second + errors) * inverse_nn * inverse_nn;
}

}  // namespace internal

template <>
struct WideKernel<ContactLaw::kMaxDissipation> {
  using Shape = MaxDissipationShape;

  /// Call this once per solve. Lanes without friction have a circle of radius zero.
  /// @param[out] g  Tᵀa_T/Aₙₙ, two entries
  SCREE_INLINE static LaneKinds SetUp(const Block8& a, const Double8& mu, TangentBasis8& basis,
                                      std::array<Double8, 2>& g, Shape& shape);

  /// Eigenvalues a₁, a₂ of TᵀÂT.
  SCREE_INLINE static Double8 Eigenvalue1(const Shape&) { return Double8{} + 1.0; }
  SCREE_INLINE static Double8 Eigenvalue2(const Shape&) { return Double8{} + 1.0; }

  /// @param inverse_nn  1/Aₙₙ
  SCREE_INLINE static Solved8 Solve(const Shape& shape, const LaneKinds& kinds,
                                    const Double8& inverse_nn, const std::array<Double8, 2>& g,
                                    const Double8& mu, const Rhs8& rhs);
};

SCREE_INLINE LaneKinds WideKernel<ContactLaw::kMaxDissipation>::SetUp(const Block8& a,
                                                                      const Double8& mu,
                                                                      TangentBasis8& basis,
                                                                      std::array<Double8, 2>& g,
                                                                      Shape& shape) {
  const Double8 zero = {};
  const Reduced8 reduced = Reduce(a);
  const auto& [inverse_nn, gt, go, tt, to, oo, det, p, q, r] = reduced;
  const Double8 mu2 = mu * mu;
  // M = L⁻¹ Q L⁻ᵀ and the rotation that makes it diagonal.
  const Double8 u1 = p * gt, u2 = Fma(q, gt, r * go);
  const Double8 m11 = Fnma(mu2 * u1, u1, p * p);
  const Double8 m12 = Fnma(mu2 * u1, u2, p * q);
  const Double8 m22 = Fnma(mu2 * u2, u2, Fma(q, q, r * r));
  const Double8 mean = 0.5 * (m11 + m22), half = 0.5 * (m11 - m22);
  const Double8 radius = Sqrt(Fma(half, half, m12 * m12));
  const Direction8 e2 = MajorEigenvector(half, m12, radius);
  // The larger eigenvalue is a sum of terms of equal sign; the other one follows from det M.
  const Double8 det_m = internal::DeterminantOfQ(a, mu, inverse_nn) / det;
  const Double8 size = Select(mean < zero, mean - radius, mean + radius);
  const Double8 other = det_m / size;
  const Double8 l1 = Select(mean < zero, size, other), l2 = Select(mean < zero, other, size);

  const Double8 signed_g1 = Fms(e2.s, u1, e2.c * u2);
  const Double8 sign = Select(signed_g1 < zero, zero - 1.0, zero + 1.0);
  const Double8 e1_t = sign * e2.s, e1_o = -sign * e2.c;
  basis = {Fma(p, e1_t, q * e1_o), r * e1_o, Fma(p, e2.c, q * e2.s), r * e2.s};
  g[0] = sign * signed_g1;
  g[1] = Fma(e2.c, u1, e2.s * u2);

  const Double8 k1 = mu2 * g[0] * inverse_nn, k2 = mu2 * g[1] * inverse_nn;
  const Double8 w2 = k2 / l2;
  const Double8 limit_scale = mu * inverse_nn;
  const Double8 e = limit_scale / Sqrt(det * l2);
  shape.kappa = l1 / l2;
  shape.rho = e / l2;
  shape.inverse_rho = l2 / e;
  shape.z1 = Fma(limit_scale, limit_scale, k2 * w2) / (e + k1);
  shape.w2 = w2;

  const Int8 is_frictionless = mu == zero;
  const Int8 is_isotropic = IsIsotropic(a) | is_frictionless;
  shape.rho = Select(is_frictionless, zero, shape.rho);
  LaneKinds kinds;
  kinds.isotropic = Bits(is_isotropic);
  const Int8 fits = ~IsIllConditioned(a, reduced) & (mu >= zero) &
                    ((mu <= zero + kMaxFriction) | is_isotropic) &
                    (is_frictionless | ((l2 > zero) & (shape.inverse_rho > zero)));
  kinds.scalar_lanes = Bits(~fits);
  return kinds;
}

SCREE_INLINE Solved8 WideKernel<ContactLaw::kMaxDissipation>::Solve(
    const Shape& shape, const LaneKinds& kinds, const Double8& inverse_nn,
    const std::array<Double8, 2>& g, const Double8&, const Rhs8& rhs) {
  const Double8 zero = {};
  const auto& [b_n, b1, b2] = rhs;
  Double8 y1 = b1, y2 = b2;
  constexpr unsigned kAll = 0xff;
  unsigned scalar_lanes = 0;
  if (kinds.isotropic != kAll) {
    const Double8 inverse_b = 1.0 / b_n;
    const Double8 px = Fnma(b1, inverse_b, shape.z1) * shape.inverse_rho;
    const Double8 py = Fma(b2, inverse_b, shape.w2) * shape.inverse_rho;
    const Int8 sticks = (px >= zero) & (py * py <= px * Fnma(shape.kappa, px, zero + 2.0));
    // At bₙ = 0 the solution is zero if the section is closed.
    const Int8 is_closing = b_n > zero;
    Int8 slips = ~sticks & is_closing;
    if ((kinds.isotropic | kinds.scalar_lanes) != 0) {
      slips = slips & ~MaskOf(kinds.isotropic | kinds.scalar_lanes);
    }
    scalar_lanes = Bits(~is_closing & ~(b_n < zero) & ~((b_n == zero) & (shape.kappa > zero)));
    constexpr double kLarge = 1e300;
    scalar_lanes |= Bits(~(b_n < zero + kLarge) | IsTooSlow(rhs));
    if (Bits(slips) != 0) {
      const ClosestPoint8 point = FindClosestPoint(px, py, shape.kappa, slips);
      y1 = Select(slips, b_n * Fnma(shape.rho, point.x, shape.z1), b1);
      y2 = Select(slips, b_n * Fms(shape.rho, point.y, shape.w2), b2);
      scalar_lanes |= Bits(point.failed & slips);
    }
  }
  if (kinds.isotropic != 0) {
    const Double8 limit = shape.rho * b_n;
    const Double8 squared = Fma(b1, b1, b2 * b2);
    const Double8 scale = Select(squared > limit * limit, limit * InverseSqrt(squared), zero + 1.0);
    if (kinds.isotropic == kAll) {
      y1 = scale * b1;
      y2 = scale * b2;
    } else {
      const Int8 is_isotropic = MaskOf(kinds.isotropic);
      y1 = Select(is_isotropic, scale * b1, y1);
      y2 = Select(is_isotropic, scale * b2, y2);
    }
    scalar_lanes &= ~kinds.isotropic;
  }
  const Int8 is_closing = b_n > zero;
  Solved8 solved;
  const Double8 x_n = Fnma(g[0], y1, Fnma(g[1], y2, b_n * inverse_nn));
  solved.x = {Select(is_closing, x_n, zero), Select(is_closing, y1, zero),
              Select(is_closing, y2, zero)};
  solved.scalar_lanes = scalar_lanes | kinds.scalar_lanes;
  return solved;
}

}  // namespace scree
