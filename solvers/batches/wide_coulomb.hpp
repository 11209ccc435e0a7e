/// \file  The impulses of eight contacts by Coulomb's law, for any blocks A.
///
/// In the basis of solvers/batches/kernel_state.hpp with t₁ and t₂ the principal axes of Â, a slip
/// with velocity −σ y, σ ≥ 0, has
///
///     yₖ(σ) = b̂ₖ/(aₖ + σ),   h(σ) = ‖y‖ + μ g⋅y = μ bₙ/Aₙₙ.
///
/// 1/h is nearly linear in σ. Newton's method for 1/h starts at the σ where the sum of the first
/// two terms of the expansion of 1/h at σ = ∞ is Aₙₙ/(μ bₙ). If
///
///     μ ‖g‖ < 2 √(a₁ a₂)/(a₁ + a₂)
///
/// h is monotone: d‖y‖/dσ = −y⋅D y/‖y‖ and dy/dσ = −D y with D = diag(1/(aₖ + σ)). By Kantorovich's
/// inequality the cosine of the angle between y and D y is at least the right-hand side with aₖ + σ
/// in place of aₖ. This bound is smallest at σ = 0. The root is then the only slip, and stick is
/// the only alternative. Contacts without this certificate (the inequality) go to the one-contact
/// kernel, which finds all solutions (solvers/one_contact/coulomb.hpp).
#pragma once

#include "solvers/batches/wide_kernel.hpp"

namespace scree {

template <>
struct WideKernel<ContactLaw::kCoulomb> {
  using Shape = CoulombShape;

  SCREE_INLINE static LaneKinds SetUp(const Block8& a, const Double8& mu, TangentBasis8& basis,
                                      std::array<Double8, 2>& g, Shape& shape);
  SCREE_INLINE static Double8 Eigenvalue1(const Shape& shape) { return shape.a1; }
  SCREE_INLINE static Double8 Eigenvalue2(const Shape& shape) { return shape.a2; }
  SCREE_INLINE static Solved8 Solve(const Shape& shape, const LaneKinds& kinds,
                                    const Double8& inverse_nn, const std::array<Double8, 2>& g,
                                    const Double8& mu, const Rhs8& rhs);

