#include "io/state/wall_records.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <cmath>

#include "engine/scene/wall_motion.hpp"
#include "tests/io/scratch.hpp"

namespace scree::wall_records_test {
namespace {

constexpr double kDt = 1e-3;
constexpr std::int64_t kStep = 70;

Scene SceneOfTwoWalls() {
  Scene scene;
  scene.domain.box = {Vec3::Zero(), Vec3::Constant(1.0)};
  Wall bar{"bar", {{Block{{Vec3(0.1, 0.2, 0.3), Vec3(0.4, 0.3, 0.5)}}, Disk{}}}, Vec3(1, 0, 2)};
  bar.oscillation = {Vec3(0, 0.3, 0), 3.0, 0.4};
  bar.rotation = {Vec3(0.2, 0.1, 0.0), Vec3(3.0, -4.0, 12.0)};
  scene.walls = {bar, {"gate", {{Plane{}}}}};
  scene.walls[1].removed_at = kDt * kStep;
  return scene;
}

Mesh MeshWith(MeshSolid solid) {
  Mesh mesh;
  mesh.solid = solid;
  return mesh;
}

Vec3 PlacedPoint(const WallRecord& wall, const Vec3& x) {
  const Quaternion& q = wall.orientation;
  return Eigen::Quaterniond(q.w, q.x, q.y, q.z) * x + wall.displacement;
}

TEST(WallRecords, PoseMovesEveryPointOfTheShapeToItsPosition) {
  const Scene scene = SceneOfTwoWalls();
  const auto walls = RecordWalls(scene, kDt, kStep);
  const auto poses = WallPoses(scene, kDt, kStep);
  ASSERT_EQ(walls.size(), 2u);
  for (const Vec3& x : {Vec3(0, 0, 0), Vec3(1, 2, 3), Vec3(-4, 0.5, 2)}) {
    EXPECT_LT((PlacedPoint(walls[0], x) - poses[0].InSpace(x)).norm(), 1e-14);
    EXPECT_GT((PlacedPoint(walls[0], x) - x).norm(), 0.1);
  }
  EXPECT_TRUE(walls[0].is_present);
  EXPECT_FALSE(walls[1].is_present);
  EXPECT_TRUE(RecordWalls(scene, kDt, kStep - 1)[1].is_present);
}

/// Checks each part. A convex part has its corners on the surface and everything between them
/// inside. Sheets have no inside.
TEST(WallRecords, InteriorsAreThoseOfTheShapes) {
  const std::pair<ShapePart, Interior> cases[] = {
      {Plane{}, Interior::kHalfSpace},
      {Block{{Vec3::Zero(), Vec3(1, 2, 3)}}, Interior::kConvex},
      {Cylinder{Vec3(1, 0, 0), Vec3(2, 3, 1), 0.5}, Interior::kConvex},
      {Ball{Vec3(1, 2, 3), 0.7}, Interior::kConvex},
      {Pipe{}, Interior::kNone},
      {Cone{}, Interior::kNone},
      {Disk{}, Interior::kNone},
      {MeshWith(MeshSolid::kNo), Interior::kNone},
      {MeshWith(MeshSolid::kInside), Interior::kInside},
      {MeshWith(MeshSolid::kOutside), Interior::kOutside},
  };
  for (const auto& [part, interior] : cases) {
    SCOPED_TRACE(part.index());
    Scene scene;
    scene.walls = {{"wall", {{part}}}};
    const PartRecord record = RecordWalls(scene, kDt, 0)[0].parts.at(0);
    EXPECT_EQ(record.interior, interior);
    EXPECT_EQ(record.corners.empty(), interior != Interior::kConvex);
    for (std::size_t k = 0; k < record.corners.size(); ++k) {
      const Vec3& a = record.corners[k];
      const Vec3& b = record.corners[(7 * k + 3) % record.corners.size()];
      EXPECT_NEAR(NearestSurface(part, a).distance, 0.0, 1e-12);
      EXPECT_LT(NearestSurface(part, Vec3(0.7 * a + 0.3 * b)).distance, 1e-12);
    }
  }
}

/// Every snapshot contains these corners, so there must not be too many.
TEST(WallRecords, ManyBallsHaveFewCornersEach) {
  Scene scene;
  scene.walls.assign(1000, {"bump", {{Ball{Vec3::Zero(), 0.5}}}});
  EXPECT_LT(RecordWalls(scene, kDt, 0).back().parts.at(0).corners.size(), 500u);
}

TEST(WallRecords, FileHasTheRecordsOnAnyNumberOfRanks) {
  const Communicator world = Communicator::World();
  const Scratch scratch(world);
  const auto walls = RecordWalls(SceneOfTwoWalls(), kDt, kStep);
  Hdf5Writer file(world, scratch / "walls.h5");
  file.MakeGroup("/scree");
  WriteWalls(file, walls, world.IsRoot());
  file.Close();
  const Hdf5Reader reader(scratch / "walls.h5");
  const std::string group = "/scree/walls";
  EXPECT_THAT(reader.TextListAttribute(group, "name"), testing::ElementsAre("bar", "gate"));
  EXPECT_THAT(reader.TextListAttribute(group, "interior"),
              testing::ElementsAre("convex", "none", "half space"));
  EXPECT_THAT(reader.Rows<std::int64_t>(group + "/is_there", {}, 0, 2), testing::ElementsAre(1, 0));
  EXPECT_THAT(reader.Rows<std::int64_t>(group + "/wall_of_part", {}, 0, 3),
              testing::ElementsAre(0, 0, 1));
  EXPECT_THAT(reader.Rows<std::int64_t>(group + "/corners_of_part", {}, 0, 3),
              testing::ElementsAre(8, 0, 0));
  ASSERT_EQ(reader.CountRows(group + "/corners", {3}), 8u);
  EXPECT_EQ(reader.Rows<double>(group + "/corners", {3}, 0, 8)[0], 0.1);
  ASSERT_EQ(reader.CountRows(group + "/orientation", {4}), 2u);
  const auto orientation = reader.Rows<double>(group + "/orientation", {4}, 0, 2);
  EXPECT_EQ(orientation[0], walls[0].orientation.w);
  EXPECT_EQ(orientation[3], walls[0].orientation.z);
  EXPECT_EQ(reader.Rows<double>(group + "/displacement", {3}, 0, 2)[2], walls[0].displacement.z());
}

TEST(WallRecords, SceneWithoutWallsHasAnEmptyGroup) {
  const Communicator world = Communicator::World();
  const Scratch scratch(world);
  Hdf5Writer file(world, scratch / "none.h5");
  file.MakeGroup("/scree");
  WriteWalls(file, {}, world.IsRoot());
  file.Close();
  EXPECT_TRUE(Hdf5Reader(scratch / "none.h5").Has("/scree/walls"));
}

}  // namespace
}  // namespace scree::wall_records_test
