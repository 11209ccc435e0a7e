/// \file  Eight blocks A, one per lane, in contact frames, and what all kernels need from them:
///        the Schur complement of the normal component, and its Cholesky factor.
#pragma once

#include "solvers/one_contact/sphere_contact.hpp"
#include "solvers/simd/simd.hpp"

namespace scree {

/// Symmetric 3 × 3 matrices in contact frames (n, t, o).
struct Block8 {
  Double8 nn, nt, no, tt, to, oo;
};

/// Tangential directions of a contact, (n, t, o) orthonormal.
struct Tangents8 {
  Vector3<Double8> t, o;
};

/// The tangents of OddContactFrame (solvers/one_contact/contact_block.hpp). They change sign with
/// n, so that numbers in the frame keep their bits when bodies a and b are exchanged.
SCREE_INLINE Tangents8 TangentsOf(const Vector3<Double8>& n) {
  const Double8 zero = {}, one = zero + 1.0;
  // Uses the sign of the last component that is not zero, because zero has two signs.
  const Double8 last = Select(n.z != zero, n.z, Select(n.y != zero, n.y, n.x));
  const Double8 sign = Select(last < zero, -one, one);
  const Double8 a = -1.0 / (sign + n.z);
  const Double8 b = n.x * n.y * a;
  return {{Fma(n.x * n.x, a, sign), b, -n.x}, {b, Fma(n.y * n.y, a, sign), -n.y}};
}

/// The result of eliminating the normal component from A, which has the tangential block A_TT and
/// a_T = (A_nt, A_no).
struct Reduced8 {
  Double8 inverse_nn;  // 1/Aₙₙ
  Double8 gt, go;      // g = a_T/Aₙₙ
  Double8 tt, to, oo;  // Â = A_TT − a_T a_Tᵀ/Aₙₙ
  Double8 det;         // det Â
  // L⁻¹ = [p 0; q r], Â = L Lᵀ
  Double8 p, q, r;
};

SCREE_INLINE Reduced8 Reduce(const Block8& a) {
  Reduced8 reduced;
  reduced.inverse_nn = 1.0 / a.nn;
  reduced.gt = a.nt * reduced.inverse_nn;
  reduced.go = a.no * reduced.inverse_nn;
  reduced.tt = Fnma(reduced.gt, a.nt, a.tt);
  reduced.to = Fnma(reduced.gt, a.no, a.to);
  reduced.oo = Fnma(reduced.go, a.no, a.oo);
  reduced.p = InverseSqrt(reduced.tt);
  const Double8 l21 = reduced.to * reduced.p;
  const Double8 pivot = Fnma(l21, l21, reduced.oo);
  reduced.r = InverseSqrt(pivot);
  reduced.q = -l21 * reduced.p * reduced.r;
  reduced.det = reduced.tt * pivot;
  return reduced;
}

/// Lanes that the one-contact kernel always solves: A is not positive definite, its condition
/// number may be above 10⁴ (at 10⁴ rounding errors of impulses are up to 10⁻¹²), or a number is not
/// finite.
SCREE_INLINE Int8 IsIllConditioned(const Block8& a, const Reduced8& reduced) {
  constexpr double kWorst = 1e4;
  // tr A ⋅ tr A⁻¹, with the principal minors of second order.
  const Double8 trace = a.nn + a.tt + a.oo;
  const Double8 minors = a.nn * (reduced.tt + reduced.oo) + Fms(a.tt, a.oo, a.to * a.to);
  const Double8 zero = {};
  return ~((trace * minors <= kWorst * (a.nn * reduced.det)) & (a.nn > zero) & (reduced.tt > zero) &
           (reduced.det > zero));
}

/// Unit eigenvector (c, s) of the larger eigenvalue of a symmetric 2 × 2 matrix with mean ± half on
/// the diagonal and `off` off the diagonal.
/// @param radius  √(half² + off²)
struct Direction8 {
  Double8 c, s;
};
SCREE_INLINE Direction8 MajorEigenvector(const Double8& half, const Double8& off,
                                         const Double8& radius) {
  const Double8 zero = {}, one = zero + 1.0;
  const Int8 is_isotropic = radius <= zero;
  const Double8 cos2 = Select(is_isotropic, one, half / radius);
  const Double8 sin2 = Select(is_isotropic, zero, off / radius);
  // (c, s) = (cos θ, sin θ): the larger of the two follows from cos 2θ, then the other from sin 2θ.
  const Int8 c_is_larger = cos2 >= zero;
  const Double8 larger_squared = 0.5 + 0.5 * Select(c_is_larger, cos2, -cos2);
  const Double8 inverse = InverseSqrt(larger_squared);
  const Double8 larger = larger_squared * inverse, smaller = 0.5 * sin2 * inverse;
  return {Select(c_is_larger, larger, smaller), Select(c_is_larger, smaller, larger)};
}

}  // namespace scree
