/// \file  Three formulas of Papetti, Avanzini & Rocchesso (see hunt_crossley.hpp) just as printed,
///        to count their operations. They lose digits for small μ v_in; hunt_crossley and
///        outbound_velocity do not, and are what simulations use.
#pragma once

#include "solvers/impact/hunt_crossley.hpp"
#include "solvers/impact/operation_count.hpp"

namespace scree::impact {

/// The hybrid correction: x(v), equation (3) [m].
template <class Scalar>
Scalar PrintedCompression(const BasicHuntCrossley<Scalar>& model, const Scalar& v_in,
                          const Scalar& v) {
  using std::abs, std::log, std::pow;
  const Scalar& mu = model.mu;
  return pow(model.mass * (model.alpha + 1.0) / (model.stiffness * mu * mu) *
                 (log(abs((1.0 + mu * v) / (1.0 + mu * v_in))) - mu * (v - v_in)),
             1.0 / (model.alpha + 1.0));
}

/// The constraint of the outbound velocity: (7) with (8) by Horner's rule, where μ v_in ≤ u_max,
/// else v as it is [m/s].
template <class Scalar>
Scalar PrintedConstraint(const Scalar& mu, const Scalar& v_in, const Scalar& u_max,
                         const Scalar& v) {
  using std::exp;
  const Scalar u = mu * v_in;
  if (u > u_max) return v;
  return (((((14.0 / 135.0 * u + 2.0 / 9.0) * u + 2.0 / 3.0) * u + 1.0) * u + 1.0) *
              exp(-Twice(u)) -
          1.0) /
         mu;
}

/// One step of Newton's iteration for v_out on (6) [m/s].
/// @param right  the right side μ v_in − log(1 + μ v_in) [-]
template <class Scalar>
Scalar PrintedRootStep(const Scalar& mu, const Scalar& right, const Scalar& v) {
  using std::abs, std::log;
  const Scalar y = mu * v;
  const Scalar gap = 1.0 + y;
  return v - (y - log(abs(gap)) - right) * gap / (mu * y);
}

}  // namespace scree::impact
