// Periodic images of walls, and the test whether a position is free of walls.
#include "engine/scene/wall_images.hpp"

#include <gtest/gtest.h>

namespace scree::wall_images_test {
namespace {

constexpr double kReach = 0.5, kOverhang = 0.75;
const std::vector<MaterialId> kMaterials = {0};

Scene SceneWithWall(const std::vector<ShapePart>& parts,
                    std::array<bool, 3> periodic = {true, false, false}) {
  Scene scene;
  scene.domain.box = {Vec3::Zero(), Vec3::Constant(4)};
  scene.domain.periodic = periodic;
  scene.walls.push_back({"wall", {parts}});
  return scene;
}
Block BlockFrom(double lower, double upper) {
  return {{Vec3(lower, lower, 1), Vec3(upper, upper, 2)}};
}

std::vector<double> ShiftsOf(const Scene& scene, const WallPose& pose = {}) {
  std::vector<WallImage> images;
  AppendImages(scene, 0, pose, kReach, kOverhang, images);
  std::vector<double> shifts;
  for (const WallImage& image : images) shifts.push_back(image.shift.x());
  std::ranges::sort(shifts);
  return shifts;
}
using Shifts = std::vector<double>;

TEST(WallImages, NearImagesOfAWallAreListed) {
  EXPECT_EQ(ShiftsOf(SceneWithWall({BlockFrom(1, 3)})), Shifts());
  EXPECT_EQ(ShiftsOf(SceneWithWall({BlockFrom(0.4, 3)})), Shifts({4}));
  EXPECT_EQ(ShiftsOf(SceneWithWall({BlockFrom(1, 3.6)})), Shifts({-4}));
  EXPECT_EQ(ShiftsOf(SceneWithWall({BlockFrom(1, 4.5)})), Shifts({-4}));
  EXPECT_EQ(ShiftsOf(SceneWithWall({BlockFrom(0, 4)})), Shifts({-4, 4}));
}

TEST(WallImages, InfiniteAndUnloadedWallsAndOpenAxesHaveNoImages) {
  EXPECT_EQ(ShiftsOf(SceneWithWall({BlockFrom(-0.75, 4.75)})), Shifts());
  EXPECT_EQ(ShiftsOf(SceneWithWall({BlockFrom(-1000, 1000)})), Shifts());
  EXPECT_EQ(ShiftsOf(SceneWithWall({Plane()})), Shifts());
  EXPECT_EQ(ShiftsOf(SceneWithWall({BlockFrom(0, 4)}, {false, false, false})), Shifts());
  EXPECT_EQ(ShiftsOf(SceneWithWall({Mesh()})), Shifts());
}

TEST(WallImages, WallFarOutsideIsWrapped) {
  EXPECT_EQ(ShiftsOf(SceneWithWall({BlockFrom(9, 11)})), Shifts({-8}));
  EXPECT_EQ(ShiftsOf(SceneWithWall({BlockFrom(2, 1000)})), Shifts({-500}));
  WallPose pose;
  pose.displacement = Vec3(-40, 0, 0);
  EXPECT_EQ(ShiftsOf(SceneWithWall({BlockFrom(1, 3)}), pose), Shifts({40}));
}

TEST(WallImages, WallInACornerHasThreeImages) {
  std::vector<WallImage> images;
  AppendImages(SceneWithWall({BlockFrom(3, 5)}, {true, true, false}), 0, {}, kReach, kOverhang,
               images);
  EXPECT_EQ(images.size(), 3u);
}

TEST(WallImages, PlanesHaveNoImages) {
  std::vector<WallImage> images;
  AppendImages(SceneWithWall({Plane(), BlockFrom(3, 5)}), 0, {}, kReach, kOverhang, images);
  ASSERT_EQ(images.size(), 1u);
  EXPECT_EQ(images[0].shape.parts.size(), 1u);
}

TEST(WallImages, ImagesDependOnTheRotationOfTheWall) {
  const Scene scene = SceneWithWall({Block{{Vec3(3.2, 0, 1), Vec3(3.4, 3.4, 2)}}});
  EXPECT_EQ(ShiftsOf(scene), Shifts());
  WallPose pose;
  pose.is_rotated = true;
  pose.centre = Vec3(3.3, 0, 0);
  pose.rotation = Eigen::AngleAxisd(-1.5, Vec3::UnitZ()).matrix();  // towards +x
  EXPECT_EQ(ShiftsOf(scene, pose), Shifts({-4}));
}

TEST(WallImages, PositionsInsideImagesAreNotFree) {
  const Scene scene = SceneWithWall({BlockFrom(3, 4.5)});
  std::vector<WallPose> poses(1);
  const PlacedWalls walls(scene, poses, kMaterials, 0.3);
  EXPECT_TRUE(walls.HasWallWithin(Vec3(0.7, 3.5, 1.5), 0.3));
  EXPECT_FALSE(walls.HasWallWithin(Vec3(0.9, 3.5, 1.5), 0.3));
  EXPECT_TRUE(walls.HasWallWithin(Vec3(2.8, 3.5, 1.5), 0.3));
  poses[0].is_present = false;
  EXPECT_FALSE(PlacedWalls(scene, poses, kMaterials, 0.3).HasWallWithin(Vec3(3.5, 3.5, 1.5), 0.3));
}

TEST(PlacedWalls, WallsThatStopNoneOfTheMaterialsAreLeftOut) {
  Scene scene = SceneWithWall({BlockFrom(3, 5)});
  scene.walls[0].stops = {1};
  const auto has_wall = [&](const std::vector<MaterialId>& materials) {
    const PlacedWalls walls(scene, {WallPose()}, materials, 0.1);
    return std::pair(walls.HasWallWithin(Vec3(3.5, 3.5, 1.5), 0.1),
                     walls.HasWallWithin(Vec3(0.5, 3.5, 1.5), 0.1));
  };
  EXPECT_EQ(has_wall({0}), std::pair(false, false));
  EXPECT_EQ(has_wall({1}), std::pair(true, true));
  EXPECT_EQ(has_wall({0, 1}), std::pair(true, true));
}

}  // namespace
}  // namespace scree::wall_images_test
