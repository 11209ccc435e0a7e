/// \file  Inserts and removes particles between steps at the request of a program.
#pragma once

#include <cstdint>
#include <span>

#include "engine/geometry/periodic_images.hpp"
#include "engine/ranks/communicator.hpp"
#include "engine/scene/wall_motion.hpp"
#include "engine/step/radius_range.hpp"
#include "engine/step/state.hpp"

namespace scree {

struct InsertionContext {
  const Communicator& communicator;
  const Scene& scene;
  const PeriodicImages& images;  // of the present domain; that of the scene may have deformed
  const RadiusRange& radii;
  double length;  // of a step [s]; limits speeds: no particle may cross the domain in a step
  double base;    // base step [s]
};

/// Requires that particles have valid values, lie in the domain, and overlap neither walls nor
/// particles nor each other. Clumps count as their bounding spheres. Each rank may pass any of the
/// particles. Collective.
/// @param new_particles  with ids
/// @throws InputError on all ranks; then nothing has changed
void RequireInsertable(const InsertionContext& context, const State& state,
                       const Particles& new_particles);

/// Adds particles to the owned particles and removes the ghosts; the next rebuild of the lists
/// creates new ghosts.
/// @param new_particles  with their present velocities
/// @param last_length    length of the last step [s], for VelocityOfLastStep in a rotating frame
void InsertParticles(const Particles& new_particles, const RotatingFrame& frame, double last_length,
                     State& state);

/// Removes owned particles, as the outflow does.
/// @param is_removed  one flag per owned particle
/// @returns the number of removed particles of this rank
std::int64_t RemoveParticles(std::span<const std::uint8_t> is_removed, State& state);

}  // namespace scree
