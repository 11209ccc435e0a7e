// Where walls are at a step.
#include "engine/wall_motion.hpp"

#include <gtest/gtest.h>

#include "tests/support/paper_channel.hpp"

namespace scree {
namespace {

using test::kChannelStep;

TEST(WallMotion, ChannelLayersAre94StepsApart) {
  EXPECT_EQ(StepsPerLayer(test::PaperChannel(), kChannelStep), 94);
}

TEST(WallMotion, StepsPerLayerAreRoundedUp) {
  Scene scene = test::PaperChannel();
  scene.inflow->grain.radius = 1.0;
  for (int steps = 1; steps < 300; ++steps) {
    scene.walls[0].velocity = Vec3(2.0 / steps, 0, 0);
    EXPECT_EQ(StepsPerLayer(scene, 1.0), steps);
  }
  scene.walls[0].velocity = Vec3(0.3, 0, 0);
  EXPECT_EQ(StepsPerLayer(scene, 1.0), 7);
}

TEST(WallMotion, PistonIsSetBackAndOthersGoOn) {
  Scene scene = test::PaperChannel();
  scene.walls[5].velocity = Vec3(0, -2, 0);
  for (const std::int64_t step : {0, 1, 93, 94, 95, 188, 1000001}) {
    const std::vector<Vec3> moved = WallDisplacements(scene, kChannelStep, step);
    ASSERT_EQ(moved.size(), scene.walls.size());
    EXPECT_NEAR(moved[0].x(), 1e-5 * static_cast<double>(step % 94), 1e-18);
    EXPECT_EQ(moved[1], Vec3::Zero());
    EXPECT_NEAR(moved[5].y(), -2e-5 * static_cast<double>(step), 1e-13);
  }
}

TEST(WallMotion, WithoutInflowEveryWallGoesOn) {
  Scene scene = test::PaperChannel();
  scene.inflow.reset();
  EXPECT_NEAR(WallDisplacements(scene, kChannelStep, 1000)[0].x(), 0.01, 1e-15);
}

}  // namespace
}  // namespace scree
