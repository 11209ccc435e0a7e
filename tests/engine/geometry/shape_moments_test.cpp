// Mass properties of the solids of walls.
#include "engine/geometry/shape_moments.hpp"

#include <gtest/gtest.h>

#include <numbers>

#include "engine/geometry/polyhedron.hpp"
#include "engine/geometry/triangle_mesh.hpp"
#include "tests/support/meshes.hpp"

namespace scree::shape_moments_test {
namespace {

void ExpectSame(const SolidMoments& actual, const SolidMoments& expected, double tolerance) {
  EXPECT_NEAR(actual.volume / expected.volume, 1.0, tolerance);
  EXPECT_LT((actual.centre - expected.centre).norm(), tolerance);
  EXPECT_LT((actual.inertia - expected.inertia).norm(), tolerance * expected.inertia.norm());
}

Mesh MeshOfBox(const Box& box) {
  Mesh mesh;
  mesh.solid = MeshSolid::kInside;
  mesh.surface = std::make_shared<const TriangleMesh>(test::BoxSurface(box), mesh.solid);
  return mesh;
}

const Box kBox{Vec3(0.1, 0.2, 0.3), Vec3(0.2, 0.5, 0.9)};

TEST(ShapeMoments, MeshHasTheMomentsOfItsBox) {
  const SolidMoments block = MomentsOf(Block{kBox});
  EXPECT_NEAR(block.volume, 0.1 * 0.3 * 0.6, 1e-15);
  EXPECT_NEAR(block.inertia(0, 0), block.volume / 12.0 * (0.3 * 0.3 + 0.6 * 0.6), 1e-15);
  EXPECT_NEAR(block.inertia(2, 2), block.volume / 12.0 * (0.1 * 0.1 + 0.3 * 0.3), 1e-15);
  ExpectSame(MomentsOf(MeshOfBox(kBox)), block, 1e-12);
}

/// Reference: a polyhedron with many sides that touch the cylinder.
TEST(ShapeMoments, CylinderHasTheMomentsOfAManySidedPrism) {
  const double size[2] = {0.2, 0.5};
  const auto vertices = VerticesOfSolid("cylinder", size, 200);
  const SolidMoments prism = MomentsOf(RoundedPolyhedron{ConvexHull(vertices), 0.0});
  ExpectSame(MomentsOf(Cylinder{Vec3(0, 0, -0.25), Vec3(0, 0, 0.25), 0.1}), prism, 1e-3);
  const SolidMoments oblique = MomentsOf(Cylinder{Vec3::Zero(), Vec3(0.3, 0.4, 0.0), 0.1});
  EXPECT_LT((oblique.centre - Vec3(0.15, 0.2, 0.0)).norm(), 1e-15);
  EXPECT_NEAR(Vec3(0.6, 0.8, 0.0).dot(oblique.inertia * Vec3(0.6, 0.8, 0.0)), prism.inertia(2, 2),
              1e-3 * prism.inertia(2, 2));
}

TEST(ShapeMoments, BallHasTwoFifthsOfMassTimesRadiusSquared) {
  const SolidMoments ball = MomentsOf(Ball{Vec3(1, 2, 3), 0.5});
  EXPECT_NEAR(ball.volume, std::numbers::pi / 6.0, 1e-15);
  EXPECT_NEAR(ball.inertia(1, 1), 0.4 * ball.volume * 0.25, 1e-15);
}

TEST(ShapeMoments, TwoHalvesHaveTheMomentsOfTheWhole) {
  const Box left_part{kBox.lower, Vec3(0.2, 0.5, 0.4)}, right_part{Vec3(0.1, 0.2, 0.4), kBox.upper};
  const SolidMoments halves[2] = {MomentsOf(Block{left_part}), MomentsOf(MeshOfBox(right_part))};
  ExpectSame(SumOf(halves), MomentsOf(Block{kBox}), 1e-12);
  EXPECT_FALSE(FindOverlap(Block{left_part}, MeshOfBox(right_part)));
}

TEST(ShapeMoments, OverlapsAreFound) {
  const auto overlap = FindOverlap(Block{kBox}, Ball{Vec3(0.15, 0.35, 0.95), 0.1});
  ASSERT_TRUE(overlap);
  EXPECT_GT(overlap->z(), 0.85);
  EXPECT_LT(overlap->z(), 0.9);
  EXPECT_FALSE(FindOverlap(Block{kBox}, Ball{Vec3(0.15, 0.35, 1.0), 0.1}));
  // The bounding boxes overlap, the solids do not.
  EXPECT_FALSE(FindOverlap(Ball{Vec3::Zero(), 1.0}, Ball{Vec3(1.5, 1.5, 0.0), 1.0}));
}

TEST(ShapeMoments, SheetsAndHalfSpacesAreNotBoundedSolids) {
  Mesh sheet = MeshOfBox(kBox);
  EXPECT_TRUE(IsBoundedSolid(sheet));
  for (const MeshSolid solid : {MeshSolid::kNo, MeshSolid::kOutside}) {
    sheet.solid = solid;
    EXPECT_FALSE(IsBoundedSolid(sheet));
  }
  EXPECT_FALSE(IsBoundedSolid(Plane()));
  EXPECT_FALSE(IsBoundedSolid(Pipe()));
  EXPECT_FALSE(IsBoundedSolid(Cone()));
  EXPECT_FALSE(IsBoundedSolid(Disk()));
}

}  // namespace
}  // namespace scree::shape_moments_test
