/// \file  Computes the constants of the laws in viscoelastic.hpp from measured restitutions.
#pragma once

#include "solvers/restitution/viscoelastic.hpp"

namespace scree::impact {

/// The dissipation γ for which an impact under the load g̃ has the restitution e.
/// @param restitution  e, above 0 and below 1
/// @throws InputError
double DissipationOf(const ContactModel& model, double restitution, double load = 0.0);

/// The dissipation with units, γ₀ of (1), from e at one speed. `constants.dissipation` is not used.
/// @throws InputError
double PhysicalDissipation(const ContactModel& model, const ContactConstants& constants,
                           double speed, double restitution);

/// One measurement.
struct MeasuredRestitution {
  double speed = 1.0;        // [m/s], > 0
  double restitution = 0.5;  // in ]0, 1[
};

/// The exponent β for which the law with a spring of exponent α fits both measurements. Without
/// load, γ is proportional to v^((2β − α − 1)/(α + 1)), so restitution falls with the speed for
/// β > (α + 1)/2.
/// @throws InputError if the speeds are equal or no β from 1 to 10 fits
double DissipationExponent(double alpha, const ContactConstants& constants,
                           const MeasuredRestitution& first, const MeasuredRestitution& second);

}  // namespace scree::impact
