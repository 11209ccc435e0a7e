/// \file  Finds all impulses of a single contact that satisfy Signorini's and Coulomb's laws.
#pragma once

#include <array>

#include "solvers/one_contact/one_contact.hpp"

namespace scree {

/// All solutions of one contact in the order of increasing energy: the first is the most
/// dissipative.
struct CoulombSolutions {
  // At most a stick, a zero solution and four slips.
  std::array<OneContactSolution, 6> values;
  int count = 0;

  const OneContactSolution* begin() const { return values.data(); }
  const OneContactSolution* end() const { return values.data() + count; }
};

/// Finds the impulses x with ‖x_to‖ ≤ μ xₙ, 0 ≤ xₙ ⊥ vₙ ≥ 0, ‖v_to‖ x_to = −μ xₙ v_to: slip opposes
/// the friction impulse. Slips are the real roots of a quartic (Bonnefon & Daviet, Quartic
/// formulation of Coulomb 3D frictional contact, 2011), here on the conic section of
/// solvers/one_contact/conic_section.hpp.
///
/// A colliding contact (bₙ > 0) has an odd number of solutions, nearly always one. As for maximum
/// dissipation, a separating contact (bₙ < 0) gets no impulse (aₙ⋅x ≥ 0 in OneContact), although
/// Painlevé's paradox would allow one. At bₙ = 0 the zero impulse is always a solution. The only
/// case with a whole family of solutions is in solvers/one_contact/grazing.hpp.
/// @pre A symmetric positive definite, all finite, 0 ≤ μ
CoulombSolutions FindCoulombSolutions(const OneContact& contact);

/// Returns the solution that a sweep uses: the one that dissipates most.
///
/// The choice must depend only on the contact; otherwise a sweep would depend on history. The
/// minimum of energy prefers stick to slip, as Coulomb's law for accelerations does. It is also the
/// choice that the maximum dissipation principle makes among these solutions. A sweep then loses as
/// much energy as Coulomb's law allows.
OneContactSolution SolveCoulomb(const OneContact& contact);

}  // namespace scree
