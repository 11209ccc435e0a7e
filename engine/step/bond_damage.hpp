/// \file  Damage bonds in a step: the data of their law (solvers/batches/damage.hpp), and their
///        state after the step.
///
/// A bond with the strengths σ_n, σ_t and the fracture energy w has the stiffnesses c_n = σ_n²/w
/// and c_t = σ_t²/w. Its contact is inelastic, has the pair's friction, and cannot close further
/// than at the birth of the bond. Anchored bonds measure displacements at their points. A bond
/// between two centres stores its tangential displacement, and rotates it with the normal and with
/// the mean rotation of both bodies about the normal.
///
/// A point whose intact fraction β is below kBrokenBelow, or whose displacement is above
/// BondRule::FailureDisplacement, no longer pulls, and its stored energy is lost. When its last
/// point has broken, a bond breaks by tension or by shear, whichever contributes more to its Q.
#pragma once

#include <span>

#include "engine/contacts/bond_table.hpp"
#include "engine/step/candidate_lists.hpp"
#include "engine/step/step_contacts.hpp"
#include "engine/step/step_setup.hpp"
#include "engine/step/step_solve.hpp"

namespace scree {

/// Points with a smaller β are broken. The work to break a bond therefore differs from its fracture
/// energy by up to half this fraction.
inline constexpr double kBrokenBelow = 1e-3;

/// Sets the bias of the contacts of damage bonds in an assembled problem, and the data and starting
/// impulse L of the damage law.
void AssembleDamage(const StepSetup& setup, const StepContacts& contacts, const BondTable& bonds,
                    StepSolve& solve);

/// Continues the sweeps until the residual of all damage bonds is small, because an error δv of the
/// velocities strains a stiff bond by dt δv, and errors add up over the steps. A bed of 25 000
/// spheres bonded with 1 MPa and 1 J/m² takes some thousand sweeps in each step. Collective.
void SweepDamage(const StepSetup& setup, const Particles& particles, const StepContacts& contacts,
                 Halo& halo, PhaseTimer& timer, StepSolve& solve);

/// Updates and breaks the damage bonds of a solved step. Collective.
/// @returns the change of the stored energy of the bonds whose contacts this rank owns [J]
double UpdateDamage(const StepSetup& setup, const StepContacts& contacts, const StepSolve& solve,
                    const CandidateLists& lists, BondTable& bonds);

/// Energies of these bonds [J].
BondEnergies EnergiesOf(std::span<const BondRule> rules, std::span<const Bond> bonds);

}  // namespace scree
