// Wall loads over an interval: mean and standard deviation of the sums over the ranks.
#include "engine/observation/wall_load_sums.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/support/scenes.hpp"

namespace scree::wall_load_sums_test {
namespace {

constexpr std::size_t kWalls = 2;

/// Loads on one rank in a step. All components differ, and the mean is large compared with the
/// scatter.
std::vector<WallLoad> LoadsOfRank(int rank, int step) {
  std::vector<WallLoad> loads(kWalls);
  for (std::size_t w = 0; w < kWalls; ++w) {
    const double phase = 0.7 * step + static_cast<double>(w) + 2.0 * rank;
    loads[w].force = Vec3(1e6 + std::sin(phase), std::cos(phase), 3.0 + rank);
    loads[w].torque = Vec3(step, -step, step % 3);
  }
  return loads;
}

/// Mean and standard deviation in two passes.
std::vector<WallLoadMoments> ReferenceMoments(int ranks, int steps) {
  std::vector<WallLoadMoments> moments(kWalls);
  const auto for_each_step = [&](auto&& visit) {
    for (int step = 0; step < steps; ++step) {
      std::vector<WallLoad> sum(kWalls);
      for (int rank = 0; rank < ranks; ++rank) {
        const std::vector<WallLoad> part = LoadsOfRank(rank, step);
        for (std::size_t w = 0; w < kWalls; ++w) {
          sum[w].force += part[w].force;
          sum[w].torque += part[w].torque;
        }
      }
      for (std::size_t w = 0; w < kWalls; ++w) visit(moments[w], sum[w]);
    }
  };
  for_each_step([&](WallLoadMoments& wall, const WallLoad& load) {
    wall.mean.force += load.force / steps;
    wall.mean.torque += load.torque / steps;
  });
  for_each_step([&](WallLoadMoments& wall, const WallLoad& load) {
    wall.deviation.force += (load.force - wall.mean.force).cwiseAbs2() / steps;
    wall.deviation.torque += (load.torque - wall.mean.torque).cwiseAbs2() / steps;
  });
  for (WallLoadMoments& wall_moments : moments) {
    wall_moments.deviation.force = wall_moments.deviation.force.cwiseSqrt();
    wall_moments.deviation.torque = wall_moments.deviation.torque.cwiseSqrt();
  }
  return moments;
}

TEST(WallLoadSums, MomentsEqualThoseOfTwoPasses) {
  const Communicator world = Communicator::World();
  for (const int steps : {1, 5, 256, 700}) {
    WallLoadSums sums = StartWallLoadSums(kWalls);
    for (int step = 0; step < steps; ++step)
      AddStep(world, LoadsOfRank(world.Rank(), step), 1, sums);
    const auto actual = MomentsOf(world, sums);
    const auto expected = ReferenceMoments(world.Size(), steps);
    ASSERT_EQ(actual.size(), kWalls);
    for (std::size_t w = 0; w < kWalls; ++w) {
      EXPECT_LT((actual[w].mean.force - expected[w].mean.force).norm(), 1e-12 * 1e6 * world.Size());
      EXPECT_LT((actual[w].mean.torque - expected[w].mean.torque).norm(),
                1e-12 * steps * world.Size());
      // The error of the deviation is the rounding error of the large mean, not of its square.
      EXPECT_LT((actual[w].deviation.force - expected[w].deviation.force).norm(), 1e-7);
      EXPECT_LT((actual[w].deviation.torque - expected[w].deviation.torque).norm(), 1e-9 * steps);
    }
  }
}

/// Rounding must not make the square of the deviation of a single load negative.
TEST(WallLoadSums, DeviationOfOneLongStepIsZero) {
  const Communicator world = Communicator::World();
  for (const std::int64_t stride : {1, 3, 7, 49, 2731}) {
    for (int step = 0; step < 20; ++step) {
      WallLoadSums sums = StartWallLoadSums(kWalls);
      AddStep(world, LoadsOfRank(world.Rank(), step), stride, sums);
      for (const WallLoadMoments& wall : MomentsOf(world, sums)) {
        EXPECT_EQ(wall.deviation.force, Vec3(0, 0, 0)) << stride;
        EXPECT_EQ(wall.deviation.torque, Vec3(0, 0, 0)) << stride;
      }
    }
  }
}

/// A step of three base steps has the weight of three equal steps of one base step.
TEST(WallLoadSums, LongStepsWeighMoreThanShortOnes) {
  const Communicator world = Communicator::World();
  WallLoadSums long_steps = StartWallLoadSums(kWalls), repeated_steps = long_steps;
  for (int step = 0; step < 300; ++step) {
    const int stride = 1 + step % 3;
    AddStep(world, LoadsOfRank(world.Rank(), step), stride, long_steps);
    for (int k = 0; k < stride; ++k)
      AddStep(world, LoadsOfRank(world.Rank(), step), 1, repeated_steps);
  }
  const auto actual = MomentsOf(world, long_steps), expected = MomentsOf(world, repeated_steps);
  for (std::size_t w = 0; w < kWalls; ++w) {
    EXPECT_LT((actual[w].mean.force - expected[w].mean.force).norm(), 1e-12 * 1e6 * world.Size());
    EXPECT_LT((actual[w].deviation.force - expected[w].deviation.force).norm(), 1e-7);
    EXPECT_LT((actual[w].deviation.torque - expected[w].deviation.torque).norm(), 1e-9 * 300);
  }
}

TEST(WallLoadSums, ComputingMomentsDoesNotChangeTheSums) {
  const Communicator world = Communicator::World();
  WallLoadSums sums = StartWallLoadSums(kWalls), read_sums = sums;
  for (int step = 0; step < 300; ++step) {
    AddStep(world, LoadsOfRank(world.Rank(), step), 1, sums);
    AddStep(world, LoadsOfRank(world.Rank(), step), 1, read_sums);
    MomentsOf(world, read_sums);
  }
  EXPECT_EQ(sums.mean, read_sums.mean);
  EXPECT_EQ(sums.squares, read_sums.squares);
  EXPECT_EQ(sums.pending, read_sums.pending);
  EXPECT_EQ(sums.strides.size(), 300u - 256u);
}

TEST(WallLoadSums, MomentsWithoutStepsAreZeroAndWithoutWallsEmpty) {
  const Communicator world = Communicator::World();
  const auto without_steps = MomentsOf(world, StartWallLoadSums(1));
  ASSERT_EQ(without_steps.size(), 1u);
  EXPECT_EQ(without_steps[0].mean.force, Vec3::Zero());
  EXPECT_EQ(without_steps[0].deviation.torque, Vec3::Zero());
  WallLoadSums empty = StartWallLoadSums(0);
  AddStep(world, {}, 1, empty);
  EXPECT_TRUE(MomentsOf(world, empty).empty());
}

TEST(WallLoadSums, EachIntervalOfATimeStepStartsFromZero) {
  const Communicator world = Communicator::World();
  Scene scene = test::EmptyScene(Vec3::Zero(), Vec3(0.2, 0.1, 0.1), 0.5);
  scene.gravity = Vec3(0, 0, -10);
  test::AddPlane(scene, Vec3::Zero(), Vec3::UnitZ());
  StepParameters parameters;
  State state;
  if (world.IsRoot()) {
    test::AddSphere(state.particles, 1, Vec3(0.1, 0.05, 0.01), 0.01, Vec3(0, 0, -0.5));
  }
  TimeStep step = test::Start(world, scene, parameters, state);
  step.EnableWallLoads(true);
  for (int k = 0; k < 10; ++k) step.Advance(state);
  // The first step stops the sphere, the later steps carry it.
  const double weight = 10.0 * test::Mass(0.01),
               impact_force = 0.5 * test::Mass(0.01) / parameters.dt;
  const WallLoadMoments first = step.Observe(state).interval_loads.at(0);
  EXPECT_NEAR(first.mean.force.z(), -(weight + 0.1 * impact_force), 1e-9 * impact_force);
  EXPECT_NEAR(first.deviation.force.z(), impact_force * std::sqrt(0.1 * 0.9), 1e-9 * impact_force);
  step.StartInterval(state);
  for (int k = 0; k < 10; ++k) step.Advance(state);
  const WallLoadMoments second = step.Observe(state).interval_loads.at(0);
  EXPECT_NEAR(second.mean.force.z(), -weight, 1e-9 * weight);
  EXPECT_NEAR(second.deviation.force.z(), 0.0, 1e-9 * weight);
}

}  // namespace
}  // namespace scree::wall_load_sums_test
