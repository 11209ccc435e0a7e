/// \file  The velocity at which a Hunt-Crossley impact releases: exact, and by the nonlocal
///        approximation of Papetti, Avanzini & Rocchesso (see hunt_crossley.hpp).
///
/// v_out = −E(u) v_in, where the restitution coefficient E depends only on u = μ v_in.
#pragma once

#include <vector>

namespace scree::impact {

/// E(u), exact. y = −u E solves y − log(1 + y) = u − log(1 + u), equation (6), hence
///
///     y = −1 − W₀(−(1 + u) exp(−(1 + u))),   W₀ the principal branch of Lambert's function.
///
/// Near the branch point u = 0 the argument of W₀ loses half of the digits, so y comes from its
/// series (33). Below u = 1, a Newton step on (6), evaluated without cancellation, improves y from
/// either source.
/// @param u  μ v_in, ≥ 0 [-]
double RestitutionCoefficient(double u);

/// The approximation (7) of order n,
///
///     μ ṽ_out = −(1 − Σ bⱼ uʲ e^(−2u)),   j = 0 … n,
///
/// where the recursion (38) gives bⱼ such that the Taylor series of ṽ_out and v_out agree up to uⁿ.
class OutboundApproximation {
 public:
  static constexpr int kPaperOrder = 4;
  static constexpr int kMaxOrder = 20;

  /// @throws InputError unless 1 ≤ order ≤ kMaxOrder
  explicit OutboundApproximation(int order = kPaperOrder);

  /// Ẽ(u) [-]. @param u  μ v_in, ≥ 0
  double Restitution(double u) const;

  /// ṽ_out/v_out − 1 [-]
  double RelativeError(double u) const;

  /// The position and value of the largest error.
  struct Extremum {
    double u = 0.0;
    double error = 0.0;  // relative
  };
  Extremum MaxError() const;

  /// The error is within the threshold for all u ≤ `below` and for all u ≥ `above`. If the
  /// error is within it for every u, `below` is ∞ and `above` is 0.
  struct Range {
    double below = 0.0;
    double above = 0.0;

    bool Contains(double u) const { return u <= below || u >= above; }
  };
  /// @param threshold  largest |relative error|
  /// @throws InputError unless 0 < threshold ≤ 1
  Range RangeWithin(double threshold) const;

  /// bⱼ in units of μʲ, j = 0 … order; (8) has those of order 4.
  const std::vector<double>& coefficients() const { return b_; }

 private:
  std::vector<double> b_;
};

/// Element [j] is aⱼ of the Taylor series (30) of μ v_out in u, j = 1 … order; [0] is zero.
std::vector<double> OutboundTaylorSeries(int order);

}  // namespace scree::impact
