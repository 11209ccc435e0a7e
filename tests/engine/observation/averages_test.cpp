// The steps at which each average has frames.
#include "engine/observation/averages.hpp"

#include <gtest/gtest.h>

#include "engine/particles/position_corrections.hpp"
#include "tests/support/scenes.hpp"

namespace scree::averages_test {
namespace {

struct TenSteps {
  Scene scene = test::EmptyScene(Vec3::Zero(), Vec3::Ones(), 0.4);
  Averages averages;

  explicit TenSteps(std::vector<AverageSpec> specs) : averages(scene, 1.0, std::move(specs)) {
    Particles particles;
    test::AddSphere(particles, 0, Vec3::Constant(0.5), 0.1);
    averages.AddState(0, particles, nullptr);
    for (std::int64_t step = 1; step <= 10; ++step) {
      // The speed is the step number, so that the sums show the times of the frames.
      particles.velocity[0] = Vec3(static_cast<double>(step), 0, 0);
      averages.AddMotion(step, particles, {});
      averages.AddState(step, particles, nullptr);
    }
  }
  const FieldSums& Field(std::size_t k) const { return std::get<FieldSums>(averages.Sums()[k]); }
  const FlowSums& Flow(std::size_t k, std::size_t row = 0) const {
    return std::get<FlowSeries>(averages.Sums()[k]).at(row);
  }
  double SpeedSum(std::size_t k) const { return Field(k).SlotSums(0)[FieldSums::kSpeedSum]; }
};

TEST(Averages, FieldsHaveFramesFromFirstToLast) {
  const FieldGrid grid{{Vec3::Zero(), Vec3::Ones()}, {1, 1, 1}};
  const TenSteps run({{"all", grid, 0, 10, 1}, {"some", grid, 2, 8, 3}, {"cut", grid, 3, 9, 4}});
  EXPECT_EQ(run.Field(0).frames, 11);
  EXPECT_EQ(run.SpeedSum(0), 55.0);
  EXPECT_EQ(run.Field(1).frames, 3);
  EXPECT_EQ(run.SpeedSum(1), 2.0 + 5.0 + 8.0);
  EXPECT_EQ(run.Field(2).frames, 2);
  EXPECT_EQ(run.SpeedSum(2), 3.0 + 7.0);
}

TEST(Averages, FlowsCountTheStepsBetweenFirstAndLast) {
  // The particle crosses the plane in each step, because it ends at 0.5 and dt v is at least 1.
  const FlowPlane plane{{0.25, 0, 0}, Vec3::UnitX()};
  const TenSteps run({{"all", plane, 0, 10}, {"some", plane, 4, 7}});
  EXPECT_EQ(run.Flow(0).steps, 10);
  EXPECT_EQ(run.Flow(0).particles_forward, 10);
  EXPECT_EQ(run.Flow(1).steps, 3);
  EXPECT_EQ(run.Flow(1).particles_forward, 3);
}

TEST(Averages, IntervalAfterTheEndHasNoSamples) {
  const FieldGrid grid{{Vec3::Zero(), Vec3::Ones()}, {1, 1, 1}};
  const TenSteps run({{"late", grid, 11, 10, 1}, {"flow", FlowPlane(), 10, 10}});
  EXPECT_EQ(run.Field(0).frames, 0);
  EXPECT_EQ(run.Flow(1).steps, 0);
}

TEST(Averages, FlowHasOneRowPerFourSteps) {
  AverageSpec spec{"flow", {FlowPlane{{0.25, 0, 0}, Vec3::UnitX()}}, 1, 10};
  spec.frames_per_row = 4;
  const TenSteps run({spec});
  EXPECT_EQ(std::get<FlowSeries>(run.averages.Sums()[0]).size(), 3u);
  const std::int64_t steps[] = {4, 4, 1};
  for (std::size_t row = 0; row < 3; ++row) {
    EXPECT_EQ(run.Flow(0, row).steps, steps[row]);
    EXPECT_EQ(run.Flow(0, row).particles_forward, steps[row]);
  }
  EXPECT_EQ(run.averages.NextEvent(0), 1);
  EXPECT_EQ(run.averages.NextEvent(5), 9) << "end of a row";
  EXPECT_EQ(run.averages.NextEvent(9), 10);
}

TEST(Averages, AveragesWithoutSpecsAreEmpty) {
  EXPECT_TRUE(TenSteps({}).averages.IsEmpty());
  EXPECT_FALSE(TenSteps({{"flow", FlowPlane(), 0, 10}}).averages.IsEmpty());
}

TEST(Averages, SumOverRanksAddsSumsButNotFrames) {
  const FieldGrid grid{{Vec3::Zero(), Vec3::Ones()}, {1, 1, 1}};
  const TenSteps run(
      {{"all", grid, 0, 10, 1}, {"flow", {FlowPlane{{0.25, 0, 0}, Vec3::UnitX()}}, 0, 10}});
  const Communicator world = Communicator::World();
  const auto field = std::get<FieldSums>(SumOverRanks(world, run.averages.Sums()[0]));
  EXPECT_EQ(field.frames, 11);
  EXPECT_EQ(field.SlotSums(0)[FieldSums::kSpeedSum], 55.0 * world.Size());
  const auto flow = std::get<FlowSeries>(SumOverRanks(world, run.averages.Sums()[1])).at(0);
  EXPECT_EQ(flow.steps, 10);
  EXPECT_EQ(flow.particles_forward, 10 * world.Size());
}

}  // namespace
}  // namespace scree::averages_test
