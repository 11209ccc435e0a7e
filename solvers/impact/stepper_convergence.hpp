/// \file  How the error of a method falls with its step: a part of a Hunt-Crossley impact from one
///        exact state to another, in a given number of steps.
#pragma once

#include "solvers/impact/impact_stepper.hpp"

namespace scree::impact {

/// The part of the contact between two velocities.
struct ContactPart {
  double from = 0.0;  // v of its beginning, ≤ v_in [m/s]
  double to = 0.0;    // v of its end, ≥ v_out, < from [m/s]
};

struct ConvergencePoint {
  double h = 0.0;                  // step [s]
  double compression_error = 0.0;  // |x − x(to)|/x_max at the end
  double velocity_error = 0.0;     // |v − to|/v_in at the end
};

/// The time between both states is known by quadrature, (9), so that the end state is a point on
/// the exact curve: no reference integration is needed.
/// @throws InputError if the part lies outside the contact or steps < 1
ConvergencePoint IntegratePart(const HuntCrossleyImpact& exact, const ContactPart& part,
                               ImpactMethod method, int steps);

}  // namespace scree::impact
