/// \file  Checks that a state is still physical. An error on one rank is thrown on all ranks,
///        with the particles' ids, positions and ranks.
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

/// Requires that the positions and velocities of all owned particles are finite, that their centres
/// are inside the domain (or beyond a periodic end), and that no centre moves, and no surface
/// rotates, by more than `max_path` in a step. Collective.
/// @param velocities  of at least the owned particles [m/s]
/// @param max_path    [m]
/// @param moment      step or time for the message
/// @throws SimulationError on all ranks
void RequireValid(const Communicator& communicator, const Domain& domain, double dt,
                  double max_path, const std::string& moment, const Particles& particles,
                  std::span<const Vec3> velocities);

/// RequireValid for a state: no particle may cross the whole domain in a step of this length.
void RequireValid(const StepSetup& setup, const State& state, std::span<const Vec3> velocities,
                  double dt);
inline void RequireValid(const StepSetup& setup, const State& state, double dt) {
  RequireValid(setup, state, state.particles.velocity, dt);
}

/// Whether none of this rank's owned particles is too fast for RequireValid.
bool AreSpeedsValid(const StepSetup& setup, const State& state, double dt);

/// Requires that no particles were lost or duplicated (StepSetup::initial_count). Collective.
/// @param state  after a migration; has no removed particles
/// @throws SimulationError on all ranks
void RequireNoneMissing(const StepSetup& setup, const State& state);

/// Describes an impossible value of this rank's owned particles after an edit; empty: none.
std::string DescribeImpossible(const Scene& scene, const RadiusRange& radii,
                               const Particles& particles);

/// Describes this rank's contacts that overlap by more than the smaller radius. Their normals may
/// have reversed, so that the bodies pass through each other. Empty if there are none.
/// @param moment  beginning of the step that found the contacts
std::string DescribeDeepOverlaps(const ContactSpan& contacts, const Particles& particles,
                                 std::span<const WallBody> walls, int rank,
                                 const std::string& moment);

}  // namespace scree
