/// \file  The step that one relaxation takes, shortened where several correct a body at once
///        (under-relaxation).
#pragma once

#include <algorithm>

#include "solvers/scheme.hpp"
#include "solvers/solver_parameters.hpp"
#include "solvers/types.hpp"

namespace scree {

/// Local weights: κ ≥ 1, the factor by which a contact's step is shortened where other ranks
/// correct its bodies in the same sweep, so that the sum of the corrections does not overshoot. The
/// sufficient bound for frictionless contacts has 1 in place of kForward. With 0.55 spheres of like
/// size converged faster, on 2 to 27 subdomains and random partitions; small ones among large ones
/// can diverge (performance.md, Local weights). With sweeps to and fro it diverges, slowly, on a
/// settled packing on 2 to 16 ranks.
inline double SharingFactor(Order order, double weight_a, double weight_b, Index elsewhere_a,
                            Index elsewhere_b) {
  constexpr double kForward = 0.55, kSymmetric = 1.0;
  const double sharing = order == Order::kSymmetric ? kSymmetric : kForward;
  const double others = (elsewhere_a * weight_a + elsewhere_b * weight_b) / (weight_a + weight_b);
  return std::max(1.0, 0.5 * (1.0 + sharing * others));
}

/// 1/(κ A) with A the sum of the weights, those of w for Aₙₙ or those of A_w for an additional
/// law, by which the scheme divides the step so that simultaneous corrections of one body do not
/// overshoot.
/// @param count_a, count_b  by SchemeNeeds::count
/// @param elsewhere  how many times contacts elsewhere count (AdditionalLaw)
inline double EffectiveMass(const SolverParameters& solver, double weight_a, double weight_b,
                            Index count_a, Index count_b, Index elsewhere = 1) {
  // Below 2 is sufficient without friction.
  constexpr double kJacobi = 1.9;
  const double counted = count_a * weight_a + count_b * weight_b;
  const BodyCount count = NeedsOf(solver).count;
  if (count == BodyCount::kContacts) return kJacobi / counted;
  if (count == BodyCount::kRanks) return 1.0 / counted;
  const double kappa =
      SharingFactor(solver.order, weight_a, weight_b, elsewhere * count_a, elsewhere * count_b);
  return 1.0 / (kappa * (weight_a + weight_b));
}

}  // namespace scree
