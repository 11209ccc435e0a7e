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
/// λ is the contact impulse and works on the relative velocity δv. L is the impulse of an
/// additional law and works on that law's relative velocity δw. ⁻ is before the forces of the step,
/// ' after the solve. v_opening is the prescribed opening speed of an overlap (0 except with
/// Baumgarte stabilisation). The sum over all contacts is EnergyBalance::dissipated;
/// energy_balance.hpp explains the role of the weight. A single contact can have D < 0, if it
/// transmits energy that other contacts lose.
/// @param mean     bodies with the mean velocities (FindMeans): this rank's particles, then walls
/// @param impacts  indices of the contacts with a prescribed rebound, ascending
/// @param batches  the solved problem of `contacts`; ghost contacts may follow
/// @param energies one per contact, replaced [J]
template <class Body>
void FindDissipation(std::span<const Body> mean, std::span<const DetectedContact> contacts,
                     std::span<const Index> impacts, const ContactBatches& batches,
                     std::vector<double>& energies);

}  // namespace scree
