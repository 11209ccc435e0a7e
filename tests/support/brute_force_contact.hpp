/// \file  The minimum energy of a single contact by direct minimisation: slow, independent,
///        reliable.
#pragma once

#include "solvers/one_contact/one_contact.hpp"

namespace scree::test {

/// Minimum of E on the plane of maximum compression. There E is a convex function of (x_t, x_o) on
/// a convex set. With the t axis along (A_nt, A_no) the set is |x_o| ≤ w(x_t). The best x_o for a
/// given x_t is the clamped vertex of a parabola. The remaining function is convex in x_t; golden
/// section minimises it in extended precision. No quartic, angle or Lagrange multiplier is used.
/// @pre b_n ≥ 0, μ ≥ 0
long double MinEnergyByBruteForce(const OneContact& contact);

/// λ_max / λ_min of A.
double ConditionNumber(const Mat3& a);

}  // namespace scree::test
