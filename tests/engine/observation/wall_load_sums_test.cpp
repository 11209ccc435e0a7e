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
std::vector<WallLoad> PartOf(int rank, int step) {
  std::vector<WallLoad> loads(kWalls);
  for (std::size_t w = 0; w < kWalls; ++w) {
    const double phase = 0.7 * step + static_cast<double>(w) + 2.0 * rank;
    loads[w].force = Vec3(1e6 + std::sin(phase), std::cos(phase), 3.0 + rank);
    loads[w].torque = Vec3(step, -step, step % 3);
  }
  return loads;
}

/// Mean and standard deviation in two passes.
std::vector<WallLoadMoments> SlowMoments(int ranks, int steps) {
  std::vector<WallLoadMoments> moments(kWalls);
  const auto each = [&](auto&& visit) {
    for (int step = 0; step < steps; ++step) {
      std::vector<WallLoad> sum(kWalls);
      for (int rank = 0; rank < ranks; ++rank) {
        const std::vector<WallLoad> part = PartOf(rank, step);
        for (std::size_t w = 0; w < kWalls; ++w) {
          sum[w].force += part[w].force;
          sum[w].torque += part[w].torque;
        }
      }
      for (std::size_t w = 0; w < kWalls; ++w) visit(moments[w], sum[w]);
    }
  };
  each([&](WallLoadMoments& wall, const WallLoad& load) {
    wall.mean.force += load.force / steps;
    wall.mean.torque += load.torque / steps;
  });
  each([&](WallLoadMoments& wall, const WallLoad& load) {
    wall.deviation.force += (load.force - wall.mean.force).cwiseAbs2() / steps;
    wall.deviation.torque += (load.torque - wall.mean.torque).cwiseAbs2() / steps;
  });
  for (WallLoadMoments& of : moments) {
    of.deviation.force = of.deviation.force.cwiseSqrt();
    of.deviation.torque = of.deviation.torque.cwiseSqrt();
  }
  return moments;
}

TEST(WallLoadSums, EqualsTwoPassesOverShortAndLongIntervals) {
  const Communicator world = Communicator::World();
  for (const int steps : {1, 5, 256, 700}) {
    WallLoadSums book = StartWallLoadSums(kWalls);
    for (int step = 0; step < steps; ++step) AddStep(world, PartOf(world.Rank(), step), 1, book);
    const auto is = MomentsOf(world, book);
    const auto should = SlowMoments(world.Size(), steps);
    ASSERT_EQ(is.size(), kWalls);
    for (std::size_t w = 0; w < kWalls; ++w) {
      EXPECT_LT((is[w].mean.force - should[w].mean.force).norm(), 1e-12 * 1e6 * world.Size());
      EXPECT_LT((is[w].mean.torque - should[w].mean.torque).norm(), 1e-12 * steps * world.Size());
      // The deviation contains the rounding of the large mean, but not of its square.
      EXPECT_LT((is[w].deviation.force - should[w].deviation.force).norm(), 1e-7);
      EXPECT_LT((is[w].deviation.torque - should[w].deviation.torque).norm(), 1e-9 * steps);
    }
  }
}

/// A step of three base steps counts like three equal steps of one base step.
TEST(WallLoadSums, LongStepsWeighMore) {
  const Communicator world = Communicator::World();
  WallLoadSums whole = StartWallLoadSums(kWalls), parts = whole;
  for (int step = 0; step < 300; ++step) {
    const int stride = 1 + step % 3;
    AddStep(world, PartOf(world.Rank(), step), stride, whole);
    for (int k = 0; k < stride; ++k) AddStep(world, PartOf(world.Rank(), step), 1, parts);
  }
  const auto is = MomentsOf(world, whole), should = MomentsOf(world, parts);
  for (std::size_t w = 0; w < kWalls; ++w) {
    EXPECT_LT((is[w].mean.force - should[w].mean.force).norm(), 1e-12 * 1e6 * world.Size());
    EXPECT_LT((is[w].deviation.force - should[w].deviation.force).norm(), 1e-7);
    EXPECT_LT((is[w].deviation.torque - should[w].deviation.torque).norm(), 1e-9 * 300);
  }
}

TEST(WallLoadSums, ReadingChangesNothing) {
  const Communicator world = Communicator::World();
  WallLoadSums book = StartWallLoadSums(kWalls), looked_at = book;
  for (int step = 0; step < 300; ++step) {
    AddStep(world, PartOf(world.Rank(), step), 1, book);
    AddStep(world, PartOf(world.Rank(), step), 1, looked_at);
    MomentsOf(world, looked_at);
  }
  EXPECT_EQ(book.mean, looked_at.mean);
  EXPECT_EQ(book.squares, looked_at.squares);
  EXPECT_EQ(book.pending, looked_at.pending);
  EXPECT_EQ(book.strides.size(), 300u - 256u);
}

TEST(WallLoadSums, NoStepsGiveZerosAndNoWallsGiveNothing) {
  const Communicator world = Communicator::World();
  const auto none = MomentsOf(world, StartWallLoadSums(1));
  ASSERT_EQ(none.size(), 1u);
  EXPECT_EQ(none[0].mean.force, Vec3::Zero());
  EXPECT_EQ(none[0].deviation.torque, Vec3::Zero());
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
  const double weight = 10.0 * test::Mass(0.01), blow = 0.5 * test::Mass(0.01) / parameters.dt;
  const WallLoadMoments first = step.Observe(state).interval_loads.at(0);
  EXPECT_NEAR(first.mean.force.z(), -(weight + 0.1 * blow), 1e-9 * blow);
  EXPECT_NEAR(first.deviation.force.z(), blow * std::sqrt(0.1 * 0.9), 1e-9 * blow);
  step.StartInterval(state);
  for (int k = 0; k < 10; ++k) step.Advance(state);
  const WallLoadMoments second = step.Observe(state).interval_loads.at(0);
  EXPECT_NEAR(second.mean.force.z(), -weight, 1e-9 * weight);
  EXPECT_NEAR(second.deviation.force.z(), 0.0, 1e-9 * weight);
}

}  // namespace
}  // namespace scree::wall_load_sums_test
