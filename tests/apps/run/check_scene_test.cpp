// --check: a good scene needs no advice; each bad quantity has its own advice.
#include "apps/run/check_scene.hpp"

#include <gtest/gtest.h>

#include <filesystem>

#include "io/scene/config_reader.hpp"
#include "tests/io/scratch.hpp"
#include "tests/support/message_of.hpp"

namespace scree::check_scene_test {
namespace {

RunConfig GoodConfig() {
  return ReadRunConfig(ReadSceneFile(SCREE_SOURCE_DIR "/apps/scenes/channel_small.ini"), "s.ini",
                       {});
}

SceneStatistics GoodStatistics() {
  SceneStatistics statistics;
  statistics.steps = 1000;
  statistics.step = statistics.longest_step = GoodConfig().step.dt;
  statistics.particles = statistics.max_particles = statistics.min_on_rank =
      statistics.max_on_rank = 10000;
  statistics.smallest_radius = statistics.largest_radius = statistics.smallest_ball = 1e-3;
  statistics.speed = statistics.fall_speed = 1.0;
  statistics.snapshots = 3;
  return statistics;
}

/// Changes one of the good quantities and returns the advice, of which there must be only one.
template <class Change>
std::string AdviceAfter(Change&& change) {
  RunConfig config = GoodConfig();
  SceneStatistics statistics = GoodStatistics();
  change(config, statistics);
  const std::vector<std::string> advice = AdviceOn(config, statistics);
  EXPECT_EQ(advice.size(), 1u);
  return advice.empty() ? "" : advice[0];
}

TEST(AdviceOn, GoodStatisticsNeedNoAdvice) {
  EXPECT_TRUE(AdviceOn(GoodConfig(), GoodStatistics()).empty());
}

TEST(AdviceOn, LinksThatStartInWallsAreListed) {
  const std::string advice = AdviceAfter([](RunConfig& config, SceneStatistics&) {
    Scene& scene = config.scene;
    scene.walls = {{"floor", {{Plane{}}}}, {"keel", {{Ball{Vec3(0, 0, 0.08), 0.1}}}}};
    scene.walls[1].link = 0;
    scene.links = {{.name = "boat", .mass = 1.0, .inertia = Mat3::Identity()}};
    scene.joints = {{.name = "float", .kind = JointKind::kFree}};
  });
  EXPECT_TRUE(
      Contains(advice, "[wall.keel] of [link.boat] starts about 0.02 m inside [wall.floor], at"))
      << advice;
  EXPECT_TRUE(Contains(advice, "let limits of joints keep them apart")) << advice;
}

TEST(AdviceOn, OnlySomeOfManyLinksThatStartInWallsAreListed) {
  Scene scene = GoodConfig().scene;
  scene.walls = {{"floor", {{Plane{}}}}};
  for (int k = 0; k < 11; ++k) {
    scene.walls.push_back({Text("keel", k), {{Ball{Vec3(k, 0, 0.08), 0.1}}}});
    scene.walls.back().link = k;
    scene.links.push_back({.name = Text("boat", k), .mass = 1.0, .inertia = Mat3::Identity()});
    scene.joints.push_back({.name = Text("float", k), .kind = JointKind::kFree, .child = k});
  }
  const std::vector<std::string> advice = AdviceOnLinks(scene);
  ASSERT_EQ(advice.size(), 9u);
  EXPECT_EQ(advice.back(), "3 more pairs of walls of links overlap");
}

TEST(AdviceOn, TravelInAStepHasATighterLimitIfBodiesRebound) {
  const auto advice = [](double speed, double restitution) {
    RunConfig config = GoodConfig();
    config.scene.materials.SetRestitution(0, 0, {.constant = restitution});
    SceneStatistics statistics = GoodStatistics();
    statistics.fall_speed = speed;
    const std::vector<std::string> sentences = AdviceOn(config, statistics);
    return sentences.empty() ? std::string() : sentences[0];
  };
  EXPECT_TRUE(Contains(advice(60.0, 0.0), "v dt / r is 0.01 and may become 0.6; below 0.5"))
      << advice(60.0, 0.0);
  EXPECT_EQ(advice(40.0, 0.0), "");
  EXPECT_TRUE(Contains(advice(10.0, 0.5), "v dt / r of rebounding bodies is")) << advice(10.0, 0.5);
  EXPECT_TRUE(
      Contains(advice(10.0, 0.5), "may become 0.1; below 0.05 is good: use [time] step = auto"))
      << advice(10.0, 0.5);
}

TEST(AdviceOn, StepThatIsTooLongForTheWeightIsNamed) {
  EXPECT_TRUE(Contains(AdviceAfter([](RunConfig&, SceneStatistics& statistics) {
                         statistics.step = 1e-3;
                         statistics.speed = statistics.fall_speed = 0.0;
                       }),
                       "g dt^2 / r is 0.00981"));
}

TEST(AdviceOn, TooFewSweepsForReboundsAreNamed) {
  const auto too_few_sweeps = [](double restitution, int sweeps) {
    RunConfig config = GoodConfig();
    config.scene.materials.SetRestitution(0, 0, {.constant = restitution});
    config.step.solver.sweeps = sweeps;
    config.step.solver.tolerance = 0.0;
    return AdviceOn(config, GoodStatistics());
  };
  ASSERT_EQ(too_few_sweeps(0.9, 4).size(), 1u);
  EXPECT_TRUE(Contains(too_few_sweeps(0.9, 4)[0], "sweeps is 4")) << too_few_sweeps(0.9, 4)[0];
  EXPECT_TRUE(too_few_sweeps(0.9, 5).empty());
  EXPECT_TRUE(too_few_sweeps(0.0, 4).empty());
}

TEST(AdviceOn, TooLargeStrainInAStepIsNamed) {
  const auto config_with = [](double rate) {
    RunConfig config = GoodConfig();
    config.scene.domain.shear.rate = rate;
    return config;
  };
  const double dt = GoodConfig().step.dt;
  EXPECT_TRUE(AdviceOn(config_with(-0.005 / dt), GoodStatistics()).empty());
  const std::vector<std::string> advice = AdviceOn(config_with(-0.1 / dt), GoodStatistics());
  ASSERT_EQ(advice.size(), 1u);
  EXPECT_TRUE(Contains(advice[0], "the strain in a step, is 0.1; below 0.005")) << advice[0];
}

TEST(AdviceOn, WallThatClosesInTooFastIsNamed) {
  const std::string advice = AdviceAfter([](RunConfig&, SceneStatistics& statistics) {
    statistics.closing_walls = {{"slow", 1e4, 4.9}, {"lid", 1e4, 60.0}};
  });
  EXPECT_TRUE(Contains(advice,
                       "[wall.lid] closes in at up to 60 m/s until it meets grains, 0.6 radii "
                       "in a step"))
      << advice;
  EXPECT_TRUE(Contains(advice, "a damping of at least 200 N s/m")) << advice;
}

TEST(AdviceOn, AdviceCoversOverlapRanksAndSnapshots) {
  EXPECT_TRUE(Contains(
      AdviceAfter([](RunConfig&, SceneStatistics& statistics) { statistics.overlap = 1e-4; }),
      "0.0001 m"));
  EXPECT_TRUE(Contains(AdviceAfter([](RunConfig& config, SceneStatistics& statistics) {
                         statistics.snapshots = 0;
                         config.output.interval = config.output.log_every =
                             config.checkpoint.interval = {};
                       }),
                       "[output] every = never, log_every = never"));
  EXPECT_TRUE(Contains(AdviceAfter([](RunConfig&, SceneStatistics& statistics) {
                         statistics.ranks = 50;
                         statistics.min_on_rank = statistics.max_on_rank = 200;
                       }),
                       "fewer ranks"));
  EXPECT_TRUE(Contains(AdviceAfter([](RunConfig&, SceneStatistics& statistics) {
                         statistics.ranks = 2;
                         statistics.imbalance = 1.8;
                       }),
                       "busiest rank has 1.8 times"));
}

TEST(AdviceOn, ChangeAtTheEndOrLaterIsReported) {
  const std::string advice = AdviceAfter([](RunConfig& config, SceneStatistics&) {
    config.changes = {{0.5 * config.time.end, {}}, {config.time.end, {}}};
  });
  EXPECT_TRUE(Contains(advice, "is not before the end of the run")) << advice;
}

TEST(StatisticsLines, PredictTheTimeOfARun) {
  SceneStatistics statistics = GoodStatistics();
  EXPECT_FALSE(Contains(StatisticsLines(GoodConfig(), statistics), "run time"));
  statistics.timed_steps = 5;
  statistics.step_seconds = 0.06;
  statistics.full_seconds = 0.3;
  const std::string lines = StatisticsLines(GoodConfig(), statistics);
  EXPECT_TRUE(
      Contains(lines, "# run time    plan for 5m00s if all particles are in contact, about 1m00s"))
      << lines;
}

TEST(StatisticsLines, ListChangesDuringTheRun) {
  RunConfig config = GoodConfig();
  config.changes = {{2e-3, {{"contact", "friction", 0.2}}}};
  const std::string lines = StatisticsLines(config, GoodStatistics());
  EXPECT_TRUE(Contains(lines, "# change      at 0.002 s, step 200: contact.friction = 0.2"))
      << lines;
}

TEST(StatisticsLines, WarnOfAStepThatReducesThePistonsInflow) {
  RunConfig config = GoodConfig();
  config.step.dt = 40e-6;
  SceneStatistics statistics = GoodStatistics();
  statistics.inflows = {{"", 240, 24, 5760, 0.0, 9.4e-4}};
  const std::string lines = StatisticsLines(config, statistics);
  EXPECT_TRUE(
      Contains(lines, "2.08 % less than fits: the piston makes space for a layer every 0.00094 s"))
      << lines;
  config.step.dt = 47e-6;
  statistics.inflows[0].interval = 20;
  EXPECT_FALSE(Contains(StatisticsLines(config, statistics), "less than fits"));
}

TEST(CheckScene, PrintsPredictionsAndWritesOnlyWalls) {
  const Scratch scratch(Communicator::Self());
  RunConfig config = GoodConfig();
  config.output.directory = scratch / "new/out";
  const std::string text = CheckScene(Communicator::Self(), config);
  EXPECT_TRUE(Contains(text, "# particles   11532 at time zero")) << text;
  EXPECT_TRUE(Contains(text, "# inserted    up to 240 every 94 steps")) << text;
  EXPECT_TRUE(Contains(text, "none, all values are good")) << text;
  EXPECT_TRUE(Contains(text, "# run time    plan for ")) << text;
  EXPECT_TRUE(text.starts_with("# particles")) << "the configuration is printed too";
  EXPECT_TRUE(FileBytes(scratch / "new/out/check_walls.vtk").starts_with("# vtk"));
  const std::filesystem::directory_iterator files(config.output.directory);
  EXPECT_EQ(std::distance(begin(files), end(files)), 1);
}

TEST(CheckScene, PredictsForOtherNumbersOfRanks) {
  const Scratch scratch(Communicator::Self());
  RunConfig config = GoodConfig();
  config.output.directory = scratch / "out";
  const std::string text = CheckScene(Communicator::Self(), config, 16);
  EXPECT_TRUE(Contains(text, "# ranks       16 as 16 boxes by bisection, boxes of ")) << text;
  EXPECT_TRUE(
      Contains(text, "# balance     work counted in the first step, max/mean over the ranks: 1"))
      << text;
  config.parallel.subdomains = {2, 2, 2};
  EXPECT_THROW(CheckScene(Communicator::Self(), config, 16), InputError) << "8 boxes for 16 ranks";
}

TEST(StatisticsLines, BondNumberIsTheRatioOfPullToWeight) {
  RunConfig config = GoodConfig();
  EXPECT_FALSE(Contains(StatisticsLines(config, GoodStatistics()), "Bond number"));
  const double weight = 2650.0 * SphereVolume(1e-3) * 9.81;
  config.scene.materials.SetLaw<CohesionLaw>(0, 0, {.force = 3.0 * weight});
  EXPECT_TRUE(Contains(StatisticsLines(config, GoodStatistics()), " N, 3 times their weight"))
      << StatisticsLines(config, GoodStatistics());
}

TEST(StatisticsLines, BondNumberOfPolyhedraUsesInscribedRadiusAndLightestBody) {
  RunConfig config = GoodConfig();
  ClumpDescription cube;
  cube.name = "cube";
  cube.solid = "box";
  cube.size = {1.0};  // rounded by a twentieth of the inscribed radius
  config.scene.clumps.push_back(MakeClumpShape(cube));
  config.scene.materials.SetLaw<CohesionLaw>(0, 0, {.force = 3e-3 * 9.81});
  SceneStatistics statistics = GoodStatistics();
  statistics.smallest_radius = 1e-4;
  statistics.smallest_ball = 2e-3;
  statistics.smallest_mass = 1e-3;
  const std::string text = StatisticsLines(config, statistics);
  EXPECT_TRUE(Contains(text, "overlaps of up to 1.2e-06 m, 0.0006 r, may stay")) << text;
  EXPECT_TRUE(
      Contains(text, "the lightest bodies resists pulls up to 0.0294 N, 3 times their weight"))
      << text;
}

TEST(CheckScene, DirectoryThatCannotBeCreatedIsAnOutputError) {
  const Scratch scratch(Communicator::Self());
  PutFile(Communicator::Self(), scratch / "file", "");
  RunConfig config = GoodConfig();
  config.output.directory = scratch / "file/out";
  EXPECT_THROW(CheckScene(Communicator::Self(), config), OutputError);
}

}  // namespace
}  // namespace scree::check_scene_test
