/// \file  The step length of a relaxation, shortened if several contacts correct a body at the same
///        time (under-relaxation).
#pragma once

#include <algorithm>

#include "solvers/base/types.hpp"
#include "solvers/sweeps/solver_parameters.hpp"

namespace scree {

/// The factor κ ≥ 1 that shortens the step of a contact whose bodies other ranks correct in the
/// same sweep, so that the sum of the corrections does not overshoot:
///
///     κ = max(1, h [1 + (c_a n_a w_a + c_b n_b w_b)/w]),   w = w_a + w_b,
///     h = (1 + 2β)/(1 + 2β + s),
///
/// where w_a and w_b are the inverse masses of the bodies, n is the number of contacts that other
/// ranks have with a body, and β is the momentum.
/// A light body among heavy ones needs c = 1: in the worst direction its k contacts multiply its
/// velocity by 1 − k/κ in a sweep, which must not be below −s/(1 + 2β). Sweeps are stable for s =
/// 1, which is enough for contacts that open and slide. Bonds and cohesion keep all contacts
/// closed: then three spheres on two ranks keep an error that only changes its sign, and the
/// moments of bonds make it grow. So s = 0.5 if contacts may pull. For spheres of similar size c =
/// 0.55 suffices and converges faster, because each correction is shared by two bodies. So c grows
/// with the body's fraction of w, from 0.55 for a body that is not lighter than its partner to 1
/// against a wall. With momentum c = 1 for all bodies, because 0.55 diverges within tens of sweeps.
/// @param weight_a, weight_b  w_a, w_b, the inverse masses
/// @param remote_a, remote_b  n_a, n_b
/// @param remote_weight  factor of n_a and n_b; above 1, c = 0.55 suffices for all bodies
/// @param may_pull       whether contacts may pull, as bonds and cohesion do
inline double SharingFactor(const SolverParameters& solver, double weight_a, double weight_b,
                            Index remote_a, Index remote_b, Index remote_weight = 1,
                            bool may_pull = false) {
  constexpr double kSimilar = 0.55, kLight = 1.0;
  const double momentum = solver.ActiveMomentum();
  const double c = momentum > 0.0 && remote_weight == 1 ? kLight : kSimilar;
  const double h = (1.0 + 2.0 * momentum) / (1.0 + 2.0 * momentum + (may_pull ? 0.5 : 1.0));
  const double sum = weight_a + weight_b;
  const double a = remote_weight * remote_a * weight_a, b = remote_weight * remote_b * weight_b;
  const auto lightness = [&](double weight) {
    return remote_weight > 1 ? 0.0 : std::max(0.0, 2.0 * weight / sum - 1.0);
  };
  const double light = a * lightness(weight_a) + b * lightness(weight_b);
  return std::max(1.0, h * (1.0 + c * ((a + b) / sum) + (kLight - c) * (light / sum)));
}

/// 1/(κ A): the effective mass that keeps simultaneous corrections of one body from overshooting. A
/// is the sum of the weights, which are w_a and w_b for Aₙₙ, or the parts of the two bodies in A_w
/// for an additional law.
///
/// Jacobi: min(1/A, 1.9/(n_a w_a + n_b w_b)), where n counts all contacts of a body. Without
/// friction the second term alone converges, because 1.9 is less than 2. But it over-relaxes a
/// contact whose bodies have no other contact: the error changes sign in each sweep and shrinks
/// only by a tenth, so that impacts would be inaccurate after a few sweeps.
/// @param count_a, count_b  contacts that other ranks have with each body; with Jacobi all contacts
///                          of the body (SchemeRequirements)
/// @param remote_weight  factor of the contacts on other ranks (RelaxedLaw)
/// @param may_pull       as in SharingFactor
inline double EffectiveMass(const SolverParameters& solver, double weight_a, double weight_b,
                            Index count_a, Index count_b, Index remote_weight = 1,
                            bool may_pull = false) {
  constexpr double kJacobi = 1.9;
  if (solver.scheme == Scheme::kJacobi) {
    const double counted = count_a * weight_a + count_b * weight_b;
    return std::min(1.0 / (weight_a + weight_b), kJacobi / counted);
  }
  const double kappa =
      SharingFactor(solver, weight_a, weight_b, count_a, count_b, remote_weight, may_pull);
  return 1.0 / (kappa * (weight_a + weight_b));
}

}  // namespace scree
