/// \file  Particles that a program lets in or takes out between steps.
#pragma once

#include <cstdint>
#include <span>

#include "engine/ranks/communicator.hpp"
#include "engine/scene/wall_motion.hpp"
#include "engine/step/radius_range.hpp"
#include "engine/step/state.hpp"

namespace scree {

/// Where particles are to be let in.
struct InsertionContext {
  const Communicator& communicator;
  const Scene& scene;
  const RadiusRange& radii;  // of all that there are or will be
  double length;             // of a step [s]
  double base;               // of a base step [s]
};

/// Demands of particles, which the ranks give in any way, that they can be, lie in the domain, and
/// overlap no wall, no particle and none of each other; of clumps the bounding spheres. Collective.
/// @param entering  with ids
/// @throws InputError on all ranks; nothing has changed then
void RequireRoom(const InsertionContext& office, const State& state, const Particles& entering);

/// Adds them to the owned ones; ghosts go, as new lists bring new ones.
/// @param entering  with the velocities of this moment
/// @param last      length of the last step (VelocityOfLastStep) [s]
void InsertParticles(const Particles& entering, const RotatingFrame& frame, double last,
                     State& state);

/// Takes owned particles out, as those that have left.
/// @param rows  one per owned particle, not zero: goes
/// @returns how many of this rank
std::int64_t RemoveParticles(std::span<const std::uint8_t> rows, State& state);

}  // namespace scree
