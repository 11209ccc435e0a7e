/// \file  The impact of linear_damping.hpp integrated as it stands, in SI units: what the scaling
///        there is held to.
///
/// Nothing here knows that only c/[k vⁿ⁻¹ mⁿ]^(1/(n+1)) matters; m, k, v and c go into
/// m δ'' = −k δⁿ − c δ' as they are.
#pragma once

#include "solvers/impact/linear_damping.hpp"

namespace scree::impact {

/// The restitution of the damping c ≥ 0, by Runge-Kutta steps of a 4000th of an impact until the
/// force vanishes. Right to 1e-7.
/// @throws InputError as RestitutionOfDamping
/// @throws SimulationError if the contact does not end in 1e7 steps
double UnscaledRestitution(const LinearDampingImpact& impact, double damping);

/// The damping whose UnscaledRestitution is e, 0 < e < 1 [kg/s].
/// @throws InputError as OptimalDamping
double UnscaledOptimalDamping(const LinearDampingImpact& impact, double restitution);

}  // namespace scree::impact
