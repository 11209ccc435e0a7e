/// \file  A Hertz-type spring with a linear damper, and the damping that gives a restitution.
///
/// Source: equations (7)-(8), (20)-(57) of the paper "An analytical approximation of the optimal
/// linear damping of a Hertz-type contact"; see apps/single/README.md for the reference. The
/// contact force is
///
///     f = k δⁿ + c dδ/dt,   m d²δ/dt² = −f,   δ(0) = 0, dδ/dt(0) = v.
///
/// The bodies separate when f = 0, before the damper could pull. With the scales of (34), the only
/// remaining parameter is c̄ = c/[k vⁿ⁻¹ mⁿ]^(1/(n+1)). Every result for given m, k, v therefore
/// follows from the result for m = k = v = 1.
#pragma once

namespace scree::impact {

/// An impact on such a contact.
struct LinearDampingImpact {
  double n = 1.5;          // exponent of the spring, 1 ≤ n ≤ 2 [-]
  double mass = 1.0;       // effective mass m, > 0 [kg]
  double stiffness = 1.0;  // k, > 0 [N/mⁿ]
  double speed = 1.0;      // approach speed v, > 0 [m/s]
};

/// @throws InputError naming the parameter that is out of range
void CheckImpact(const LinearDampingImpact& impact);

/// [k vⁿ⁻¹ mⁿ]^(1/(n+1)): the scale of the optimal damping c_opt, (34) [kg/s].
double DampingScale(const LinearDampingImpact& impact);

/// The restitution e for the damping c ≥ 0, (22), by integration; for n = 1 by (55).
/// @throws InputError
double RestitutionOfDamping(const LinearDampingImpact& impact, double damping);

/// The damping c that gives the restitution e, 0 < e ≤ 1: the solution of (23), with a relative
/// error below 1e-10 [kg/s].
/// @throws InputError for e = 0, which would require infinite damping, and for e below 1e-12
///         (1e-300 if n = 1), which is not computed
double OptimalDamping(const LinearDampingImpact& impact, double restitution);

/// The fit (49) to OptimalDamping: α (e^β − 1) times DampingScale [kg/s]. The restitution that this
/// damping gives differs from e by at most 3.4e-3.
/// @throws InputError unless 0 < e ≤ 1
double FittedDamping(const LinearDampingImpact& impact, double restitution);

/// The fitted α(n) of (46) and β(n) of (47); β is negative [-].
double DampingAlpha(double n);
double DampingBeta(double n);

/// (27): δ_m, the largest compression of the spring alone [m].
double MaxPenetration(const LinearDampingImpact& impact);

/// (33): upper bound of the damping that gives e [kg/s].
double DampingBound(const LinearDampingImpact& impact, double restitution);

/// (51): the deformation that remains when the bodies separate [m]. The damping may also be an
/// approximation of c_opt.
double SeparationDeformation(const LinearDampingImpact& impact, double damping, double restitution);

/// (55) for n = 1 and the damping ratio ξ = c/(2 √(km)) ≥ 0 [-]. Deviates from the paper for ξ > 1:
/// the printed exponent 2ξ√(ξ²−1)/(2ξ²−1) makes e jump to 1 at ξ = 1, but solving (54) gives
/// ξ/√(ξ²−1). At ξ = 1, e = exp(−2).
double RestitutionOfDampingRatio(double ratio);

/// The inverse of RestitutionOfDampingRatio, for 1e-300 ≤ e ≤ 1 [-].
double DampingRatioOf(double restitution);

}  // namespace scree::impact
