/// \file  The slip problem as the paper writes it, in the angle α of the friction impulse.
///
/// This form is used for figures and as an independent check. The kernels use the
/// better-conditioned form of solvers/one_contact/conic_section.hpp.
#pragma once

#include "solvers/one_contact/one_contact.hpp"
#include "solvers/one_contact/quartic.hpp"

namespace scree {

/// f_r(α) = Aₙₙ + μ (A_nt cos α + A_no sin α); the direction α is feasible where f_r > 0.
double RadialFactor(const OneContact& contact, double alpha);

/// The point x = bₙ/f_r (1, μ cos α, μ sin α) of the conic section.
Vec3 PointAtAngle(const OneContact& contact, double alpha);

/// All α at which the energy along the conic section is stationary, feasible or not: the roots of
/// equation (8) of Preclik, Eibl & Rüde.
RootList<8> StationaryAngles(const OneContact& contact);

}  // namespace scree
