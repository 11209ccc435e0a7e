// The small channel on any number of ranks: the same bits at the start, the same inflow, the same
// key figures within the scatter of a chaotic flow.
#include <gtest/gtest.h>

#include "tests/support/channel_scene.hpp"

namespace scree {
namespace {

TEST(Channel, StartsFromTheSameBitsOnAnyRanks) {
  const Communicator world = Communicator::World();
  const Communicator self = Communicator::Self();
  const Scene scene = test::SmallChannel();
  const State many = test::FilledChannel(world, scene);
  const State one = test::FilledChannel(self, scene);
  const auto together = test::AllById(world, many.particles);
  const auto alone = test::AllById(self, one.particles);
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
KeyFigures RunChannel(const Communicator& communicator, Kernel kernel = Kernel::kSphere) {
  const Scene scene = test::SmallChannel();
  State state = test::FilledChannel(communicator, scene);
  StepParameters parameters;
  parameters.solver.kernel = kernel;
  TimeStep step = test::Start(communicator, scene, parameters, state);
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

void ExpectSameFlow(const KeyFigures& other, const KeyFigures& one) {
  // About five times the scatter between eight seeds on one rank.
  EXPECT_NEAR(other.particles / one.particles, 1.0, 0.02);
  EXPECT_NEAR(other.velocity, one.velocity, 0.03);
  EXPECT_NEAR(other.contacts_per_particle, one.contacts_per_particle, 0.15);
  EXPECT_LT(other.penetration, 2.0 * one.penetration);
  EXPECT_LT(other.penetration, 0.1 * 0.00047);
}

TEST(Channel, KeyFiguresDoNotDependOnTheRanks) {
  ExpectSameFlow(RunChannel(Communicator::World()), RunChannel(Communicator::Self()));
}

TEST(Channel, KeyFiguresDoNotDependOnTheKernel) {
  const Communicator world = Communicator::World();
  const KeyFigures sphere = RunChannel(world);
  ExpectSameFlow(RunChannel(world, Kernel::kMaxDissipation), sphere);
  ExpectSameFlow(RunChannel(world, Kernel::kCoulomb), sphere);
}

TEST(Channel, SameRanksTwiceGiveTheSameBits) {
  const Communicator world = Communicator::World();
  const Scene scene = test::SmallChannel();
  State first = test::FilledChannel(world, scene);
  State second = test::FilledChannel(world, scene);
  test::Run(world, scene, StepParameters{}, first, 300);
  test::Run(world, scene, StepParameters{}, second, 300);
  EXPECT_EQ(first.particles.id, second.particles.id);
  EXPECT_EQ(first.particles.position, second.particles.position);
  EXPECT_EQ(first.particles.velocity, second.particles.velocity);
  EXPECT_EQ(first.particles.orientation, second.particles.orientation);
}

}  // namespace
}  // namespace scree
