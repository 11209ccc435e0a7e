/// \file  Damage bonds in a step: the data of their law (solvers/batches/damage.hpp), and their
///        state after it.
///
/// With the strengths σ_n and σ_t of a bond and its fracture energy w, c_n = σ_n²/w, c_t = σ_t²/w.
/// λ of its contact is that of an inelastic contact at the gap at birth, with the pair's friction.
/// Displacements of anchored bonds are those of their points. A bond between two centres keeps its
/// tangential displacement, which turns with the normal and with the mean rotation about it.
///
/// A point at which β < kBrokenBelow, or that has moved by BondRule::LongestPath, pulls no more,
/// and what it stores is lost. A bond without another point breaks, by tension or shear, whichever
/// has the larger part in Q.
#pragma once

#include <span>

#include "engine/contacts/bond_table.hpp"
#include "engine/step/candidate_lists.hpp"
#include "engine/step/step_contacts.hpp"
#include "engine/step/step_setup.hpp"
#include "engine/step/step_solve.hpp"

namespace scree {

/// Work to break a bond is its fracture energy up to half this fraction.
inline constexpr double kBrokenBelow = 1e-3;

/// Displacement of body a relative to b since the birth of a bond; of bonds that are not anchored
/// along the normal [m].
Vec3 DisplacementOfBond(const Particles& particles, const StepContacts& contacts, const Halo& halo,
                        const Bond& bond, const BondContact& one, const Contact& contact,
                        const ContactBatches& batches);

/// Sets the data of the law, the bias and the starting L of the contacts of damage bonds in an
/// assembled problem.
void AssembleDamage(const StepSetup& setup, const Particles& particles,
                    const StepContacts& contacts, const Halo& halo, const BondTable& bonds,
                    StepSolve& solve);

/// Sweeps on until the residual of all contacts of damage bonds is small, because an error δv of
/// the velocities strains a stiff bond by dt δv, and would grow from step to step: a bed of 25 000
/// spheres bonded with 1 MPa and 1 J/m² takes some thousand sweeps a step. Collective.
void SweepDamage(const StepSetup& setup, const Particles& particles, const StepContacts& contacts,
                 Halo& halo, PhaseTimer& timer, StepSolve& solve);

/// Updates and breaks the damage bonds of a solved step. Collective.
/// @returns the change of the energy that the bonds of this rank's own contacts store [J]
double UpdateDamage(const StepSetup& setup, const StepContacts& contacts, const StepSolve& solve,
                    const CandidateLists& lists, BondTable& bonds);

/// Of these bonds.
BondEnergies EnergiesOf(std::span<const BondRule> rules, std::span<const Bond> bonds);

}  // namespace scree
