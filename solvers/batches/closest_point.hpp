/// \file  Finds the point of a conic section in vertex form that is closest to a given point, for
///        packets of eight.
///
/// With the vertex at the origin and half the latus rectum as unit of length, the curve
///
///     Y² = 2 X − κ X²,   X ≥ 0,   κ ≤ 1
///
/// is an ellipse (κ > 0, the vertex on its longer axis), a parabola (κ = 0) or a branch of a
/// hyperbola. A line of slope 1/v through the vertex meets it a second time at
///
///     X = v Y,   Y = 2 v/(1 + κ v²),
///
/// and the given point (px, py), py ≥ 0, lies on the normal at this (X, Y) if
///
///     f(v) = py − 2 a v − c v³ − κ² py v⁴ = 0,   a = 1 − px,   c = 4 (1 − κ) + 2 κ a.
///
/// The far half of an ellipse is mirrored onto the near half, where c ≥ 2 (1 − κ) ≥ 0: f is concave
/// for v > 0 and changes its sign once, at the root of the closest point.
#pragma once

#include "solvers/simd/simd.hpp"

namespace scree {

struct ClosestPoint8 {
  Double8 x, y;
  Int8 failed;  // not converged, not a number, or close to an asymptote
};

namespace internal {

/// Approximations within 0.2 % (RoughInverseSqrt) and 5 % (RoughCbrt), to start iterations.
SCREE_INLINE Double8 RoughInverseSqrt(const Double8& x) {
  const Double8 y = InverseSqrtGuess(x);
  return y * Fnma(0.5 * x * y, y, Double8{} + 1.5);
}
SCREE_INLINE Double8 RoughSqrt(const Double8& x) { return x * RoughInverseSqrt(x); }
/// Divides the bits of a double by three, for a first guess at its cube root. Converts the bits to
/// doubles and back, because no instruction set divides vectors of integers. The constant is that
/// of W. Kahan's cbrt.
SCREE_INLINE Double8 RoughCbrt(const Double8& x) {
  constexpr double kExact = 4503599627370496.0;  // 2⁵²: low bits of 2⁵² + k are those of integer k
  constexpr double kThird = 1.0 / 3.0, kOffset = 715094163.0;
  const Double8 exact = Double8{} + kExact;
  const Double8 high = FromBits(ShiftRight<32>(BitsOf(x)) | BitsOf(exact)) - exact;
  const Double8 third = Fma(high, Double8{} + kThird, Double8{} + kOffset) + exact;
  return FromBits(ShiftLeft<32>(BitsOf(third)));
}

SCREE_INLINE Double8 Min(const Double8& x, const Double8& y) { return Select(x < y, x, y); }

/// A first guess at the root: the smaller of the roots of py (1 − κ v²) = 2 a v and, for large v,
/// of c v³ = py. For a < 0 the cubic's py is increased by −2 a v, where v is that of the conic at
/// X = px.
SCREE_INLINE Double8 GuessSlope(const Double8& px, const Double8& py, const Double8& kappa,
                                const Double8& a, const Double8& c) {
  constexpr double kLarge = 1e100, kBeyond = 1.001;
  const Double8 zero = {}, large = zero + kLarge;
  const Double8 squared = Fma(kappa * py, py, a * a);
  const Double8 sum = a + RoughSqrt(Select(squared > zero, squared, zero));
  const Double8 near = Select(sum > zero, py / sum, large);
  const Double8 height = px * Fnma(kappa, px, zero + 2.0);
  const Double8 below = px * RoughInverseSqrt(Select(height > zero, height, zero + 1.0));
  const Double8 raised_py = Select(a < zero, Fnma(2.0 * a, below, py), py);
  const Double8 far = Select(c > zero, RoughCbrt(raised_py / c), large);
  // The root is below 1/√|κ|. A guess just below this bound would stay there, because f'(v) = 0 is
  // near, so guesses may lie slightly beyond it.
  const Double8 size = Abs(kappa);
  const Double8 end = Select(size > zero + 1e-60, kBeyond * RoughInverseSqrt(size), large);
  return Min(Min(near, far), end);
}

}  // namespace internal

/// Finds the closest point to (given_x, given_y). For κ > 0 and given_x > 1/κ it is on the far half
/// of the ellipse.
/// @pre κ ≤ 1
/// @param lanes  active lanes; the results of other lanes are undefined
SCREE_INLINE ClosestPoint8 FindClosestPoint(const Double8& given_x, const Double8& given_y,
                                            const Double8& kappa, const Int8& lanes) {
  constexpr int kSteps = 9;           // typically 3 are needed
  constexpr double kLastStep = 1e-5;  // relative change; the error after the step is about its cube
  constexpr double kAsymptote = 1e-3;  // smallest 1 + κ v²
  const Double8 zero = {};
  const Int8 is_mirrored = (given_x > zero) & (kappa * given_x > zero + 1.0);
  Double8 width = zero;
  if (Bits(is_mirrored & lanes) != 0) width = Select(is_mirrored, 2.0 / kappa, zero);
  const Double8 px = Select(is_mirrored, width - given_x, given_x);
  const Double8 py = Abs(given_y);
  const Double8 a = 1.0 - px;
  const Double8 c = Fma(2.0 * kappa, a, 4.0 - 4.0 * kappa);
  const Double8 q = kappa * kappa * py;

  Double8 v = internal::GuessSlope(px, py, kappa, a, c);
  Int8 unconverged = lanes;
  for (int step = 0; step < kSteps && Bits(unconverged) != 0; ++step) {  // Halley's method
    const Double8 qv = q * v, cv = c * v;
    const Double8 f = Fnma(Fma(Fma(qv, v, cv), v, 2.0 * a), v, py);
    const Double8 slope = Fma(Fma(-4.0 * qv, v, -3.0 * cv), v, -2.0 * a);
    const Double8 curvature = Fma(6.0 * qv, v, 3.0 * cv);  // −f''/2
    const Double8 change = f * slope / Fma(f, curvature, slope * slope);
    v = Select(unconverged, v - change, v);
    unconverged = unconverged & ~(Abs(change) <= kLastStep * v);
  }
  const Double8 d = Fma(kappa * v, v, zero + 1.0);
  const Double8 y = 2.0 * v / d;
  const Double8 x = v * y;
  ClosestPoint8 point;
  point.x = Select(is_mirrored, width - x, x);
  point.y = Select(given_y < zero, -y, y);
  point.failed = unconverged | ~(d >= zero + kAsymptote);
  return point;
}

}  // namespace scree
