/// \file  The step that one relaxation takes, shortened where several correct a body at once
///        (under-relaxation).
#pragma once

#include <algorithm>

#include "solvers/base/types.hpp"
#include "solvers/sweeps/solver_parameters.hpp"

namespace scree {

/// Local weights: κ ≥ 1, the factor by which a contact's step is shortened where other ranks
/// correct its bodies in the same sweep, so that the sum of the corrections does not overshoot:
///
///     κ = max(1, h [1 + (c_a n_a w_a + c_b n_b w_b)/w]),   w = w_a + w_b,   h = (1 + 2β)/(2 + 2β),
///
/// n being the contacts of the body elsewhere, and h = ½ without momentum β. c = 1 is sufficient
/// without friction, and needed by a light body among heavy ones: its k contacts multiply its
/// velocity by 1 − k/κ in a sweep, in the worst direction, which must not be below −1/(1 + 2β)
/// (momentum). Spheres of like size, which give way to each other, converge with 0.55, and faster
/// (performance.md, Local weights). So c grows with the body's share of w, from 0.55 if it is no
/// lighter than its partner to 1 against a wall. With momentum c = 1 for all: with 0.55 it
/// diverges, within some tens of sweeps.
/// @param times  how many times contacts elsewhere count; if more than once, that serves light
///               bodies too
inline double SharingFactor(const SolverParameters& solver, double weight_a, double weight_b,
                            Index elsewhere_a, Index elsewhere_b, Index times = 1) {
  constexpr double kLike = 0.55, kLight = 1.0;
  const double momentum = solver.ActingMomentum();
  const double c = momentum > 0.0 && times == 1 ? kLight : kLike;
  const double half = (1.0 + 2.0 * momentum) / (2.0 + 2.0 * momentum);
  const double sum = weight_a + weight_b;
  const double a = times * elsewhere_a * weight_a, b = times * elsewhere_b * weight_b;
  const auto lightness = [&](double weight) {
    return times > 1 ? 0.0 : std::max(0.0, 2.0 * weight / sum - 1.0);
  };
  const double light = a * lightness(weight_a) + b * lightness(weight_b);
  return std::max(1.0, half * (1.0 + c * ((a + b) / sum) + (kLight - c) * (light / sum)));
}

/// 1/(κ A) with A the sum of the weights, those of w for Aₙₙ or those of A_w for an additional
/// law, by which the scheme divides the step so that simultaneous corrections of one body do not
/// overshoot.
///
/// Jacobi: min(1/A, 1.9/(n_a w_a + n_b w_b)), n being all contacts of the body. The second alone is
/// sufficient for convergence without friction, which needs less than 2; but it over-relaxes a
/// contact by itself, whose errors then change their sign in each sweep and shrink by a tenth only:
/// after a few sweeps impacts are far off.
/// @param count_a, count_b  contacts of the bodies elsewhere; of Jacobi all (SchemeRequirements)
/// @param times  how many times contacts elsewhere count (AdditionalLaw)
inline double EffectiveMass(const SolverParameters& solver, double weight_a, double weight_b,
                            Index count_a, Index count_b, Index times = 1) {
  constexpr double kJacobi = 1.9;
  if (solver.scheme == Scheme::kJacobi) {
    const double counted = count_a * weight_a + count_b * weight_b;
    return std::min(1.0 / (weight_a + weight_b), kJacobi / counted);
  }
  const double kappa = SharingFactor(solver, weight_a, weight_b, count_a, count_b, times);
  return 1.0 / (kappa * (weight_a + weight_b));
}

}  // namespace scree