 private:
  /// Computes y of the given lanes, which slip.
  /// @param radius  μ bₙ/Aₙₙ
  /// @returns lanes that did not converge
  SCREE_INLINE static Int8 Slip(const Shape& shape, const std::array<Double8, 2>& g,
                                const Double8& mu, const Double8& radius, const Int8& lanes,
                                const Rhs8& rhs, Double8& y1, Double8& y2);
};

SCREE_INLINE LaneKinds WideKernel<ContactLaw::kCoulomb>::SetUp(const Block8& a, const Double8& mu,
                                                               TangentBasis8& basis,
                                                               std::array<Double8, 2>& g,
                                                               Shape& shape) {
  const Double8 zero = {};
  const Reduced8 reduced = Reduce(a);
  const Double8 mean = 0.5 * (reduced.tt + reduced.oo), half = 0.5 * (reduced.tt - reduced.oo);
  const Double8 radius = Sqrt(Fma(half, half, reduced.to * reduced.to));
  const Direction8 first = MajorEigenvector(half, reduced.to, radius);
  basis = {first.c, first.s, -first.s, first.c};
  g[0] = Fma(first.c, reduced.gt, first.s * reduced.go);
  g[1] = Fms(first.c, reduced.go, first.s * reduced.gt);
  shape.a1 = mean + radius;
  shape.a2 = reduced.det / shape.a1;
  shape.inverse_a1 = 1.0 / shape.a1;
  shape.inverse_a2 = 1.0 / shape.a2;

  const Double8 mu_g2 = mu * mu * Fma(g[0], g[0], g[1] * g[1]);
  const Double8 sum = shape.a1 + shape.a2;
  const Int8 is_certified = mu_g2 * sum * sum < 4.0 * (shape.a1 * shape.a2);
  const Int8 is_isotropic = IsIsotropic(a) | (mu == zero);
  const Int8 fits =
      ~IsIllConditioned(a, reduced) & (mu >= zero) & ((mu <= zero + kMaxFriction) | is_isotropic);
  LaneKinds kinds;
  kinds.isotropic = Bits(is_isotropic);
  kinds.scalar_lanes = Bits(~fits);
  kinds.scalar_if_slipping = Bits(~is_certified) & ~kinds.isotropic;
  return kinds;
}

SCREE_INLINE Int8 WideKernel<ContactLaw::kCoulomb>::Slip(const Shape& shape,
                                                         const std::array<Double8, 2>& g,
                                                         const Double8& mu, const Double8& radius,
                                                         const Int8& lanes, const Rhs8& rhs,
                                                         Double8& y1, Double8& y2) {
  constexpr int kSteps = 12;          // typically 4 are needed
  constexpr double kLastStep = 1e-8;  // the next step squares the error
  const Double8 zero = {}, one = zero + 1.0;
  const auto& [b_n, b1, b2] = rhs;
  const Double8 mu1 = mu * g[0], mu2 = mu * g[1];
  // h = h₀/σ − h₁/σ² + ...
  const Double8 squared = Fma(b1, b1, b2 * b2);
  const Double8 c1 = shape.a1 * b1, c2 = shape.a2 * b2;
  const Double8 inverse_b = InverseSqrt(squared);
  const Double8 h0 = Fma(squared, inverse_b, Fma(mu1, b1, mu2 * b2));
  const Double8 h1 = Fma(Fma(c1, b1, c2 * b2), inverse_b, Fma(mu1, c1, mu2 * c2));
  const Double8 inverse_radius = 1.0 / radius;
  Double8 sigma = Fms(h0, inverse_radius, h1 / h0);
  sigma = Select(sigma > zero, sigma, zero);
  Int8 unconverged = lanes;
  for (int step = 0; step < kSteps && Bits(unconverged) != 0; ++step) {
    const Double8 s1 = shape.a1 + sigma, s2 = shape.a2 + sigma;
    const Double8 inverse = 1.0 / (s1 * s2);
    const Double8 d1 = s2 * inverse, d2 = s1 * inverse;
    const Double8 x1 = b1 * d1, x2 = b2 * d2;    // y
    const Double8 x1d = x1 * d1, x2d = x2 * d2;  // −dy/dσ
    const Double8 norm2 = Fma(x1, x1, x2 * x2);
    const Double8 inverse_norm = InverseSqrt(norm2);
    const Double8 h = Fma(norm2, inverse_norm, Fma(mu1, x1, mu2 * x2));
    const Double8 minus_slope = Fma(Fma(x1, x1d, x2 * x2d), inverse_norm, Fma(mu1, x1d, mu2 * x2d));
    const Double8 next = Fma(Fms(h, inverse_radius, one), h / minus_slope, sigma);
    const Double8 bounded = Select(next < zero, zero, next);
    const Double8 change = Abs(bounded - sigma);
    sigma = Select(unconverged, bounded, sigma);
    unconverged = unconverged & ~(change <= kLastStep * (shape.a2 + sigma));
  }
  const Double8 s1 = shape.a1 + sigma, s2 = shape.a2 + sigma;
  y1 = b1 / s1;
  y2 = b2 / s2;
  return unconverged;
}

SCREE_INLINE Solved8 WideKernel<ContactLaw::kCoulomb>::Solve(const Shape& shape,
                                                             const LaneKinds& kinds,
                                                             const Double8& inverse_nn,
                                                             const std::array<Double8, 2>& g,
                                                             const Double8& mu, const Rhs8& rhs) {
  const Double8 zero = {};
  const auto& [b_n, b1, b2] = rhs;
  constexpr unsigned kAll = 0xff;
  const Double8 free_n = b_n * inverse_nn;
  const Double8 radius = mu * free_n;
  Double8 y1 = b1 * shape.inverse_a1, y2 = b2 * shape.inverse_a2;  // stick
  const Int8 is_closing = b_n > zero;
  unsigned scalar_lanes = 0;
  if (kinds.isotropic != kAll) {
    const Double8 limit = mu * Fnma(g[0], y1, Fnma(g[1], y2, free_n));
    const Double8 squared = Fma(y1, y1, y2 * y2);
    const Int8 sticks = (limit >= zero) & (squared <= limit * limit);
    scalar_lanes = Bits(~is_closing & ~(b_n < zero)) & ~kinds.isotropic;
    // At bₙ = 0, the only solution of a section with the certificate is zero.
    scalar_lanes &= ~Bits(b_n == zero) | kinds.scalar_if_slipping;
    // Excludes squares that overflow or vanish.
    constexpr double kSmall = 1e-280, kLarge = 1e280;
    const Double8 size = Fma(b_n, b_n, Fma(b1, b1, b2 * b2));
    const Int8 is_in_range = (size > zero + kSmall) & (size < zero + kLarge);
    scalar_lanes |= Bits((is_closing & ~is_in_range) | IsTooSlow(rhs)) & ~kinds.isotropic;
    Int8 slips = ~sticks & is_closing;
    scalar_lanes |= Bits(slips) & kinds.scalar_if_slipping;
    const unsigned others = kinds.isotropic | kinds.scalar_lanes | kinds.scalar_if_slipping;
    if (others != 0) slips = slips & ~MaskOf(others);
    if (Bits(slips) != 0) {
      Double8 slip1, slip2;
      scalar_lanes |= Bits(Slip(shape, g, mu, radius, slips, rhs, slip1, slip2) & slips);
      y1 = Select(slips, slip1, y1);
      y2 = Select(slips, slip2, y2);
    }
  }
  if (kinds.isotropic != 0) {
    // a₁ = a₂: y is shortened to the circle, which is a point if μ = 0.
    const Double8 squared = Fma(y1, y1, y2 * y2);
    const Int8 is_outside = squared > radius * radius;
    const Int8 is_shortened =
        kinds.isotropic == kAll ? is_outside : is_outside & MaskOf(kinds.isotropic);
    const Double8 scale = Select(is_shortened, radius * InverseSqrt(squared), zero + 1.0);
    y1 = scale * y1;
    y2 = scale * y2;
  }
  Solved8 solved;
  const Double8 x_n = Fnma(g[0], y1, Fnma(g[1], y2, free_n));
  solved.x = {Select(is_closing, x_n, zero), Select(is_closing, y1, zero),
              Select(is_closing, y2, zero)};
  solved.scalar_lanes = scalar_lanes | kinds.scalar_lanes;
  return solved;
}

}  // namespace scree
