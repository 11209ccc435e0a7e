/// \file  The energy that each contact dissipates in a step.
#pragma once

#include <span>
#include <vector>

#include "engine/contacts/detected_contact.hpp"
#include "solvers/batches/contact_batches.hpp"

namespace scree {

/// Finds the energy lost to friction and inelastic impacts in each contact of a step,
///
///     D = −λ·(δv⁻ + δv')/2 − Σ_laws L·(δw⁻ + δw')/2 + λₙ v_opening
///
/// with the relative velocities before the forces of the step and after the solve. v_opening is the
/// prescribed opening speed of an overlap (0 except with Baumgarte stabilisation). The sum over all
/// contacts is EnergyBalance::dissipated, which explains the role of the weight. A single term can
/// be negative: a contact that is kept closed by others transmits the energy that these lose.
/// @param mean     bodies at the means of these velocities (FindMeans): local particles, then walls
/// @param impacts  numbers of the contacts that had to rebound, ascending
/// @param batches  the solved problem of `contacts`; other contacts may follow them
/// @param energies one per contact, replaced [J]
template <class Body>
void FindDissipation(std::span<const Body> mean, std::span<const DetectedContact> contacts,
                     std::span<const Index> impacts, const ContactBatches& batches,
                     std::vector<double>& energies);

}  // namespace scree
