/// \file  Assembles the additional laws of contacts (solvers/batches/additional_laws.hpp), if some
///        pair of materials has such a law.
#pragma once

#include <span>
#include <vector>

#include "engine/contacts/contact_assembly.hpp"
#include "engine/contacts/detected_contact.hpp"
#include "engine/contacts/wall_bodies.hpp"
#include "engine/particles/particles.hpp"
#include "engine/scene/scene.hpp"
#include "engine/scene/step_parameters.hpp"
#include "solvers/batches/contact_batches.hpp"

namespace scree {

/// Adds the data of the active laws, and their starting impulses L, to assembled contacts.
/// @param input, restitution  as passed to AssembleContacts for these contacts
/// @param batches             the output of AssembleContacts
void AssembleLaws(const ContactInput& input, const StepParameters& parameters,
                  const Restitution& restitution, ContactBatches& batches);

/// Sets the rotation of the patches of rotating walls. A patch is a sphere with w = 0 and the
/// radius of the touching particle. It gets the angular velocity of the wall, and keeps the surface
/// velocity at the contact.
/// @param poses   of all walls at this step
/// @param bodies  set by AssembleBodies
void SetPatchRotations(std::span<const DetectedContact> contacts, const Particles& particles,
                       std::span<const WallBody> walls, std::span<const WallPose> poses,
                       std::vector<SphereBody>& bodies);
/// Sets the same rotations for rigid bodies. Their walls have no arm, so the velocity at the
/// contact does not change.
void SetPatchRotations(std::span<const DetectedContact> contacts, const Particles& particles,
                       std::span<const WallBody> walls, std::span<const WallPose> poses,
                       std::vector<RigidBody>& bodies);

}  // namespace scree
