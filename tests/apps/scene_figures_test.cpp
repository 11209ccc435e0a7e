// Figures told before a run are those of the run: counts, speeds, open faces.
#include "apps/scene_figures.hpp"

#include <gtest/gtest.h>

#include "tests/support/channel_scene.hpp"

namespace scree {
namespace {

using Names = std::vector<std::string>;

RunConfig ChannelConfig() {
  RunConfig config;
  config.scene = test::SmallChannel();
  config.time.end = 0.01;
  config.output.every = {0, 0.003};
  return config;
}

SceneFigures Measured(const RunConfig& config) {
  const Communicator world = Communicator::World();
  const Subdomains subdomains(config.scene.domain,
                              SmallestHaloGrid(config.scene.domain, world.Size()));
  return MeasureScene(world, config, subdomains, test::FilledChannel(world, config.scene));
}

TEST(SceneFigures, ChannelIsCountedAtAnyRankCount) {
  const SceneFigures figures = Measured(ChannelConfig());
  const SceneFigures alone = [] {
    const RunConfig config = ChannelConfig();
    State state;
    MakeFills(
        config.scene, [](const Vec3&) { return true; }, state.particles);
    return MeasureScene(Communicator::Self(), config, Subdomains(config.scene.domain, {1, 1, 1}),
                        state);
  }();
  EXPECT_EQ(figures.particles, alone.particles);
  EXPECT_GT(figures.particles, 2500);
  EXPECT_EQ(alone.most, alone.particles);
  EXPECT_LE(figures.fewest, figures.particles / Communicator::World().Size());
  EXPECT_GE(figures.most, figures.particles / Communicator::World().Size());
  EXPECT_EQ(figures.speed, alone.speed);
  EXPECT_EQ(figures.contacts, alone.contacts);
}

TEST(SceneFigures, InflowStepsAndSnapshots) {
  const SceneFigures figures = Measured(ChannelConfig());
  EXPECT_EQ(figures.layer, 12 * 8);
  EXPECT_EQ(figures.layer_steps, 94);
  EXPECT_EQ(figures.steps, 1000);
  EXPECT_EQ(figures.snapshots, 5) << "steps 0, 300, 600, 900 and the last";
  EXPECT_EQ(figures.most_particles, figures.particles + 10 * 12 * 8);
}

TEST(SceneFigures, DomainLimitsWhatEnters) {
  RunConfig config = ChannelConfig();
  config.time.end = 100.0;
  const SceneFigures figures = Measured(config);
  // 0.64 of 3 x 1.2 x 0.8 cm over the volume of a sphere of 0.47 mm.
  EXPECT_NEAR(static_cast<double>(figures.most_particles), 0.64 * 2.88e-6 / 4.349e-10, 10.0);
}

TEST(SceneFigures, FallAddsToTheSpeed) {
  const SceneFigures figures = Measured(ChannelConfig());
  EXPECT_NEAR(figures.speed, std::sqrt(1.0 + 0.25 + 0.25), 0.05);
  EXPECT_NEAR(figures.fall_speed, std::sqrt(figures.speed * figures.speed + 2.0 * 9.81 * 0.008),
              1e-12);
}

TEST(SceneFigures, OverlapAtTimeZeroIsSeen) {
  RunConfig config = ChannelConfig();
  EXPECT_EQ(Measured(config).overlap, 0.0);
  // A wall 0.1 mm inside the first layer; it is no obstacle to the lattice, which was filled
  // before.
  const Communicator world = Communicator::World();
  State state = test::FilledChannel(world, config.scene);
  test::AddPlane(config.scene, Vec3(0, 0, 0.00013), Vec3::UnitZ());
  const Subdomains subdomains(config.scene.domain,
                              SmallestHaloGrid(config.scene.domain, world.Size()));
  EXPECT_NEAR(MeasureScene(world, config, subdomains, state).overlap, 1e-4, 1e-12);
}

TEST(OpenFaces, ClosedByWallsPeriodicOrOutflow) {
  Scene scene = test::SmallChannel();
  EXPECT_EQ(OpenFaces(scene, 0.00047), Names{});
  scene.outflow[0][1] = false;
  EXPECT_EQ(OpenFaces(scene, 0.00047), Names{"x+"});
  scene.domain.periodic[0] = true;
  EXPECT_EQ(OpenFaces(scene, 0.00047), Names{});
}

TEST(OpenFaces, WallTooFarAwayDoesNotClose) {
  Scene scene = test::EmptyScene(Vec3::Zero(), Vec3(1, 1, 1), 0.4);
  scene.domain.periodic = {true, true, false};
  test::AddPlane(scene, Vec3(0, 0, -0.05), Vec3::UnitZ());
  EXPECT_EQ(OpenFaces(scene, 0.1), Names{"z+"});
  EXPECT_EQ(OpenFaces(scene, 0.04), (Names{"z-", "z+"}));
}

TEST(OpenFaces, WallOverHalfAFaceDoesNotClose) {
  Scene scene = test::EmptyScene(Vec3::Zero(), Vec3(1, 1, 1), 0.4);
  scene.domain.periodic = {true, true, false};
  test::AddPlane(scene, Vec3(0, 0, 1), -Vec3::UnitZ());
  scene.walls.push_back({"half", {{Block{{Vec3(0, 0, -1), Vec3(0.5, 1, 0.1)}}}}, Vec3::Zero(), 0});
  EXPECT_EQ(OpenFaces(scene, 0.01), Names{"z-"});
}

}  // namespace
}  // namespace scree
