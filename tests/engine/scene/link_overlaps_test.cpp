// Overlaps of links with walls and with each other are found with their depths, except for intended
// overlaps.
#include "engine/scene/link_overlaps.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <memory>

#include "engine/geometry/triangle_mesh.hpp"
#include "tests/support/linked_scene.hpp"
#include "tests/support/meshes.hpp"

namespace scree::link_overlaps_test {
namespace {

/// A floor at z = 0, and links that are cubes with an edge of 0.2 m.
struct Cubes : test::LinkedScene {
  Cubes() : LinkedScene(1e-3, {Vec3::Constant(-5), Vec3::Constant(5)}, 10.0, Communicator::Self()) {
    test::AddPlane(scene, Vec3::Zero(), Vec3::UnitZ());
  }
  Index Add(const Vec3& middle, Index parent = Joint::kGround, JointKind kind = JointKind::kFree) {
    const Vec3 half = Vec3::Constant(0.1);
    const Index link = AddBlock("cube" + std::to_string(scene.links.size()),
                                {middle - half, middle + half}, 1.0, Vec3::Ones());
    AddJoint(kind, parent, link, middle, Vec3::UnitX());
    return link;
  }
  LinkOverlap OnlyOverlap() const {
    const std::vector<LinkOverlap> overlaps = FindLinkOverlaps(scene);
    EXPECT_EQ(overlaps.size(), 1u);
    return overlaps.empty() ? LinkOverlap() : overlaps[0];
  }
  bool HasNoOverlap() const { return FindLinkOverlaps(scene).empty(); }
};

TEST(LinkOverlaps, DepthOfACubeInAFloorIsThatOfItsLowerFace) {
  Cubes cubes;
  cubes.Add(Vec3(0, 0, 0.07));
  const LinkOverlap overlap = cubes.OnlyOverlap();
  EXPECT_EQ(cubes.scene.walls[overlap.wall].name, "cube0");
  EXPECT_EQ(overlap.other, 0u);
  EXPECT_NEAR(overlap.depth, 0.03, 1e-12);
  EXPECT_LE(overlap.point.z(), 0.0);
}

TEST(LinkOverlaps, CubeOnTheFloorDoesNotOverlap) {
  Cubes cubes;
  cubes.Add(Vec3(0, 0, 0.1 * (1.0 - 1e-8)));
  cubes.Add(Vec3(0.2, 0, 0.1));  // next to it, face to face
  EXPECT_TRUE(cubes.HasNoOverlap());
}

TEST(LinkOverlaps, DepthOfTwoBodiesIsTheShortestSeparation) {
  Cubes cubes;
  cubes.Add(Vec3(0, 0, 1.0));
  cubes.Add(Vec3(0.15, 0.02, 1.03));
  EXPECT_NEAR(cubes.OnlyOverlap().depth, 0.05, 1e-6);

  // Two balls, and two crossing bars: no corner is inside the other body.
  cubes.scene.walls[1].shape.parts[0] = Ball{Vec3(0, 0, 1), 0.1};
  cubes.scene.walls[2].shape.parts[0] = Ball{Vec3(0.1, 0.1, 1.1), 0.1};
  EXPECT_NEAR(cubes.OnlyOverlap().depth, 0.2 - 0.1 * std::sqrt(3.0), 3e-4);
  cubes.scene.walls[1].shape.parts[0] = Block{{Vec3(-1, -0.01, 1), Vec3(1, 0.01, 1.02)}};
  cubes.scene.walls[2].shape.parts[0] = Block{{Vec3(-0.01, -1, 1), Vec3(0.01, 1, 1.02)}};
  EXPECT_NEAR(cubes.OnlyOverlap().depth, 0.02, 1e-6);
}

/// A sheet has no volume, so only its points inside solids count.
TEST(LinkOverlaps, SheetOverlapsSolidsButNotSheets) {
  Cubes cubes;
  cubes.Add(Vec3(0, 0, 1.0));
  cubes.Add(Vec3(0, 0, 2.0));
  Wall& disk = cubes.scene.walls[2];
  disk.shape.parts[0] = Disk{Vec3(0.19, 0, 1.0), Vec3::UnitZ(), 0.1};
  EXPECT_NEAR(cubes.OnlyOverlap().depth, 0.01, 1e-6);
  cubes.scene.walls[1].shape.parts[0] = Pipe{Vec3(0, 0, 0.9), Vec3(0, 0, 1.1), 0.1};
  EXPECT_TRUE(cubes.HasNoOverlap());
}

TEST(LinkOverlaps, OverlapDepthOfAMeshIsThatOfItsSurface) {
  Cubes cubes;
  cubes.Add(Vec3(0, 0, 0.5));
  Mesh mesh;
  mesh.solid = MeshSolid::kInside;
  cubes.scene.walls[1].shape.parts[0] = mesh;
  EXPECT_TRUE(cubes.HasNoOverlap());  // not loaded
  mesh.surface = std::make_shared<const TriangleMesh>(
      test::BoxSurface({Vec3(0, 0, -0.02), Vec3(0.3, 0.3, 0.3)}), MeshSolid::kInside);
  cubes.scene.walls[1].shape.parts[0] = mesh;
  EXPECT_NEAR(cubes.OnlyOverlap().depth, 0.02, 1e-9);
}

TEST(LinkOverlaps, OnlyLinksWithACommonJointMayOverlap) {
  for (const JointKind kind : {JointKind::kHinge, JointKind::kFixed, JointKind::kBall}) {
    Cubes cubes;
    const Index first = cubes.Add(Vec3(0, 0, 1.0));
    const Index second = cubes.Add(Vec3(0.15, 0, 1.0), first, kind);
    EXPECT_TRUE(cubes.HasNoOverlap()) << static_cast<int>(kind);
    cubes.Add(Vec3(0.3, 0, 1.0), second, JointKind::kHinge);
    EXPECT_TRUE(cubes.HasNoOverlap()) << static_cast<int>(kind);
    cubes.Add(Vec3(0.15, 0.12, 1.0));
    EXPECT_EQ(FindLinkOverlaps(cubes.scene).size(), 3u) << static_cast<int>(kind);
  }
  Cubes loop;
  loop.Add(Vec3(0, 0, 1.0));
  loop.Add(Vec3(0.15, 0, 1.0));
  EXPECT_FALSE(loop.HasNoOverlap());
  loop.scene.loop_joints = {{"pin", 0, 1, Vec3(0.075, 0, 1), Vec3::UnitX()}};
  EXPECT_TRUE(loop.HasNoOverlap());
}

/// A wheel may reach into a fixed wall next to it if it can move only along the wall's surface.
TEST(LinkOverlaps, WheelThatSlidesAlongAWallMayReachIntoIt) {
  Cubes cubes;
  test::AddPlane(cubes.scene, Vec3(0, 0.07, 0), -Vec3::UnitY());
  cubes.Add(Vec3(0, 0, 1.0));
  Joint& joint = cubes.scene.joints[0];
  EXPECT_NEAR(cubes.OnlyOverlap().depth, 0.03, 1e-9);
  joint.kind = JointKind::kSlider;
  joint.axis = Vec3(0.6, 0, 0.8);
  EXPECT_TRUE(cubes.HasNoOverlap());
  joint.kind = JointKind::kHinge;
  joint.point = Vec3(0.3, 0.0, 1.0);
  joint.axis = Vec3::UnitY();
  EXPECT_TRUE(cubes.HasNoOverlap());
  joint.axis = Vec3(0.0, 0.6, 0.8);
  EXPECT_NEAR(cubes.OnlyOverlap().depth, 0.03, 1e-9);
  cubes.scene.walls[1].velocity = Vec3::UnitX();  // a driven wall
  joint.axis = Vec3::UnitY();
  EXPECT_NEAR(cubes.OnlyOverlap().depth, 0.03, 1e-9);
}

TEST(LinkOverlaps, ShaftMayOverlapItsBearing) {
  Cubes cubes;
  cubes.Add(Vec3(0, 0, 1.0), Joint::kGround, JointKind::kHinge);
  cubes.scene.joints[0].axis = Vec3::UnitY();
  Wall bearing{"bearing", {{Block{{Vec3(0.09, -1, 0.5), Vec3(0.2, 1, 1.5)}}}}};
  cubes.scene.walls.push_back(bearing);
  EXPECT_NEAR(cubes.OnlyOverlap().depth, 0.01, 1e-9);
  cubes.scene.joints[0].point = Vec3(0.095, 0.0, 1.0);
  EXPECT_TRUE(cubes.HasNoOverlap());
  cubes.scene.joints[0].point.z() += 0.2;  // the axis no longer passes through the bearing
  EXPECT_NEAR(cubes.OnlyOverlap().depth, 0.01, 1e-9);
  cubes.scene.walls.back().appears_at = 1.0;
  EXPECT_TRUE(cubes.HasNoOverlap());
}

}  // namespace
}  // namespace scree::link_overlaps_test
