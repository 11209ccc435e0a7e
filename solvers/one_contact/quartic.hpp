/// \file  Real roots of quartics, and zeros of the trigonometric polynomials that they represent.
///
/// Descartes' rule of signs on Bernstein coefficients isolates the roots. Intervals are bisected
/// until each contains one root, which a bracketed Newton iteration then polishes. A closed formula
/// (Ferrari) was rejected: it loses half the digits if roots coincide or a leading coefficient
/// vanishes, and is slower than a search of the intervals that can contain roots.
#pragma once

#include <array>

namespace scree {

/// g(τ) = g[0] + g[1] τ + g[2] τ² + g[3] τ³ + g[4] τ⁴; leading coefficients may vanish.
using Quartic = std::array<double, 5>;

/// Roots in no particular order. A multiple root appears once, or as several roots very close
/// together.
template <int Capacity>
struct RootList {
  std::array<double, Capacity> values{};
  int count = 0;

  void Add(double value) {
    if (count < Capacity) values[static_cast<std::size_t>(count++)] = value;
  }
  const double* begin() const { return values.data(); }
  const double* end() const { return values.data() + count; }
};

/// Returns the roots of g in [0, length[, polished to rounding; small roots to full relative
/// precision. The zero polynomial has none.
/// @pre 0 < length ≤ 2
RootList<4> RootsInInterval(const Quartic& g, double length);

/// Returns the angles α in ]−π, π] at which
///
///     p₀ + p₁ cos α + q₁ sin α + p₂ cos 2α + q₂ sin 2α = 0.
///
/// With y = e^{iα} they are the roots on the unit circle of the complex quartic
/// (p₂−iq₂) y⁴ + (p₁−iq₁) y³ + 2p₀ y² + (p₁+iq₁) y + (p₂+iq₂) = 0
/// (Preclik, Eibl & Rüde, The maximum dissipation principle in rigid-body dynamics with purely
/// inelastic impacts, equation (8)); u = tan(α/2) maps the circle to the real line, u = ∞ included.
RootList<8> UnitCircleRoots(double p0, double p1, double q1, double p2, double q2);

}  // namespace scree
