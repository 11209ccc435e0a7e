// Faces that no wall covers, and how far particles may fall; on any ranks.
#include "apps/run/open_space.hpp"

#include <gtest/gtest.h>

#include "tests/support/channel_scene.hpp"

namespace scree::open_space_test {
namespace {

using Names = std::vector<std::string>;

constexpr double kDt = 1e-5;

Scene BoxWithFloor() {
  Scene scene = test::EmptyScene(Vec3::Zero(), Vec3(1, 1, 1), 0.4);
  scene.gravity = Vec3(0, 0, -9.81);
  test::AddPlane(scene, Vec3(0, 0, 0.1), Vec3::UnitZ());
  return scene;
}

/// With nobody there: wherever no wall is.
Names Faces(const Scene& scene, double radius) {
  return OpenFaces(Communicator::World(), scene, kDt, radius, {});
}

/// Of one sphere, held by the last rank.
double FallFrom(const Scene& scene, const Vec3& place) {
  const Communicator world = Communicator::World();
  Particles particles;
  if (world.Rank() == world.Size() - 1) test::AddSphere(particles, 0, place, 0.02);
  return LongestFall(world, scene, particles);
}

TEST(OpenFaces, AChannelIsClosedByWallsAndOutflow) {
  Scene scene = test::SmallChannel();
  EXPECT_EQ(Faces(scene, 0.00047), Names{});
  scene.outflow[0][1] = false;
  EXPECT_EQ(Faces(scene, 0.00047), Names{"x+"});
  scene.domain.periodic[0] = true;
  EXPECT_EQ(Faces(scene, 0.00047), Names{});
}

TEST(OpenFaces, AHoleOpensAFaceAndAGateThatStaysClosesIt) {
  Scene scene = BoxWithFloor();
  scene.domain.periodic = {true, true, false};
  EXPECT_EQ(Faces(scene, 0.02), Names{"z+"});
  scene.walls[0].shape.parts = {Disk{{0.5, 0.5, 0.0}, Vec3::UnitZ(), 2.0, 0.05}};
  EXPECT_EQ(Faces(scene, 0.02), (Names{"z-", "z+"}));
  EXPECT_EQ(Faces(scene, 0.08), Names{"z+"}) << "too large for the hole";
  scene.walls.push_back({"gate", {{Disk{{0.5, 0.5, 0.0}, Vec3::UnitZ(), 0.06}}}, Vec3::Zero(), 0});
  EXPECT_EQ(Faces(scene, 0.02), Names{"z+"});
  scene.walls.back().removed_at = 1.0;
  EXPECT_EQ(Faces(scene, 0.02), (Names{"z-", "z+"}));
}

TEST(OpenFaces, PeriodicImagesOfAWallCoverToo) {
  Scene scene = BoxWithFloor();
  scene.domain.periodic = {true, true, false};
  // Half of it beyond the domain, where its image covers the other half.
  scene.walls[0].shape.parts = {Block{{Vec3(0.5, 0, -1), Vec3(1.5, 1, 0)}}};
  EXPECT_EQ(Faces(scene, 0.02), Names{"z+"});
  scene.domain.periodic[0] = false;
  EXPECT_EQ(Faces(scene, 0.02), (Names{"x-", "x+", "z-", "z+"}));
}

TEST(OpenFaces, CountsOnlyWhereAParticleCouldCome) {
  Scene scene = test::EmptyScene(Vec3::Zero(), Vec3(1, 1, 1), 0.4);
  const Communicator world = Communicator::World();
  scene.walls.push_back({"pipe", {{Pipe{{0.5, 0.5, 0.0}, {0.5, 0.5, 1.0}, 0.3}}}, Vec3::Zero(), 0});
  const auto faces = [&](const Vec3& place) {
    Particles particles;
    if (world.Rank() == world.Size() - 1) test::AddSphere(particles, 0, place, 0.02);
    return OpenFaces(world, scene, kDt, 0.02, particles);
  };
  const Names all = {"x-", "x+", "y-", "y+", "z-", "z+"};
  EXPECT_EQ(faces({0.5, 0.5, 0.5}), (Names{"z-", "z+"})) << "a pipe";
  EXPECT_EQ(faces({0.05, 0.5, 0.5}), all) << "outside it";
  EXPECT_EQ(faces({0.79, 0.5, 0.5}), all) << "where none has room, nobody knows";
  scene.walls.push_back({"lid", {{Disk{{0.5, 0.5, 0.9}, Vec3::UnitZ(), 0.25}}}, Vec3::Zero(), 0});
  EXPECT_EQ(faces({0.5, 0.5, 0.5}), (Names{"z-", "z+"})) << "a slit beside the lid";
  scene.walls.back().shape.parts = {Disk{{0.5, 0.5, 0.9}, Vec3::UnitZ(), 0.3}};
  EXPECT_EQ(faces({0.5, 0.5, 0.5}), Names{"z-"});
  scene.walls.front().shape.parts = {Pipe{{0.5, 0.5, 0.2}, {0.5, 0.5, 1.0}, 0.3}};
  EXPECT_EQ(faces({0.5, 0.5, 0.5}), all) << "round the pipe's lower end";
}

TEST(LongestFall, IsFromTheStartToTheLowestPlace) {
  Scene scene = BoxWithFloor();
  scene.domain.periodic = {true, true, false};
  EXPECT_NEAR(FallFrom(scene, {0.5, 0.5, 0.7}), 9.81 * 0.7, 0.001);
  scene.gravity = Vec3(0, 0, 9.81);
  EXPECT_NEAR(FallFrom(scene, {0.5, 0.5, 0.7}), 9.81 * 0.3, 0.001);
  scene.domain.periodic[2] = true;
  EXPECT_EQ(FallFrom(scene, {0.5, 0.5, 0.7}), 0.0);
}

TEST(LongestFall, OfABedIsAsFarAsItIsLoose) {
  const Scene scene = BoxWithFloor();
  const Communicator world = Communicator::World();
  for (const double spacing : {0.041, 0.06}) {
    Particles bed;
    for (int k = 0; k < 24 * 24 * 12 && world.IsRoot(); ++k) {
      const Vec3 site(k % 24 + 0.3, k / 24 % 24 + 0.3, k / 576 + 0.5);
      test::AddSphere(bed, k, Vec3(site[0] / 24, site[1] / 24, spacing * site[2]), 0.02);
    }
    const double solid = SphereVolume(0.02) * 576.0 / spacing, height = 12.0 * spacing;
    EXPECT_NEAR(LongestFall(world, scene, bed) / 9.81, height * (1.0 - solid / 0.6), 0.06);
  }
}

TEST(LongestFall, OfRainBeginsAtTheTopOfItsRegion) {
  Scene scene = BoxWithFloor();
  Rain rain;
  rain.region = Ball{{0.5, 0.5, 0.8}, 0.1};
  rain.grain.sizes = 0.02;
  scene.rains = {rain};
  EXPECT_NEAR(LongestFall(Communicator::World(), scene, {}), 9.81 * 0.9, 1e-9);
}

}  // namespace
}  // namespace scree::open_space_test
