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

TEST(WallMotion, OnlyThePistonIsReset) {
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

TEST(WallMotion, NoWallIsResetWithoutInflow) {
  Scene scene = test::PaperChannel();
  scene.pistons.clear();
  EXPECT_NEAR(WallPoses(scene, kChannelStep, 1000)[0].displacement.x(), 0.01, 1e-15);
}

Scene SceneOfOneWall(const Shape& shape) {
  Scene scene;
  scene.walls.push_back({"wall", shape});
  return scene;
}

const Shape kBlock{{Block{{Vec3(1, 0, 0), Vec3(2, 1, 1)}}}};

// CarriedVelocityChange is the change at a point that moves with the wall, without jumps of the
// velocity when a motion starts or ends.
TEST(WallMotion, CarriedVelocityChangeIsThatSinceTheLastStep) {
  constexpr double kDt = 1e-3;
  MotionTable::Columns columns;
  columns[MotionTable::kVy] = {0.0, 0.3, -0.2};
  columns[MotionTable::kRate] = {0.0, 5.0, 2.0};
  Scene with_table = SceneOfOneWall(kBlock), rotating = SceneOfOneWall(kBlock);
  with_table.walls[0].table = MotionTable({0.0, 0.02, 0.05}, columns);
  with_table.walls[0].axis = Vec3::UnitZ();
  rotating.walls[0].velocity = Vec3(0, 0, 0.5);
  rotating.walls[0].oscillation = {Vec3(0.01, 0, 0), 20.0, 0.3};
  rotating.walls[0].rotation = {Vec3(0.1, 0.2, 0), Vec3(0, 3, 4)};
  for (Scene* const scene : {&with_table, &rotating}) {
    scene->walls[0].moves_until = 0.04;
    for (const std::int64_t step : {1, 7, 19, 20, 33, 39}) {
      const WallPose pose = WallPoses(*scene, kDt, step)[0];
      const WallPose previous_pose = WallPoses(*scene, kDt, step - 1)[0];
      const Vec3 x(1.5, 0.3, 0.7), previous_x = previous_pose.InSpace(pose.InShape(x));
      const Vec3 change = pose.SurfaceVelocity(x) - previous_pose.SurfaceVelocity(previous_x);
      EXPECT_GT(change.norm(), 1e-4);
      EXPECT_LT((pose.CarriedVelocityChange(x) - change).norm(), 1e-11) << step;
    }
    EXPECT_EQ(WallPoses(*scene, kDt, 40)[0].CarriedVelocityChange(Vec3(1, 0, 0)), Vec3::Zero());
  }
  // The oscillation starts with a jump of the velocity, which velocity_change leaves out.
  EXPECT_LT(WallPoses(rotating, kDt, 0)[0].velocity_change.norm(), 0.1);
  EXPECT_GT(WallPoses(rotating, kDt, 0)[0].velocity.x(), 1.0);
}

TEST(WallMotion, OscillationIsASineAndItsMeanVelocityLeadsToTheNextPosition) {
  Scene scene = SceneOfOneWall(kBlock);
  Wall& wall = scene.walls[0];
  wall.velocity = Vec3(0, 0, 0.5);
  wall.oscillation = {Vec3(0.01, 0, 0), 20.0, 0.3};
  constexpr double kDt = 1e-3;
  EXPECT_EQ(WallPoses(scene, kDt, 0)[0].displacement, Vec3::Zero());
  for (const std::int64_t step : {0, 1, 7, 49, 123456}) {
    const WallPose pose = WallPoses(scene, kDt, step)[0],
                   next_pose = WallPoses(scene, kDt, step + 1)[0];
    const double t = kDt * static_cast<double>(step);
    const double expected =
        0.01 * (std::sin(2.0 * 3.14159265358979 * 20.0 * t + 0.3) - std::sin(0.3));
    EXPECT_NEAR(pose.displacement.x(), expected, 1e-10);
    EXPECT_NEAR(pose.displacement.z(), 0.5 * t, 1e-12);
    EXPECT_LT((pose.displacement + kDt * pose.velocity - next_pose.displacement).norm(), 1e-14);
  }
  // The period is 50 steps, however many steps have passed.
  EXPECT_NEAR(WallPoses(scene, kDt, 50000007)[0].velocity.x(),
              WallPoses(scene, kDt, 7)[0].velocity.x(), 1e-6);
}

TEST(WallMotion, RotationIsAboutACentreThatMovesWithTheWall) {
  Scene scene = SceneOfOneWall(kBlock);
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
  Scene scene = SceneOfOneWall(kBlock);
  Wall& wall = scene.walls[0];
  wall.surface_velocity = Vec3(2, 0, 1);
  wall.rotation = {Vec3(1, 0, 0), Vec3(0, 0, 0.5 * 3.14159265358979)};
  wall.moves_from = 1.0;
  wall.moves_until = 2.5;
  EXPECT_FALSE(WallPoses(scene, 1e-2, 99)[0].IsBelt());
  EXPECT_EQ(WallPoses(scene, 1e-2, 100)[0].belt, Vec3(2, 0, 1));
  const WallPose rotated = WallPoses(scene, 1e-2, 200)[0];  // by a quarter turn
  EXPECT_LT((rotated.belt - Vec3(0, 2, 1)).norm(), 1e-12);
  EXPECT_LT((rotated.BeltVelocityAt(Vec3::UnitZ()) - Vec3(0, 2, 0)).norm(), 1e-12);
  EXPECT_FALSE(WallPoses(scene, 1e-2, 250)[0].IsBelt());
  wall.rotation = {};
  EXPECT_EQ(WallPoses(scene, 1e-2, 200)[0].displacement, Vec3::Zero());
  EXPECT_EQ(MaxWallSpeed(scene, 1e-2, 200, 0.5), 0.0);  // the belt brings no wall nearer
}

TEST(WallMotion, AxisymmetricShapesHaveTheSurfaceVelocityButDoNotRotate) {
  Scene scene = SceneOfOneWall({{Pipe{Vec3(1, 2, 0), Vec3(1, 2, 5), 0.5}}});
  scene.walls[0].rotation = {Vec3(1, 2, 3), Vec3(0, 0, 4)};
  const WallPose drum = WallPoses(scene, 1e-3, 777)[0];
  EXPECT_FALSE(drum.is_rotated);
  EXPECT_EQ(drum.InShape(Vec3(7, 8, 9)), Vec3(7, 8, 9));
  EXPECT_LT((drum.SurfaceVelocity(Vec3(1.5, 2, 1)) - Vec3(0, 2, 0)).norm(), 1e-14);
  scene.walls[0].rotation.centre.x() = 1.001;
  EXPECT_TRUE(WallPoses(scene, 1e-3, 777)[0].is_rotated);
}

TEST(WallMotion, AxisymmetricShapesTurnTheirBeltsAndBonds) {
  Scene belt = SceneOfOneWall({{Cylinder{Vec3(0, 0, 0), Vec3(0, 0, 5), 0.5}}});
  belt.walls[0].rotation = {Vec3::Zero(), Vec3(0, 0, 0.5 * 3.14159265358979)};
  Scene bonds = belt;
  bonds.bonds.emplace_back();
  EXPECT_TRUE(WallPoses(bonds, 1e-2, 100)[0].is_rotated);
  belt.walls[0].surface_velocity = Vec3(2, 0, 0);
  EXPECT_LT((WallPoses(belt, 1e-2, 100)[0].belt - Vec3(0, 2, 0)).norm(), 1e-12);
}

TEST(WallMotion, WallsAreRemovedInTheStepOfTheirRemovalTime) {
  Scene scene = SceneOfOneWall(kBlock);
  EXPECT_TRUE(WallPoses(scene, 1e-5, std::int64_t{1} << 50)[0].is_present);
  scene.walls[0].removed_at = 7e-4;  // 70 steps, but 7e-4 / 1e-5 is not quite 70
  EXPECT_TRUE(WallPoses(scene, 1e-5, 69)[0].is_present);
  EXPECT_FALSE(WallPoses(scene, 1e-5, 70)[0].is_present);
}

TEST(WallMotion, NoPointExceedsTheBoundsOfSpeedAndDisplacement) {
  Scene scene = SceneOfOneWall(kBlock);
  scene.domain.box = {Vec3(-1, -1, -1), Vec3(3, 3, 3)};
  Wall& wall = scene.walls[0];
  wall.velocity = Vec3(0.3, 0, 0);
  wall.oscillation = {Vec3(0, 0.02, 0), 30.0, 1.0};
  wall.rotation = {Vec3(0, 0.5, 0.5), Vec3(1, 2, 3)};
  constexpr double kDt = 1e-3;
  const WallPose start = WallPoses(scene, kDt, 10)[0];
  const Box extent = ReachableExtent(wall.shape, start, scene.domain.box);
  for (std::int64_t step = 11; step < 400; step += 7) {
    const WallPose end = WallPoses(scene, kDt, step)[0];
    const double max = MaxTravel(start, end, extent);
    double longest = 0.0;
    for (int k = 0; k < 1331; ++k) {  // a grid of points that includes all corners
      const Vec3 corner(1.0 + k % 11 / 10.0, k / 11 % 11 / 10.0, k / 121 % 11 / 10.0);
      longest = std::max(longest, (end.InSpace(corner) - start.InSpace(corner)).norm());
    }
    EXPECT_LE(longest, max * (1.0 + 1e-12));
    EXPECT_GE(longest, 0.99 * max);
    EXPECT_LE(max, MaxWallSpeed(scene, kDt, 10, 0.5) * kDt * static_cast<double>(step - 10));
  }
}

TEST(WallMotion, VelocitiesOfATableOfPosesLeadToTheNextPose) {
  Scene scene = SceneOfOneWall(kBlock);
  Wall& wall = scene.walls[0];
  wall.rotation.centre = Vec3(0.1, 0.0, 0.2);
  MotionTable::Columns columns;
  columns[MotionTable::kZ] = {0.0, 0.5};
  columns[MotionTable::kYaw] = {0.0, 1.2};
  wall.table = MotionTable({0.0, 1.0}, columns);
  const double dt = 0.01;
  for (const std::int64_t step : {0, 1, 37, 99}) {
    const WallPose pose = WallPoses(scene, dt, step)[0],
                   next_pose = WallPoses(scene, dt, step + 1)[0];
    const double time = dt * static_cast<double>(step);
    EXPECT_LT((pose.displacement - Vec3(0.0, 0.0, 0.5 * time)).norm(), 1e-15);
    EXPECT_LT((pose.velocity - Vec3(0.0, 0.0, 0.5)).norm(), 1e-12);
    EXPECT_LT((pose.angular_velocity - Vec3(0.0, 0.0, 1.2)).norm(), 1e-12);
    EXPECT_LT((pose.rotation - RotationMatrix(RotationBy(Vec3(0.0, 0.0, 1.2 * time)))).norm(),
              1e-14);
    const Mat3 reached_orientation =
        RotationMatrix(RotationBy(dt * pose.angular_velocity)) * pose.rotation;
    EXPECT_LT((reached_orientation - next_pose.rotation).norm(), 1e-14);
  }
}

/// Expects that the velocities of each step lead to the next pose, and that the velocity change is
/// that since the preceding step.
void ExpectConsistentSteps(const Scene& scene, double dt, const std::vector<std::int64_t>& steps) {
  for (const std::int64_t step : steps) {
    const WallPose pose = WallPoses(scene, dt, step)[0],
                   next_pose = WallPoses(scene, dt, step + 1)[0];
    const WallPose previous_pose = WallPoses(scene, dt, step - 1)[0];
    const Mat3 reached_orientation =
        RotationMatrix(RotationBy(dt * pose.angular_velocity)) * pose.rotation;
    EXPECT_LT((reached_orientation - next_pose.rotation).norm(), 1e-14) << step;
    EXPECT_LT((pose.displacement + dt * pose.velocity - next_pose.displacement).norm(), 1e-15)
        << step;
    const Vec3 x(1.5, 0.3, 0.7), previous_x = previous_pose.InSpace(pose.InShape(x));
    const Vec3 change = pose.SurfaceVelocity(x) - previous_pose.SurfaceVelocity(previous_x);
    EXPECT_LT((pose.CarriedVelocityChange(x) - change).norm(), 1e-11) << step;
  }
}

TEST(WallMotion, RowsOfATableOfPosesAreReachedWithChangingAxes) {
  Scene scene = SceneOfOneWall(kBlock);
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
  const auto rotation_of = [](double roll, double pitch, double yaw) {
    return Mat3(Eigen::AngleAxisd(yaw, Vec3::UnitZ()) * Eigen::AngleAxisd(pitch, Vec3::UnitY()) *
                Eigen::AngleAxisd(roll, Vec3::UnitX()));
  };
  const WallPose third = WallPoses(scene, 1e-3, 50)[0];
  EXPECT_LT((third.rotation - rotation_of(1.2, 0.0, 2.5) * rotation_of(0.3, -0.2, 0.0).transpose())
                .norm(),
            1e-14);
  EXPECT_NEAR(third.displacement.x(), 0.2, 1e-15);
  EXPECT_EQ(WallPoses(scene, 1e-3, 90)[0].angular_velocity, Vec3::Zero());
}

TEST(WallMotion, ConstantOrientationsAddNothingToATableOfPositions) {
  MotionTable::Columns columns;
  columns[MotionTable::kX] = {0.0, 0.4, -0.3};
  columns[MotionTable::kVz] = {0.0, 0.5, 2.0};
  Scene without_angles = SceneOfOneWall(kBlock), with_angles = SceneOfOneWall(kBlock);
  without_angles.walls[0].table = MotionTable({0.0, 0.03, 0.05}, columns);
  columns[MotionTable::kPitch] = {0.7, 0.7, 0.7};
  with_angles.walls[0].table = MotionTable({0.0, 0.03, 0.05}, columns);
  for (const std::int64_t step : {0, 7, 29, 30, 44, 80}) {
    const WallPose a = WallPoses(without_angles, 1e-3, step)[0],
                   b = WallPoses(with_angles, 1e-3, step)[0];
    EXPECT_EQ(a.displacement, b.displacement);
    EXPECT_EQ(a.velocity, b.velocity);
    EXPECT_EQ(a.velocity_change, b.velocity_change);
    EXPECT_LT(b.angular_velocity.norm(), 1e-12);
    EXPECT_LT((b.rotation - Mat3::Identity()).norm(), 1e-15);
  }
}

TEST(WallMotion, TableOfPosesRepeatsFromItsLastPose) {
  Scene scene = SceneOfOneWall(kBlock);
  MotionTable::Columns columns;
  columns[MotionTable::kY] = {0.0, 0.4, 0.1};
  columns[MotionTable::kRoll] = {0.0, 0.5, 0.2};
  columns[MotionTable::kYaw] = {0.0, 0.0, 1.0};
  scene.walls[0].table = MotionTable({0.0, 0.03, 0.05}, columns);
  scene.walls[0].table.Repeat();
  ExpectConsistentSteps(scene, 1e-3, {7, 49, 50, 51, 99, 100, 130});
  const Mat3 first_rotation = WallPoses(scene, 1e-3, 50)[0].rotation;
  EXPECT_LT(
      (WallPoses(scene, 1e-3, 150)[0].rotation - first_rotation * first_rotation * first_rotation)
          .norm(),
      1e-14);
}

// The rotations are about different axes, and their order in time is not that of the scene.
TEST(WallMotion, RotationsAreAppliedInTheOrderOfTime) {
  Scene scene = SceneOfOneWall(kBlock);
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
