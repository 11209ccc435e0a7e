/// \file  The maximally dissipative impulse of a single contact, for any block A, analytically.
#pragma once

#include "solvers/one_contact/one_contact.hpp"

namespace scree {

/// Returns the unique impulse that removes the most kinetic energy without adhesion, without
/// penetration, and within the friction cone. Decision tree of Preclik, Eibl & Rüde, The maximum
/// dissipation principle in rigid-body dynamics with purely inelastic impacts, figure 5:
///
///     separating (bₙ < 0) | frictionless (μ = 0) | stick (A⁻¹⋅b in the cone)
///     | bₙ = 0: point, or one of two rays | slip: the least energy on a conic section (a quartic)
///
/// For bₙ = 0 we evaluate both rays instead of choosing by equation (9), because its test in the
/// Euclidean metric picks the wrong ray for some A (solvers/README.md).
///
/// Exact in scale: A → sA, b → tb gives x → (t/s)x. No allocation.
/// @pre A symmetric positive definite, all finite, 0 ≤ μ
OneContactSolution SolveMaxDissipation(const OneContact& contact);

}  // namespace scree
