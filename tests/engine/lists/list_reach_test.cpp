// The reach of lists is at least the required one, larger for fast particles, and equal on all
// ranks.
#include "engine/lists/list_reach.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "solvers/base/check.hpp"
#include "tests/support/scenes.hpp"

namespace scree::list_reach_test {
namespace {

using test::AddSphere;

constexpr double kRadius = 0.01;
constexpr ReachRequirements kRequired{1e-3, 1, 0.008, false, 1e-4, kRadius};

/// 120 particles, distributed to the ranks in turn. All except the last have the same velocity.
struct Flow {
  const Communicator world = Communicator::World();
  Scene scene = test::EmptyScene(Vec3::Zero(), Vec3::Ones(), 0.0);
  Subdomains subdomains{scene.domain, {world.Size(), 1, 1}};
  Particles particles;

  Flow(const Vec3& velocity, const Vec3& last_velocity) {
    scene.gravity.setZero();
    for (ParticleId id = world.Rank(); id < 120; id += world.Size()) {
      AddSphere(particles, id, Vec3::Constant(0.5), kRadius, id == 119 ? last_velocity : velocity);
    }
  }
  ListReach Reach() const { return FindReach(world, subdomains, scene, particles, 7, kRequired); }
};

TEST(ListReach, CommonDriftIsSubtractedForPairsOnly) {
  const Vec3 drift(3.0, -2.0, 0.25);
  const ListReach reach = Flow(drift, drift).Reach();
  EXPECT_EQ(reach.drift.mean, drift);
  EXPECT_EQ(reach.skin, kRequired.skin);
  EXPECT_EQ(reach.wall_skin, 2.0 * kRadius);
  EXPECT_EQ(Flow(Vec3::Zero(), Vec3::Zero()).Reach().drift.mean, Vec3::Zero());
}

TEST(ListReach, ReachCoversTheFastestParticleForOneStep) {
  const Vec3 fast(24.0, 0.0, 0.0);
  const ListReach reach = Flow(Vec3::Zero(), fast).Reach();
  EXPECT_NEAR(reach.drift.mean.x(), 24.0 / 120.0, 1e-5);
  const double relative = fast.x() - reach.drift.mean.x();
  EXPECT_GE(reach.skin, 2.0 * kRequired.Length() * relative + kRequired.margin);
  EXPECT_LE(reach.skin, 1.01 * (2.0 * kRequired.Length() * relative + kRequired.margin));
  EXPECT_GE(reach.wall_skin, kRequired.Length() * fast.x() + kRequired.margin);
}

TEST(ListReach, DriftHasTheSameBitsOnAnyNumberOfRanks) {
  const ListReach reach = Flow(Vec3(0.1, 0.2, 0.3), Vec3(1.0 / 3.0, -7.0, 0.7)).Reach();
  // The mean of 119 particles and the last one, in units of 2^-16 m/s.
  const auto mean = [](double common_velocity, double last_velocity) {
    return static_cast<double>(119 * std::llround(65536.0 * common_velocity) +
                               std::llround(65536.0 * last_velocity)) /
           (65536.0 * 120.0);
  };
  EXPECT_EQ(reach.drift.mean, Vec3(mean(0.1, 1.0 / 3.0), mean(0.2, -7.0), mean(0.3, 0.7)));
}

TEST(ListReach, AutomaticSkinsAreProportionalToTheMeanRadius) {
  constexpr ReachRequirements kAutomatic{1e-3, 1, -1.0, false, 0.0, kRadius};
  const auto reach = [&](double small, int large_count) {
    Flow flow(Vec3::Zero(), Vec3::Zero());
    for (std::size_t i = 0; i < flow.particles.owned; ++i) {
      if (flow.particles.id[i] >= large_count) flow.particles.radius[i] = small;
    }
    return FindReach(flow.world, flow.subdomains, flow.scene, flow.particles, 0, kAutomatic);
  };
  EXPECT_EQ(reach(kRadius, 120).skin, 0.8 * kRadius);
  EXPECT_EQ(reach(kRadius, 120).wall_skin, 2.0 * kRadius);
  EXPECT_NEAR(reach(1e-3, 20).skin, 0.8 * (20 * kRadius + 100 * 1e-3) / 120, 1e-10);
  EXPECT_NEAR(reach(1e-3, 20).wall_skin, 2.0 * (20 * kRadius + 100 * 1e-3) / 120, 1e-10);
  EXPECT_NEAR(reach(1e-6 * kRadius, 0).skin, 0.8e-6 * kRadius, 1e-3 * 0.8e-6 * kRadius);
}

TEST(ListReach, WithoutParticlesTheSkinFollowsFromTheLargestRadius) {
  const Flow flow(Vec3::Zero(), Vec3::Zero());
  const ListReach reach = FindReach(flow.world, flow.subdomains, flow.scene, Particles(), 0,
                                    {1e-3, 1, -1.0, false, 0.0, kRadius});
  EXPECT_EQ(reach.skin, 0.8 * kRadius);
}

TEST(ListReach, LongStepsUseTheLocalDriftIfItIsSmaller) {
  Flow flow(Vec3::Zero(), Vec3::Zero());
  const auto reach = [&](bool has_long_steps) {
    ReachRequirements required = kRequired;
    required.has_long_steps = has_long_steps;
    return FindReach(flow.world, flow.subdomains, flow.scene, flow.particles, 0, required);
  };
  EXPECT_TRUE(reach(true).drift.nodes.empty());  // nothing moves
  for (std::size_t i = 0; i < flow.particles.owned; ++i) {
    Vec3& x = flow.particles.position[i];
    x.z() = (static_cast<double>(flow.particles.id[i]) + 0.5) / 120.0;
    flow.particles.velocity[i] = Vec3(20.0 * x.z(), 0, 0);
  }
  const ListReach mean_reach = reach(false), local_reach = reach(true);
  EXPECT_TRUE(mean_reach.drift.nodes.empty());
  EXPECT_FALSE(local_reach.drift.nodes.empty());
  EXPECT_EQ(local_reach.drift.mean, mean_reach.drift.mean);
  EXPECT_LT(local_reach.skin, 0.5 * mean_reach.skin);
  EXPECT_NEAR(local_reach.drift.At(flow.scene.domain, Vec3(0.5, 0.5, 0.5)).x(), 10.0, 0.2);
}

TEST(ListReach, TooFastParticlesAreAnErrorOnAllRanks) {
  Flow flow(Vec3::Zero(), Vec3(600.0, 0.0, 0.0));
  if (flow.world.Size() == 1) {
    EXPECT_GT(flow.Reach().skin, 1.0);  // a single rank has no width limit
    return;
  }
  try {
    flow.Reach();
    ADD_FAILURE() << "was accepted";
  } catch (const SimulationError& error) {
    const std::string message = error.what();
    EXPECT_NE(message.find("at step 7 the fastest particle moves at 595 m/s"), std::string::npos)
        << message;
    EXPECT_NE(message.find("shorter step or fewer ranks"), std::string::npos) << message;
  }
}

/// By default wider subdomains allow a longer skin, so that lists last for several long steps.
TEST(ListReach, SkinOfLongStepsDoesNotDependOnTheRanksIfRequired) {
  const Flow flow(Vec3::Zero(), Vec3(5.0, 0.0, 0.0));
  const Domain narrow{{Vec3::Zero(), Vec3(3.5 * kRadius * flow.world.Size(), 1.0, 1.0)}, {}};
  const Subdomains thin(narrow, {flow.world.Size(), 1, 1});
  ReachRequirements required{1e-3, 1, -1.0, true, 0.0, kRadius};
  const auto skin = [&](const Subdomains& subdomains) {
    return FindReach(flow.world, subdomains, flow.scene, flow.particles, 7, required).skin;
  };
  const bool has_thin_subdomains = flow.world.Size() > 1;
  EXPECT_EQ(skin(thin) < skin(flow.subdomains), has_thin_subdomains);
  required.is_rank_independent = true;
  EXPECT_EQ(skin(thin), skin(flow.subdomains));
}

}  // namespace
}  // namespace scree::list_reach_test
