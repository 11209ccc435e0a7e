/// \file  Whether a state is still physical. What is wrong on one rank is an error of all, with the
///        particles' ids, places and ranks.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "engine/contacts/detected_contact.hpp"
#include "engine/contacts/wall_bodies.hpp"
#include "engine/geometry/box.hpp"
#include "engine/particles/particles.hpp"
#include "engine/ranks/communicator.hpp"
#include "engine/step/state.hpp"
#include "engine/step/step_setup.hpp"

namespace scree {

/// Demands of all owned particles that their places and velocities are finite, that their centres
/// are inside the domain (or beyond a periodic end), and that none moves, and no surface turns,
/// farther than `farthest` in a step. Collective.
/// @param velocities  of the particles, owned ones at least [m/s]
/// @param farthest  [m]   @param moment  for the message
/// @throws SimulationError on all ranks
void RequireValid(const Communicator& communicator, const Domain& domain, double dt,
                  double farthest, const std::string& moment, const Particles& particles,
                  std::span<const Vec3> velocities);

/// The same of a state: nothing may cross the whole domain in a step of this length.
void RequireValid(const StepSetup& setup, const State& state, std::span<const Vec3> velocities,
                  double dt);
inline void RequireValid(const StepSetup& setup, const State& state, double dt) {
  RequireValid(setup, state, state.particles.velocity, dt);
}

/// Demands that there are as many particles as there should be. Collective.
/// @param state  after a migration: without particles that have left
/// @throws SimulationError on all ranks
void RequireNoneMissing(const StepSetup& setup, const State& state);

/// What is wrong with this rank's owned particles that somebody has altered; empty: nothing.
std::string DescribeImpossible(const Scene& scene, const RadiusRange& radii,
                               const Particles& particles);

/// Names this rank's contacts that overlap by more than the smaller radius: then the normal may
/// have turned round, and the bodies pass through each other. Empty if there are none.
/// @param moment  when the step began that found the contacts
std::string DescribeDeepOverlaps(const ContactSpan& contacts, const Particles& particles,
                                 std::span<const WallBody> walls, int rank,
                                 const std::string& moment);

}  // namespace scree
