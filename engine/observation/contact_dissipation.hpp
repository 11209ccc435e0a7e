/// \file  The energy that each contact of a step turns into heat.
#pragma once

#include <span>
#include <vector>

#include "engine/contacts/detected_contact.hpp"
#include "solvers/batches/contact_batches.hpp"

namespace scree {

/// What friction and inelastic impacts take in each contact of a step,
///
///     D = −λ·(δv⁻ + δv')/2 − Σ_laws L·(δw⁻ + δw')/2 + λₙ v_opening
///
/// with the relative velocities before the forces of the step and after the solve; v_opening is the
/// speed at which an overlap was asked to open (0 but with Baumgarte stabilisation). The sum over
/// all contacts is EnergyBalance::dissipated, which says why the weight is not in it. A single term
/// can be negative: where others press together a contact that would have opened, it hands on what
/// they lose.
/// @param mean     bodies at the means of these velocities (FindMeans): local particles, then walls
/// @param impacts  numbers of the contacts that had to rebound, ascending
/// @param batches  the solved problem of `contacts`, and any others after them
/// @param energies one per contact, replaced [J]
template <class Body>
void FindDissipation(std::span<const Body> mean, std::span<const DetectedContact> contacts,
                     std::span<const Index> impacts, const ContactBatches& batches,
                     std::vector<double>& energies);

}  // namespace scree
