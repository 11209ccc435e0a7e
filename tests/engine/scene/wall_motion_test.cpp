// Positions and velocities of walls at a step.
#include "engine/scene/wall_motion.hpp"

#include <gtest/gtest.h>

#include "tests/support/paper_channel.hpp"

namespace scree::wall_motion_test {
namespace {

using test::kChannelStep;

TEST(WallMotion, ChannelLayersAre94StepsApart) {
  const Scene scene = test::PaperChannel();
  EXPECT_EQ(StepsPerLayer(scene, scene.pistons[0], kChannelStep), 94);
}

TEST(WallMotion, StepsPerLayerAreRoundedUp) {
  Scene scene = test::PaperChannel();
  scene.pistons[0].grain.sizes = 1.0;
  for (int steps = 1; steps < 300; ++steps) {
    scene.walls[0].velocity = Vec3(2.0 / steps, 0, 0);
    EXPECT_EQ(StepsPerLayer(scene, scene.pistons[0], 1.0), steps);
  }
  scene.walls[0].velocity = Vec3(0.3, 0, 0);
  EXPECT_EQ(StepsPerLayer(scene, scene.pistons[0], 1.0), 7);
}

TEST(WallMotion, PistonIsResetAndOtherWallsContinue) {
  Scene scene = test::PaperChannel();
  scene.walls[5].velocity = Vec3(0, -2, 0);
  for (const std::int64_t step : {0, 1, 93, 94, 95, 188, 1000001}) {
    const std::vector<WallPose> poses = WallPoses(scene, kChannelStep, step);
    ASSERT_EQ(poses.size(), scene.walls.size());
    EXPECT_NEAR(poses[0].displacement.x(), 1e-5 * static_cast<double>(step % 94), 1e-18);
    EXPECT_EQ(poses[1].displacement, Vec3::Zero());
    EXPECT_NEAR(poses[5].displacement.y(), -2e-5 * static_cast<double>(step), 1e-13);
  }
}

TEST(WallMotion, EveryWallContinuesWithoutInflow) {
  Scene scene = test::PaperChannel();
  scene.pistons.clear();
  EXPECT_NEAR(WallPoses(scene, kChannelStep, 1000)[0].displacement.x(), 0.01, 1e-15);
}

Scene OneWall(const Shape& shape) {
  Scene scene;
  scene.walls.push_back({"wall", shape});
  return scene;
}

const Shape kBlock{{Block{{Vec3(1, 0, 0), Vec3(2, 1, 1)}}}};

// In the middle of each motion: the change of the velocity of a point that moves with the wall. A
// motion that has just started or ended does not count.
TEST(WallMotion, VelocityChangeIsThatSinceTheLastStep) {
  constexpr double kDt = 1e-3;
  MotionTable::Columns columns;
  columns[MotionTable::kVy] = {0.0, 0.3, -0.2};
  columns[MotionTable::kRate] = {0.0, 5.0, 2.0};
  Scene tabled = OneWall(kBlock), turning = OneWall(kBlock);
  tabled.walls[0].table = MotionTable({0.0, 0.02, 0.05}, columns);
  tabled.walls[0].axis = Vec3::UnitZ();
  turning.walls[0].velocity = Vec3(0, 0, 0.5);
  turning.walls[0].oscillation = {Vec3(0.01, 0, 0), 20.0, 0.3};
  turning.walls[0].rotation = {Vec3(0.1, 0.2, 0), Vec3(0, 3, 4)};
  for (Scene* const scene : {&tabled, &turning}) {
    scene->walls[0].moves_until = 0.04;
    for (const std::int64_t step : {1, 7, 19, 20, 33, 39}) {
      const WallPose now = WallPoses(*scene, kDt, step)[0];
      const WallPose before = WallPoses(*scene, kDt, step - 1)[0];
      const Vec3 x(1.5, 0.3, 0.7), was_at = before.InSpace(now.InShape(x));
      const Vec3 change = now.SurfaceVelocity(x) - before.SurfaceVelocity(was_at);
      EXPECT_GT(change.norm(), 1e-4);
      EXPECT_LT((now.CarriedVelocityChange(x) - change).norm(), 1e-11) << step;
    }
    EXPECT_EQ(WallPoses(*scene, kDt, 40)[0].CarriedVelocityChange(Vec3(1, 0, 0)), Vec3::Zero());
  }
  // An oscillation starts at a nonzero velocity.
  EXPECT_LT(WallPoses(turning, kDt, 0)[0].velocity_change.norm(), 0.1);
  EXPECT_GT(WallPoses(turning, kDt, 0)[0].velocity.x(), 1.0);
}

TEST(WallMotion, OscillationIsASineAndItsMeanVelocityLeadsToTheNextPosition) {
  Scene scene = OneWall(kBlock);
  Wall& wall = scene.walls[0];
  wall.velocity = Vec3(0, 0, 0.5);
  wall.oscillation = {Vec3(0.01, 0, 0), 20.0, 0.3};
  constexpr double kDt = 1e-3;
  EXPECT_EQ(WallPoses(scene, kDt, 0)[0].displacement, Vec3::Zero());
  for (const std::int64_t step : {0, 1, 7, 49, 123456}) {
    const WallPose now = WallPoses(scene, kDt, step)[0], next = WallPoses(scene, kDt, step + 1)[0];
    const double t = kDt * static_cast<double>(step);
    const double expected =
        0.01 * (std::sin(2.0 * 3.14159265358979 * 20.0 * t + 0.3) - std::sin(0.3));
    EXPECT_NEAR(now.displacement.x(), expected, 1e-10);
    EXPECT_NEAR(now.displacement.z(), 0.5 * t, 1e-12);
    EXPECT_LT((now.displacement + kDt * now.velocity - next.displacement).norm(), 1e-14);
  }
  // The period is 50 steps, however many steps have passed.
  EXPECT_NEAR(WallPoses(scene, kDt, 50000007)[0].velocity.x(),
              WallPoses(scene, kDt, 7)[0].velocity.x(), 1e-6);
}

TEST(WallMotion, RotationIsAboutACentreThatMovesWithTheWall) {
  Scene scene = OneWall(kBlock);
  Wall& wall = scene.walls[0];
  wall.velocity = Vec3(0, 0, 2.0);
  wall.rotation = {Vec3(1, 0, 0), Vec3(0, 0, 0.5 * 3.14159265358979)};
  const WallPose pose = WallPoses(scene, 1e-2, 100)[0];  // a quarter turn and 2 m up
  EXPECT_TRUE(pose.is_rotated);
  EXPECT_LT((pose.InSpace(Vec3(2, 0, 0)) - Vec3(1, 1, 2)).norm(), 1e-12);
  EXPECT_LT((pose.InShape(Vec3(1, 1, 2)) - Vec3(2, 0, 0)).norm(), 1e-12);
  EXPECT_LT((pose.DirectionInSpace(Vec3::UnitX()) - Vec3::UnitY()).norm(), 1e-12);
  const Vec3 surface = pose.SurfaceVelocity(Vec3(1, 1, 2));
  EXPECT_LT((surface - Vec3(-0.5 * 3.14159265358979, 0, 2)).norm(), 1e-12);
}

TEST(WallMotion, BeltRotatesWithItsWallButDoesNotMoveTheShape) {
  Scene scene = OneWall(kBlock);
  Wall& wall = scene.walls[0];
  wall.surface_velocity = Vec3(2, 0, 1);
  wall.rotation = {Vec3(1, 0, 0), Vec3(0, 0, 0.5 * 3.14159265358979)};
  wall.moves_from = 1.0;
  wall.moves_until = 2.5;
  EXPECT_FALSE(WallPoses(scene, 1e-2, 99)[0].IsBelt());
  EXPECT_EQ(WallPoses(scene, 1e-2, 100)[0].belt, Vec3(2, 0, 1));
  const WallPose turned = WallPoses(scene, 1e-2, 200)[0];  // by a quarter turn
  EXPECT_LT((turned.belt - Vec3(0, 2, 1)).norm(), 1e-12);
  EXPECT_LT((turned.BeltVelocityAt(Vec3::UnitZ()) - Vec3(0, 2, 0)).norm(), 1e-12);
  EXPECT_FALSE(WallPoses(scene, 1e-2, 250)[0].IsBelt());
  wall.rotation = {};
  EXPECT_EQ(WallPoses(scene, 1e-2, 200)[0].displacement, Vec3::Zero());
  EXPECT_EQ(MaxWallSpeed(scene, 1e-2, 200, 0.5), 0.0);  // the belt brings no wall nearer
}

TEST(WallMotion, AxisymmetricShapesHaveTheSurfaceVelocityButDoNotRotate) {
  Scene scene = OneWall({{Pipe{Vec3(1, 2, 0), Vec3(1, 2, 5), 0.5}}});
  scene.walls[0].rotation = {Vec3(1, 2, 3), Vec3(0, 0, 4)};
  const WallPose drum = WallPoses(scene, 1e-3, 777)[0];
  EXPECT_FALSE(drum.is_rotated);
  EXPECT_EQ(drum.InShape(Vec3(7, 8, 9)), Vec3(7, 8, 9));
  EXPECT_LT((drum.SurfaceVelocity(Vec3(1.5, 2, 1)) - Vec3(0, 2, 0)).norm(), 1e-14);
  scene.walls[0].rotation.centre.x() = 1.001;
  EXPECT_TRUE(WallPoses(scene, 1e-3, 777)[0].is_rotated);
}

TEST(WallMotion, WallsAreRemovedAtTheStepOfTheirTime) {
  Scene scene = OneWall(kBlock);
  EXPECT_TRUE(WallPoses(scene, 1e-5, std::int64_t{1} << 50)[0].is_present);
  scene.walls[0].removed_at = 7e-4;  // 70 steps, but 7e-4 / 1e-5 is not quite 70
  EXPECT_TRUE(WallPoses(scene, 1e-5, 69)[0].is_present);
  EXPECT_FALSE(WallPoses(scene, 1e-5, 70)[0].is_present);
}

TEST(WallMotion, BoundsOfSpeedAndDisplacementHold) {
  Scene scene = OneWall(kBlock);
  scene.domain.box = {Vec3(-1, -1, -1), Vec3(3, 3, 3)};
  Wall& wall = scene.walls[0];
  wall.velocity = Vec3(0.3, 0, 0);
  wall.oscillation = {Vec3(0, 0.02, 0), 30.0, 1.0};
  wall.rotation = {Vec3(0, 0.5, 0.5), Vec3(1, 2, 3)};
  constexpr double kDt = 1e-3;
  const WallPose from = WallPoses(scene, kDt, 10)[0];
  const Box extent = ReachableExtent(wall.shape, from, scene.domain.box);
  for (std::int64_t step = 11; step < 400; step += 7) {
    const WallPose to = WallPoses(scene, kDt, step)[0];
    const double max = MaxTravel(from, to, extent);
    double longest = 0.0;
    for (int k = 0; k < 1331; ++k) {  // a grid of points that includes all corners
      const Vec3 place(1.0 + k % 11 / 10.0, k / 11 % 11 / 10.0, k / 121 % 11 / 10.0);
      longest = std::max(longest, (to.InSpace(place) - from.InSpace(place)).norm());
    }
    EXPECT_LE(longest, max * (1.0 + 1e-12));
    EXPECT_GE(longest, 0.99 * max);
    EXPECT_LE(max, MaxWallSpeed(scene, kDt, 10, 0.5) * kDt * static_cast<double>(step - 10));
  }
}

TEST(WallMotion, VelocitiesOfATableOfPosesLeadToTheNextPose) {
  Scene scene = OneWall(kBlock);
  Wall& wall = scene.walls[0];
  wall.rotation.centre = Vec3(0.1, 0.0, 0.2);
  MotionTable::Columns columns;
  columns[MotionTable::kZ] = {0.0, 0.5};
  columns[MotionTable::kYaw] = {0.0, 1.2};
  wall.table = MotionTable({0.0, 1.0}, columns);
  const double dt = 0.01;
  for (const std::int64_t step : {0, 1, 37, 99}) {
    const WallPose now = WallPoses(scene, dt, step)[0], next = WallPoses(scene, dt, step + 1)[0];
    const double time = dt * static_cast<double>(step);
    EXPECT_LT((now.displacement - Vec3(0.0, 0.0, 0.5 * time)).norm(), 1e-15);
    EXPECT_LT((now.velocity - Vec3(0.0, 0.0, 0.5)).norm(), 1e-12);
    EXPECT_LT((now.angular_velocity - Vec3(0.0, 0.0, 1.2)).norm(), 1e-12);
    EXPECT_LT((now.rotation - RotationMatrix(RotationBy(Vec3(0.0, 0.0, 1.2 * time)))).norm(),
              1e-14);
    const Mat3 reached = RotationMatrix(RotationBy(dt * now.angular_velocity)) * now.rotation;
    EXPECT_LT((reached - next.rotation).norm(), 1e-14);
  }
}

/// Expects that the velocities of each step lead to the next pose, and the change of the velocity
/// since the preceding step.
void ExpectConsistentSteps(const Scene& scene, double dt, const std::vector<std::int64_t>& steps) {
  for (const std::int64_t step : steps) {
    const WallPose now = WallPoses(scene, dt, step)[0], next = WallPoses(scene, dt, step + 1)[0];
    const WallPose last = WallPoses(scene, dt, step - 1)[0];
    const Mat3 reached = RotationMatrix(RotationBy(dt * now.angular_velocity)) * now.rotation;
    EXPECT_LT((reached - next.rotation).norm(), 1e-14) << step;
    EXPECT_LT((now.displacement + dt * now.velocity - next.displacement).norm(), 1e-15) << step;
    const Vec3 x(1.5, 0.3, 0.7), was_at = last.InSpace(now.InShape(x));
    const Vec3 change = now.SurfaceVelocity(x) - last.SurfaceVelocity(was_at);
    EXPECT_LT((now.CarriedVelocityChange(x) - change).norm(), 1e-11) << step;
  }
}

TEST(WallMotion, RowsOfATableOfPosesAreReachedWithChangingAxes) {
  Scene scene = OneWall(kBlock);
  Wall& wall = scene.walls[0];
  wall.rotation.centre = Vec3(0.1, 0.0, 0.2);
  MotionTable::Columns columns;
  columns[MotionTable::kX] = {1.0, 1.5, 1.2, 1.9};
  columns[MotionTable::kRoll] = {0.3, 0.1, 1.2, -0.4};
  columns[MotionTable::kPitch] = {-0.2, 0.7, 0.0, 0.3};
  columns[MotionTable::kYaw] = {0.0, 1.0, 2.5, 1.4};
  wall.table = MotionTable({0.0, 0.02, 0.05, 0.08}, columns);
  ExpectConsistentSteps(scene, 1e-3, {1, 13, 19, 20, 21, 49, 50, 63, 78});
  // The first row is the pose at time zero. Later rows rotate the wall from there.
  const auto from_angles = [](double roll, double pitch, double yaw) {
    return Mat3(Eigen::AngleAxisd(yaw, Vec3::UnitZ()) * Eigen::AngleAxisd(pitch, Vec3::UnitY()) *
                Eigen::AngleAxisd(roll, Vec3::UnitX()));
  };
  const WallPose third = WallPoses(scene, 1e-3, 50)[0];
  EXPECT_LT((third.rotation - from_angles(1.2, 0.0, 2.5) * from_angles(0.3, -0.2, 0.0).transpose())
                .norm(),
            1e-14);
  EXPECT_NEAR(third.displacement.x(), 0.2, 1e-15);
  EXPECT_EQ(WallPoses(scene, 1e-3, 90)[0].angular_velocity, Vec3::Zero());
}

TEST(WallMotion, ConstantOrientationsAddNothingToATableOfPositions) {
  MotionTable::Columns columns;
  columns[MotionTable::kX] = {0.0, 0.4, -0.3};
  columns[MotionTable::kVz] = {0.0, 0.5, 2.0};
  Scene plain = OneWall(kBlock), posed = OneWall(kBlock);
  plain.walls[0].table = MotionTable({0.0, 0.03, 0.05}, columns);
  columns[MotionTable::kPitch] = {0.7, 0.7, 0.7};
  posed.walls[0].table = MotionTable({0.0, 0.03, 0.05}, columns);
  for (const std::int64_t step : {0, 7, 29, 30, 44, 80}) {
    const WallPose a = WallPoses(plain, 1e-3, step)[0], b = WallPoses(posed, 1e-3, step)[0];
    EXPECT_EQ(a.displacement, b.displacement);
    EXPECT_EQ(a.velocity, b.velocity);
    EXPECT_EQ(a.velocity_change, b.velocity_change);
    EXPECT_LT(b.angular_velocity.norm(), 1e-12);
    EXPECT_LT((b.rotation - Mat3::Identity()).norm(), 1e-15);
  }
}

TEST(WallMotion, TableOfPosesRepeatsFromItsLastPose) {
  Scene scene = OneWall(kBlock);
  MotionTable::Columns columns;
  columns[MotionTable::kY] = {0.0, 0.4, 0.1};
  columns[MotionTable::kRoll] = {0.0, 0.5, 0.2};
  columns[MotionTable::kYaw] = {0.0, 0.0, 1.0};
  scene.walls[0].table = MotionTable({0.0, 0.03, 0.05}, columns);
  scene.walls[0].table.Repeat();
  ExpectConsistentSteps(scene, 1e-3, {7, 49, 50, 51, 99, 100, 130});
  const Mat3 once = WallPoses(scene, 1e-3, 50)[0].rotation;
  EXPECT_LT((WallPoses(scene, 1e-3, 150)[0].rotation - once * once * once).norm(), 1e-14);
}

// Rotations about different axes follow each other in time, whatever their order in the scene.
TEST(WallMotion, LaterRotationFollowsTheTable) {
  Scene scene = OneWall(kBlock);
  Wall& wall = scene.walls[0];
  MotionTable::Columns columns;
  columns[MotionTable::kAngle] = {0.0, 1.0};
  wall.table = MotionTable({0.0, 0.02}, columns);
  wall.axis = Vec3::UnitZ();
  wall.moves_from = 0.03;
  wall.moves_until = 0.05;
  wall.motions.push_back({.name = "first", .until = 0.02, .angular_velocity = Vec3(0, 20, 0)});
  wall.motions.push_back({.name = "last", .from = 0.06, .angular_velocity = Vec3(30, 0, 0)});
  ExpectConsistentSteps(scene, 1e-3, {7, 15, 31, 45, 61, 77});
}

}  // namespace
}  // namespace scree::wall_motion_test
