/// \file  Checks that runs have the same bits, on other ranks and from a restart point.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <utility>

#include "tests/support/scenes.hpp"

namespace scree::test {

inline void ExpectSameBits(const std::map<ParticleId, Kinematics>& is,
                           const std::map<ParticleId, Kinematics>& should) {
  ASSERT_EQ(is.size(), should.size());
  std::size_t different = 0;
  for (const auto& [id, one] : should) {
    ASSERT_EQ(is.count(id), 1u) << id;
    different += std::memcmp(&is.at(id), &one, sizeof one) != 0;
  }
  EXPECT_EQ(different, 0u) << "of " << should.size();
}

/// The content of a checkpoint: owned particles including removed ones, in their order.
inline State Kept(const State& state) {
  State kept = state;
  Resize(kept.particles, kept.particles.owned);
  return kept;
}

/// Continues copies of this run for a number of steps, directly and from its restart point, and
/// expects the same bits. Collective.
/// @returns the run from the restart point
inline std::pair<TimeStep, State> ExpectRestartWithTheSameBits(const Communicator& world,
                                                               const Scene& scene,
                                                               const StepParameters& parameters,
                                                               const TimeStep& step,
                                                               const State& state, int steps) {
  State kept = Kept(state), on = state;
  TimeStep restarted(world, scene, parameters, step.Partition(), kept, step.Point(state));
  TimeStep never_stopped = step;
  for (int k = 0; k < steps; ++k) {
    restarted.Advance(kept);
    never_stopped.Advance(on);
  }
  const Particles &a = kept.particles, &b = on.particles;
  EXPECT_TRUE(std::ranges::equal(std::span(a.id).first(a.owned), std::span(b.id).first(b.owned)));
  ExpectSameBits(AllById(world, a), AllById(world, b));
  EXPECT_EQ(kept.free_walls, on.free_walls);
  EXPECT_EQ(kept.cell, on.cell);
  return {std::move(restarted), std::move(kept)};
}

}  // namespace scree::test
