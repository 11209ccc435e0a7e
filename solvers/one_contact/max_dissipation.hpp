/// \file  The maximally dissipative impulse of a single contact, for any block A, analytically.
#pragma once

#include "solvers/one_contact/one_contact.hpp"

namespace scree {

/// Returns the one impulse that takes most kinetic energy out of the contact without adhesion,
/// penetration, or leaving the friction cone. Decision tree of Preclik, Eibl & Rüde, The maximum
/// dissipation principle in rigid-body dynamics with purely inelastic impacts, figure 5:
///
///     separating (bₙ < 0) | frictionless (μ = 0) | stick (A⁻¹⋅b in the cone)
///     | bₙ = 0: point, or one of two rays | slip: the least energy on a conic section (a quartic)
///
/// On bₙ = 0 we evaluate both rays instead of choosing by equation (9), whose test in the Euclidean
/// metric picks the wrong one for some A (solvers/README.md).
///
/// Exact in scale: A → sA, b → tb gives x → (t/s)x. No allocation.
/// @pre A symmetric positive definite, all finite, 0 ≤ μ
OneContactSolution SolveMaxDissipation(const OneContact& contact);

}  // namespace scree
