/// \file  From particles to the additional laws of their contacts, made only where some pair of
///        materials has such a law (solvers/batches/additional_laws.hpp).
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

/// Adds to assembled contacts the data of the laws that act, and the L to start with.
/// @param input    what AssembleContacts was given for them
/// @param batches  as it left them
void AssembleLaws(const ContactInput& input, const StepParameters& parameters,
                  ContactBatches& batches);

/// Makes the patches of rotating walls bodies that turn: spheres with w = 0 and the radius of the
/// one they touch, which have the wall's angular velocity and the surface's velocity at the
/// contact.
/// @param poses   of all walls at this step
/// @param bodies  as AssembleBodies left them
void TurnPatches(std::span<const DetectedContact> contacts, const Particles& particles,
                 std::span<const WallBody> walls, std::span<const WallPose> poses,
                 std::vector<SphereBody>& bodies);
/// The same for rigid bodies, whose contacts have no arm at a wall.
void TurnPatches(std::span<const DetectedContact> contacts, const Particles& particles,
                 std::span<const WallBody> walls, std::span<const WallPose> poses,
                 std::vector<RigidBody>& bodies);

}  // namespace scree
