// Statistics of a scene before its run: counts, speeds, memory and balance on any number of ranks.
#include "apps/run/scene_statistics.hpp"

#include <gtest/gtest.h>

#include "engine/filling/fills.hpp"
#include "tests/support/channel_scene.hpp"

namespace scree::scene_statistics_test {
namespace {

RunConfig ChannelConfig() {
  RunConfig config;
  config.scene = test::SmallChannel();
  config.time.end = 0.01;
  config.output.interval = {0, 0.003};
  return config;
}

SceneStatistics StatisticsOf(const RunConfig& config) {
  const Communicator world = Communicator::World();
  const Subdomains subdomains(config.scene.domain,
                              SmallestHaloGrid(config.scene.domain, world.Size()));
  return MeasureScene(world, config, subdomains, test::FilledChannel(world, config.scene),
                      subdomains);
}

TEST(SceneStatistics, ChannelIsCountedAtAnyRankCount) {
  const SceneStatistics statistics = StatisticsOf(ChannelConfig());
  const SceneStatistics serial = [] {
    const RunConfig config = ChannelConfig();
    State state;
    const Subdomains one_box(config.scene.domain, {1, 1, 1});
    MakeFills(Communicator::Self(), one_box, config.scene, state.particles);
    return MeasureScene(Communicator::Self(), config, one_box, state, one_box);
  }();
  EXPECT_EQ(statistics.particles, serial.particles);
  EXPECT_GT(statistics.particles, 2500);
  EXPECT_EQ(serial.max_on_rank, serial.particles);
  EXPECT_LE(statistics.min_on_rank, statistics.particles / Communicator::World().Size());
  EXPECT_GE(statistics.max_on_rank, statistics.particles / Communicator::World().Size());
  EXPECT_EQ(statistics.speed, serial.speed);
  EXPECT_EQ(statistics.contacts, serial.contacts);
}

TEST(SceneStatistics, ClosingSpeedOfWallsIsLimitedByTheDomainOrTheDamping) {
  RunConfig config = ChannelConfig();
  const Box& box = config.scene.domain.box;
  Wall lid{"lid", {{Plane{box.upper, -Vec3::UnitZ()}}}};
  lid.axis = -Vec3::UnitZ();
  lid.free.freedom = Freedom::kAlong;
  lid.free.mass = 0.5;
  lid.free.pressure = 1e3;
  lid.free.area = 0.01;
  config.scene.walls.push_back(lid);
  const ClosingWall undamped = StatisticsOf(config).closing_walls.at(0);
  EXPECT_EQ(undamped.name, "lid");
  EXPECT_EQ(undamped.drive, 10.0);
  EXPECT_NEAR(undamped.speed, std::sqrt(2.0 * 20.0 * box.Extent().z()), 1e-12);
  config.scene.walls.back().free.damping = 100.0;
  EXPECT_EQ(StatisticsOf(config).closing_walls.at(0).speed, 0.1);
}

TEST(SceneStatistics, NumberOfRanksOfTheRunMayDifferFromThatOfTheCheck) {
  RunConfig config = ChannelConfig();
  const Communicator world = Communicator::World();
  const Domain& domain = config.scene.domain;
  const Subdomains current_boxes(domain, SmallestHaloGrid(domain, world.Size()));
  const Subdomains grid(domain, {5, 2, 1});
  const auto measured = [&] {
    return MeasureScene(world, config, current_boxes, test::FilledChannel(world, config.scene),
                        grid);
  };
  config.step.balance = kNeverBalance;
  const SceneStatistics fixed = measured();
  EXPECT_EQ(fixed.ranks, 10);
  EXPECT_EQ(fixed.cuts, "5x2x1");
  EXPECT_GE(fixed.max_on_rank, fixed.particles / 10);
  EXPECT_LE(fixed.min_on_rank, fixed.particles / 10);
  EXPECT_GT(fixed.imbalance, 1.05) << "the obstacle is in some of the boxes";
  EXPECT_GT(fixed.max_bytes_of_rank, fixed.memory_bytes / 10);
  config.step.balance = kBalanceWhenWorthwhile;
  const SceneStatistics balanced = measured();
  EXPECT_EQ(balanced.cuts, "10 boxes by bisection");
  EXPECT_LT(balanced.imbalance, fixed.imbalance);
  EXPECT_LT(balanced.imbalance, 1.1);
}

TEST(SceneStatistics, InflowStepsAndSnapshotsAreCounted) {
  const SceneStatistics statistics = StatisticsOf(ChannelConfig());
  ASSERT_EQ(statistics.inflows.size(), 1u);
  EXPECT_EQ(statistics.inflows[0].per_insertion, 12 * 8);
  EXPECT_EQ(statistics.inflows[0].interval, 94);
  EXPECT_EQ(statistics.steps, 1000);
  EXPECT_EQ(statistics.snapshots, 5) << "steps 0, 300, 600, 900 and the last";
  EXPECT_EQ(statistics.max_particles, statistics.particles + 10 * 12 * 8);
}

TEST(SceneStatistics, DomainLimitsInflow) {
  RunConfig config = ChannelConfig();
  config.time.end = 100.0;
  const SceneStatistics statistics = StatisticsOf(config);
  // Solid fraction 0.64 times the volume of the domain, 3 x 1.2 x 0.8 cm, over the volume of a
  // sphere of radius 0.47 mm.
  EXPECT_NEAR(static_cast<double>(statistics.max_particles), 0.64 * 2.88e-6 / 4.349e-10, 10.0);
}

TEST(SceneStatistics, FallAddsToTheSpeed) {
  const SceneStatistics statistics = StatisticsOf(ChannelConfig());
  EXPECT_NEAR(statistics.speed, std::sqrt(1.0 + 0.25 + 0.25), 0.05);
  // No fall is longer than the height of the channel.
  EXPECT_GT(statistics.fall_speed, statistics.speed);
  EXPECT_LT(statistics.fall_speed,
            std::sqrt(statistics.speed * statistics.speed + 2.0 * 9.81 * 0.008));
}

TEST(SceneStatistics, OverlapAtTimeZeroIsFound) {
  RunConfig config = ChannelConfig();
  EXPECT_EQ(StatisticsOf(config).overlap, 0.0);
  // A wall 0.1 mm inside the first layer. The lattice was filled before, without this wall as an
  // obstacle.
  const Communicator world = Communicator::World();
  State state = test::FilledChannel(world, config.scene);
  test::AddPlane(config.scene, Vec3(0, 0, 0.00013), Vec3::UnitZ());
  const Subdomains subdomains(config.scene.domain,
                              SmallestHaloGrid(config.scene.domain, world.Size()));
  EXPECT_NEAR(MeasureScene(world, config, subdomains, state, subdomains).overlap, 1e-4, 1e-12);
}

}  // namespace
}  // namespace scree::scene_statistics_test
