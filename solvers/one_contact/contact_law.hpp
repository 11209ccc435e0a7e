/// \file  One relaxation of a contact by the law of the user's choice.
#pragma once

#include "solvers/one_contact/coulomb.hpp"
#include "solvers/one_contact/max_dissipation.hpp"

namespace scree {

/// Solves a contact by one of the laws. If Coulomb's law has several solutions, returns the most
/// dissipative.
/// @pre A symmetric positive definite, all finite, 0 ≤ μ
inline OneContactSolution SolveOneContact(const OneContact& contact, ContactLaw law) {
  return law == ContactLaw::kCoulomb ? SolveCoulomb(contact) : SolveMaxDissipation(contact);
}

}  // namespace scree
