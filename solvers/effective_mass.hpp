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
/// sufficient bound for frictionless contacts has 1 in place of kForward; 0.55 never diverged in
/// experiments with 2 to 27 subdomains and random partitions, and converges faster. With sweeps to
/// and fro it does diverge, slowly, on a settled packing on 2 to 16 ranks.
inline double SharingFactor(Order order, double weight_a, double weight_b, Index elsewhere_a,
                            Index elsewhere_b) {
  constexpr double kForward = 0.55, kSymmetric = 1.0;
  const double sharing = order == Order::kSymmetric ? kSymmetric : kForward;
  const double others = (elsewhere_a * weight_a + elsewhere_b * weight_b) / (weight_a + weight_b);
  return std::max(1.0, 0.5 * (1.0 + sharing * others));
}

/// 1/(κ A) with A the sum of the weights, those of w for Aₙₙ or those of A_w for rolling, by which
/// the scheme divides the step so that simultaneous corrections of one body do not overshoot.
/// @param counts  by SchemeNeeds::count
inline double EffectiveMass(const SolverParameters& solver, double weight_a, double weight_b,
                            Index count_a, Index count_b) {
  // Below 2 is sufficient without friction.
  constexpr double kJacobi = 1.9;
  const double counted = count_a * weight_a + count_b * weight_b;
  const BodyCount count = NeedsOf(solver).count;
  if (count == BodyCount::kContacts) return kJacobi / counted;
  if (count == BodyCount::kRanks) return 1.0 / counted;
  const double kappa = SharingFactor(solver.order, weight_a, weight_b, count_a, count_b);
  return 1.0 / (kappa * (weight_a + weight_b));
}

/// The same for L, with weights A_w. Rotation is pushed by friction and by L, elsewhere too: with
/// the local weights of λ, errors of bodies with one contact on either side only change their sign
/// from sweep to sweep, and grow where there are more. Found by experiment on a packing at rest
/// with μ_r = 0.2 and 1, on 2 to 16 ranks: a factor of 1 stalls, 2 diverges on 4 ranks, 4 stalls on
/// 8, 8 converges on all and as fast as one rank does.
inline double EffectiveRollingMass(const SolverParameters& solver, double weight_a, double weight_b,
                                   Index count_a, Index count_b) {
  constexpr Index kElsewhere = 8;
  const Index times = NeedsOf(solver).count == BodyCount::kContactsElsewhere ? kElsewhere : 1;
  return EffectiveMass(solver, weight_a, weight_b, times * count_a, times * count_b);
}

}  // namespace scree
