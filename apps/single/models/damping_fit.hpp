/// \file  Least-squares fits behind the formulas (36)-(47) for the optimal linear damping.
///
/// Source: the paper of linear_damping.hpp, section 4.2.
#pragma once

#include <array>
#include <span>

namespace scree::impact {

/// y ≈ intercept + slope x.
struct LineFit {
  double intercept = 0.0, slope = 0.0;
};
/// @pre at least two different x
LineFit FitLine(std::span<const double> x, std::span<const double> y);

/// c ≈ α (e^β − 1) as a function of the restitution e, formula (45); β < 0.
struct DampingFit {
  double alpha = 0.0, beta = 0.0;
  double max_residual = 0.0;  // largest |residual|
};
/// @param e  restitutions, 0 < e ≤ 1
DampingFit FitDampingPattern(std::span<const double> e, std::span<const double> c);

/// α(n) ≈ p₀ n⁴ + p₁ n³ + p₂ n² + p₃ n + p₄, the form of (46), highest power first.
/// @pre at least five different n
std::array<double, 5> FitAlpha(std::span<const double> n, std::span<const double> alpha);

/// β(n) ≈ a n^b + c, the form of (47).
struct BetaFit {
  double a = 0.0, b = 0.0, c = 0.0;
};
BetaFit FitBeta(std::span<const double> n, std::span<const double> beta);

}  // namespace scree::impact
