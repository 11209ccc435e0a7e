// Where particles can come to: open faces, gaps, heights; on any ranks.
#include "apps/reachable_space.hpp"

#include <gtest/gtest.h>

#include "tests/support/channel_scene.hpp"

namespace scree::reachable_space_test {
namespace {

using Names = std::vector<std::string>;

/// One sphere, held by the last rank.
ReachableSpace From(const Scene& scene, const Vec3& place, double radius, double speed = 0.0) {
  const Communicator world = Communicator::World();
  Particles particles;
  if (world.Rank() == world.Size() - 1) test::AddSphere(particles, 0, place, radius);
  return FindReachableSpace(world, scene, particles, radius, speed);
}

Scene BoxWithFloor() {
  Scene scene = test::EmptyScene(Vec3::Zero(), Vec3(1, 1, 1), 0.4);
  scene.gravity = Vec3(0, 0, -9.81);
  test::AddPlane(scene, Vec3(0, 0, 0.1), Vec3::UnitZ());
  return scene;
}

TEST(ReachableSpace, AChannelIsClosedByWallsAndOutflow) {
  const Communicator world = Communicator::World();
  Scene scene = test::SmallChannel();
  const Particles particles = test::FilledChannel(world, scene).particles;
  EXPECT_EQ(FindReachableSpace(world, scene, particles, 0.00047, 1.0).open_faces, Names{});
  scene.outflow[0][1] = false;
  EXPECT_EQ(FindReachableSpace(world, scene, particles, 0.00047, 1.0).open_faces, Names{"x+"});
  scene.domain.periodic[0] = true;
  EXPECT_EQ(FindReachableSpace(world, scene, particles, 0.00047, 1.0).open_faces, Names{});
}

TEST(ReachableSpace, WhatRestsInACupStaysThere) {
  Scene scene = BoxWithFloor();
  EXPECT_EQ(From(scene, {0.5, 0.5, 0.2}, 0.02).open_faces, (Names{"x-", "x+", "y-", "y+"}));
  // A sheet thinner than any cell, as a cup on the floor.
  scene.walls.push_back({"cup", {{Pipe{{0.5, 0.5, 0}, {0.5, 0.5, 0.5}, 0.3}}}, Vec3::Zero(), 0});
  EXPECT_EQ(From(scene, {0.5, 0.5, 0.2}, 0.02).open_faces, Names{});
  EXPECT_EQ(From(scene, {0.5, 0.5, 0.7}, 0.02).open_faces, (Names{"x-", "x+", "y-", "y+"}));
  EXPECT_EQ(From(scene, {0.5, 0.5, 0.2}, 0.02, 2.0).open_faces, Names{}) << "rises by 0.2 m";
  EXPECT_EQ(From(scene, {0.5, 0.5, 0.2}, 0.02, 3.0).open_faces.size(), 4u) << "by 0.46 m";
  EXPECT_EQ(From(scene, {0.5, 0.5, 0.2}, 0.02, 4.5).open_faces.size(), 5u) << "by 1.03 m";
  scene.walls[1].rotation.angular_velocity = Vec3(0, 1, 0);  // may lift it
  EXPECT_EQ(From(scene, {0.5, 0.5, 0.2}, 0.02).open_faces.size(), 5u);
}

TEST(ReachableSpace, GapsLetSmallSpheresThrough) {
  Scene scene = BoxWithFloor();
  scene.domain.periodic = {true, true, false};
  EXPECT_EQ(From(scene, {0.5, 0.5, 0.3}, 0.02).open_faces, Names{});
  // A floor with a hole 0.1 wide in place of the plane.
  scene.walls[0].shape.parts = {Disk{{0.5, 0.5, 0.1}, Vec3::UnitZ(), 2.0, 0.05}};
  EXPECT_EQ(From(scene, {0.5, 0.5, 0.3}, 0.02).open_faces, Names{"z-"});
  EXPECT_EQ(From(scene, {0.5, 0.5, 0.3}, 0.08).open_faces, Names{});
  // A gate in it that is removed during the run.
  scene.walls.push_back({"gate", {{Disk{{0.5, 0.5, 0.1}, Vec3::UnitZ(), 0.06}}}, Vec3::Zero(), 0});
  EXPECT_EQ(From(scene, {0.5, 0.5, 0.3}, 0.02).open_faces, Names{});
  scene.walls.back().removed_at = 1.0;
  EXPECT_EQ(From(scene, {0.5, 0.5, 0.3}, 0.02).open_faces, Names{"z-"});
}

TEST(ReachableSpace, DropIsFromTheStartToTheLowestPlace) {
  Scene scene = BoxWithFloor();
  scene.domain.periodic = {true, true, false};
  EXPECT_NEAR(From(scene, {0.5, 0.5, 0.7}, 0.02).drop, 9.81 * 0.6, 9.81 / 16.0);
  scene.domain.periodic[2] = true;
  EXPECT_EQ(From(scene, {0.5, 0.5, 0.7}, 0.02).drop, 0.0);
}

TEST(ReachableSpace, ABedFallsAsFarAsItIsLoose) {
  Scene scene = BoxWithFloor();
  scene.domain.periodic = {true, true, false};
  const Communicator world = Communicator::World();
  for (const double spacing : {0.041, 0.06}) {
    Particles bed;
    for (int k = 0; k < 24 * 24 * 12 && world.IsRoot(); ++k) {
      // Not on the faces of cells, where rounding decides.
      const Vec3 site(k % 24 + 0.3, k / 24 % 24 + 0.3, k / 576 + 0.5);
      test::AddSphere(bed, k, Vec3(site[0] / 24, site[1] / 24, 0.1 + spacing * site[2]), 0.02);
    }
    const double solid = SphereVolume(0.02) * 576.0 / spacing, height = 12.0 * spacing;
    EXPECT_NEAR(FindReachableSpace(world, scene, bed, 0.02, 0.0).drop / 9.81,
                height * (1.0 - solid / 0.6), 0.06);
  }
}

TEST(ReachableSpace, RainStartsInItsRegion) {
  Scene scene = BoxWithFloor();
  scene.domain.periodic = {true, true, false};
  Rain rain;
  rain.region = Ball{{0.5, 0.5, 0.8}, 0.1};
  rain.grain.sizes = 0.02;
  scene.rains = {rain};
  const ReachableSpace space = FindReachableSpace(Communicator::World(), scene, {}, 0.02, 0.0);
  EXPECT_EQ(space.open_faces, Names{});
  EXPECT_NEAR(space.drop, 9.81 * 0.79, 9.81 / 16.0);
}

}  // namespace
}  // namespace scree::reachable_space_test
