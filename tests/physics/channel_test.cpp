// The small channel on any number of ranks: the same bits at the start, the same inflow, the same
// key figures within the scatter of a chaotic flow.
#include <gtest/gtest.h>

#include "tests/support/channel_scene.hpp"

namespace scree {
namespace {

TEST(Channel, StartsFromTheSameBitsOnAnyRanks) {
  const Communicator world = Communicator::World();
  const Communicator self = Communicator::Self();
  const Scene scene = testing::SmallChannel();
  const State many = testing::FilledChannel(world, scene);
  const State one = testing::FilledChannel(self, scene);
  const auto together = testing::AllById(world, many.particles);
  const auto alone = testing::AllById(self, one.particles);
  ASSERT_EQ(together.size(), alone.size());
  for (const auto& [id, sphere] : alone) {
    ASSERT_EQ(together.count(id), 1u);
    EXPECT_EQ(together.at(id).position, sphere.position);
    EXPECT_EQ(together.at(id).velocity, sphere.velocity);
  }
}

struct KeyFigures {
  double particles = 0, velocity = 0, contacts_per_particle = 0, penetration = 0;
};

/// Averages over the second half of 1800 steps, every 50 steps.
KeyFigures RunChannel(const Communicator& communicator) {
  const Scene scene = testing::SmallChannel();
  State state = testing::FilledChannel(communicator, scene);
  TimeStep step = testing::Start(communicator, scene, StepParameters{}, state);
  KeyFigures mean;
  const int steps = 1800, every = 50, samples = steps / every / 2;
  for (int k = 1; k <= steps; ++k) {
    step.Advance(state);
    if (k % every != 0) continue;
    const Observables now = step.Observe(state);
    step.StartInterval();
    if (k <= steps / 2) continue;
    mean.particles += static_cast<double>(now.particles) / samples;
    mean.velocity += now.mean_velocity.x() / samples;
    mean.contacts_per_particle += now.ContactsPerParticle() / samples;
    mean.penetration += now.max_penetration_interval / samples;
  }
  const std::int64_t layer = 12 * 8;
  EXPECT_EQ(communicator.Sum(state.inserted), layer * (steps / 94));
  return mean;
}

TEST(Channel, KeyFiguresDoNotDependOnTheRanks) {
  const KeyFigures many = RunChannel(Communicator::World());
  const KeyFigures one = RunChannel(Communicator::Self());
  // About five times the scatter between eight seeds on one rank.
  EXPECT_NEAR(many.particles / one.particles, 1.0, 0.02);
  EXPECT_NEAR(many.velocity, one.velocity, 0.03);
  EXPECT_NEAR(many.contacts_per_particle, one.contacts_per_particle, 0.15);
  EXPECT_LT(many.penetration, 2.0 * one.penetration);
  EXPECT_LT(many.penetration, 0.1 * 0.00047);
}

TEST(Channel, SameRanksTwiceGiveTheSameBits) {
  const Communicator world = Communicator::World();
  const Scene scene = testing::SmallChannel();
  State first = testing::FilledChannel(world, scene);
  State second = testing::FilledChannel(world, scene);
  testing::Run(world, scene, StepParameters{}, first, 300);
  testing::Run(world, scene, StepParameters{}, second, 300);
  EXPECT_EQ(first.particles.id, second.particles.id);
  EXPECT_EQ(first.particles.position, second.particles.position);
  EXPECT_EQ(first.particles.velocity, second.particles.velocity);
  EXPECT_EQ(first.particles.orientation, second.particles.orientation);
}

}  // namespace
}  // namespace scree
