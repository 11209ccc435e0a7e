/// \file  The energy that each contact of a step turns into heat.
#pragma once

#include <span>
#include <vector>

#include "engine/contacts/body_push.hpp"
#include "engine/contacts/detected_contact.hpp"
#include "engine/particles/particles.hpp"
#include "solvers/batches/contact_batches.hpp"

namespace scree {

/// Particles at the velocities at the beginning of a step, and what forces add to each.
struct KickedParticles {
  const Particles& particles;
  BodyPushes pushes = {};
};

/// What friction and inelastic impacts take in each contact of a step,
///
///     D = −λ·(δvᶠ + δv')/2 − Σ_laws L·(δwᶠ + δw')/2 + λₙ v_opening
///
/// with the relative velocities after the forces and after the solve; v_opening is the speed at
/// which an overlap was asked to open (0 but with Baumgarte stabilisation). The sum over all
/// contacts is EnergyBook::dissipated, not negative at the solution. A single term can be: where
/// others press together a contact that would have opened, it hands on what they lose. To be
/// called between the solve and the motion.
/// @param after    bodies with the velocities after the last sweep: local particles, then walls
/// @param impacts  numbers of the contacts that had to rebound, ascending
/// @param batches  the solved problem of `contacts`, and any others after them
/// @param energies one per contact, replaced [J]
template <class Body>
void FindDissipation(const KickedParticles& before, const std::vector<Body>& after,
                     std::span<const DetectedContact> contacts, std::span<const Index> impacts,
                     const ContactBatches& batches, std::vector<double>& energies);

}  // namespace scree
