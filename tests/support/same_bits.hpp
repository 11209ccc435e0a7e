/// \file  Checks that two runs have the same bits, such as a run and its continuation from a
///        restart point.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <utility>

#include "tests/support/scenes.hpp"

namespace scree::test {

inline void ExpectSameBits(const std::map<ParticleId, Kinematics>& actual,
                           const std::map<ParticleId, Kinematics>& expected) {
  ASSERT_EQ(actual.size(), expected.size());
  std::size_t different = 0;
  for (const auto& [id, kinematics] : expected) {
    ASSERT_EQ(actual.count(id), 1u) << id;
    different += std::memcmp(&actual.at(id), &kinematics, sizeof kinematics) != 0;
  }
  EXPECT_EQ(different, 0u) << "of " << expected.size();
}

/// The state that a checkpoint stores: it has no ghosts, but still the removed particles.
inline State CheckpointState(const State& state) {
  State restart_state = state;
  Resize(restart_state.particles, restart_state.particles.owned);
  return restart_state;
}

/// Continues copies of this run for a number of steps, directly and from its restart point, and
/// expects the same bits. Collective.
/// @returns the run from the restart point
inline std::pair<TimeStep, State> ExpectRestartWithTheSameBits(const Communicator& world,
                                                               const Scene& scene,
                                                               const StepParameters& parameters,
                                                               const TimeStep& step,
                                                               const State& state, int steps) {
  State restart_state = CheckpointState(state), continued = state;
  TimeStep restarted(world, scene, parameters, step.Partition(), restart_state, step.Point(state));
  TimeStep never_stopped = step;
  for (int k = 0; k < steps; ++k) {
    restarted.Advance(restart_state);
    never_stopped.Advance(continued);
  }
  const Particles &a = restart_state.particles, &b = continued.particles;
  EXPECT_TRUE(std::ranges::equal(std::span(a.id).first(a.owned), std::span(b.id).first(b.owned)));
  ExpectSameBits(GatherById(world, a), GatherById(world, b));
  EXPECT_EQ(restart_state.free_walls, continued.free_walls);
  EXPECT_EQ(restart_state.cell, continued.cell);
  return {std::move(restarted), std::move(restart_state)};
}

}  // namespace scree::test
