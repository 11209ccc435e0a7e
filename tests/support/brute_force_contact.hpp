/// \file  The least energy of a single contact by plain minimisation: slow, independent, right.
#pragma once

#include "solvers/one_contact/one_contact.hpp"

namespace scree::test {

/// On the plane of maximum compression E is a convex function of (x_t, x_o) on a convex set. With
/// the t axis turned along (A_nt, A_no) the set is |x_o| ≤ w(x_t), the best x_o for a given x_t is
/// a clamped parabola's vertex, and what is left is convex in x_t: shrunk by golden section in
/// extended precision. No quartic, no angle, no Lagrange multiplier.
/// @pre b_n ≥ 0, μ ≥ 0
long double LeastEnergyByBruteForce(const OneContact& contact);

/// λ_max / λ_min of A.
double ConditionNumber(const Mat3& a);

}  // namespace scree::test
