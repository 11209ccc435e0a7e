// Points where spheres touch meshes. Each point occurs once, even where several triangles meet.
#include "engine/geometry/triangle_mesh.hpp"

#include <gtest/gtest.h>

#include "solvers/base/check.hpp"
#include "tests/support/draw.hpp"
#include "tests/support/meshes.hpp"

namespace scree::triangle_mesh_test {
namespace {

using test::BoxSurface;
using test::Draw;
using test::Reversed;
using test::Sheet;

const Box kCube{Vec3::Zero(), Vec3::Ones()};

std::vector<MeshPoint> TouchPoints(const TriangleMesh& mesh, const Vec3& x, double limit) {
  MeshQuery query;
  mesh.FindPoints(x, limit, query);
  return query.points;
}

std::string ErrorOf(const std::vector<Triangle>& triangles, MeshSolid solid) {
  try {
    const TriangleMesh mesh(triangles, solid);
  } catch (const InputError& error) {
    return error.what();
  }
  return "no error";
}

void ExpectContains(const std::string& text, const std::string& part) {
  EXPECT_NE(text.find(part), text.npos) << text << " lacks " << part;
}

TEST(TriangleMesh, FlatSheetTouchesOnceForAnyPositionOfTheSphere) {
  const TriangleMesh mesh(Sheet(0.0, 1.0, 0.0, 10), MeshSolid::kNo);
  Draw draw(1);
  for (int k = 0; k < 3000; ++k) {
    // Every third point projects onto an edge, and every sixth onto a vertex, up to rounding.
    Vec3 x = draw.PointIn(kCube);
    if (k % 3 == 0) x.x() = 0.1 * std::floor(10.0 * x.x());
    if (k % 6 == 0) x.y() = 0.1 * std::floor(10.0 * x.y()) * (1.0 + 1e-16 * draw.Integer(-9, 9));
    x.z() = draw.Uniform(0.01, 0.3) * (k % 2 == 0 ? 1.0 : -1.0);
    const std::vector<MeshPoint> points = TouchPoints(mesh, x, 0.35);
    ASSERT_EQ(points.size(), 1u) << x.transpose();
    EXPECT_NEAR(points[0].distance, std::abs(x.z()), 1e-15);
    EXPECT_LT((points[0].normal - Vec3(0, 0, x.z() > 0 ? 1 : -1)).norm(), 1e-12);
  }
}

/// Sheets with squares of different sizes side by side: their edges abut but are not shared.
TEST(TriangleMesh, AbuttingEdgesThatAreNotSharedAreNotTouched) {
  std::vector<Triangle> triangles = Sheet(0.0, 1.0, 0.0, 7);
  for (Triangle triangle : Sheet(0.0, 1.0, 0.0, 5)) {
    for (Vec3& corner : triangle) corner.x() += 1.0;
    triangles.push_back(triangle);
  }
  const TriangleMesh mesh(triangles, MeshSolid::kNo);
  Draw draw(5);
  for (int k = 0; k < 3000; ++k) {
    Vec3 x(1.0 + draw.Uniform(-0.2, 0.2), draw.Uniform(0.1, 0.9), draw.Uniform(0.01, 0.3));
    if (k % 4 == 0) x.x() = 1.0 + std::pow(10.0, draw.Uniform(-16, -2)) * (k % 8 == 0 ? 1 : -1);
    const std::vector<MeshPoint> points = TouchPoints(mesh, x, 0.45);
    ASSERT_EQ(points.size(), 1u) << x.transpose();
    EXPECT_NEAR(points[0].distance, x.z(), 1e-9);
  }
}

TEST(TriangleMesh, EdgesOfAStepAreTouched) {
  std::vector<Triangle> triangles = Sheet(0.0, 1.0, 0.0, 7);
  for (Triangle triangle : Sheet(0.0, 1.0, 0.01, 5)) {
    for (Vec3& corner : triangle) corner.x() += 1.0;
    triangles.push_back(triangle);
  }
  const TriangleMesh mesh(triangles, MeshSolid::kNo);
  EXPECT_EQ(TouchPoints(mesh, Vec3(0.95, 0.5, 0.3), 0.45).size(), 2u);
}

TEST(TriangleMesh, CoversPointsThatItContinuesOrOccludes) {
  const TriangleMesh mesh(Sheet(0.0, 1.0, 0.0, 4), MeshSolid::kNo);
  MeshQuery query;
  const Vec3 x(0.9, 0.5, 0.2);
  const auto covers = [&](const Vec3& position) {
    return mesh.Covers(x, position, (1.0 - 1e-9) * (x - position).norm(), 1e-4, query);
  };
  EXPECT_TRUE(covers(Vec3(1.0, 0.5, 0.0)));
  EXPECT_TRUE(covers(Vec3(1.0, 0.5, 5e-5)));
  EXPECT_TRUE(covers(Vec3(0.8, 0.5, -0.1)));
  EXPECT_FALSE(covers(Vec3(1.0, 0.5, 1e-2)));
  EXPECT_FALSE(covers(Vec3(1.1, 0.5, 0.0)));
  EXPECT_FALSE(covers(Vec3(0.9, 0.5, 0.0)));  // its own nearest point
}

TEST(TriangleMesh, SolidCubeEqualsTheBlock) {
  const TriangleMesh mesh(BoxSurface(kCube), MeshSolid::kInside);
  const Shape block{{Block{kCube}}};
  Draw draw(2);
  int inside_count = 0;
  for (int k = 0; k < 3000; ++k) {
    const Vec3 x = draw.PointIn({Vec3::Constant(-1.0), Vec3::Constant(2.0)});
    const SurfacePoint expected = NearestSurface(block, x);
    const SurfacePoint surface = mesh.Nearest(x, HUGE_VAL);
    EXPECT_NEAR(surface.distance, expected.distance, 1e-14) << x.transpose();
    EXPECT_LT((surface.normal - expected.normal).norm(), 1e-11) << x.transpose();
    const std::vector<MeshPoint> points = TouchPoints(mesh, x, 5.0);
    ASSERT_EQ(points.size(), 1u) << x.transpose();
    EXPECT_EQ(points[0].distance, surface.distance);
    inside_count += expected.distance < 0.0;
    EXPECT_EQ(mesh.Nearest(x, std::abs(expected.distance) * 0.99).distance, HUGE_VAL);
    EXPECT_TRUE(TouchPoints(mesh, x, std::abs(expected.distance) * 0.99).empty());
  }
  EXPECT_GT(inside_count, 50);
}

TEST(TriangleMesh, FacesEdgesAndVerticesHaveDifferentFeatures) {
  const TriangleMesh mesh(BoxSurface(kCube), MeshSolid::kInside);
  EXPECT_EQ(mesh.Features(), 12 + 18 + 8);
  const MeshPoint face = TouchPoints(mesh, {0.7, 0.2, 1.1}, 0.2).at(0);
  const MeshPoint edge = TouchPoints(mesh, {1.1, 0.3, 1.1}, 0.2).at(0);
  const MeshPoint vertex = TouchPoints(mesh, {1.1, -0.1, 1.1}, 0.2).at(0);
  EXPECT_LT(face.feature, 12);
  EXPECT_GE(edge.feature, 12);
  EXPECT_LT(edge.feature, 30);
  EXPECT_GE(vertex.feature, 30);
  EXPECT_LT((edge.normal - Vec3(1, 0, 1).normalized()).norm(), 1e-14);
  EXPECT_LT((vertex.normal - Vec3(1, -1, 1).normalized()).norm(), 1e-14);
  EXPECT_EQ(TouchPoints(mesh, {1.1, 0.6, 1.1}, 0.2).at(0).feature, edge.feature);  // along the edge
}

TEST(TriangleMesh, SphereInAConcaveCornerTouchesAllItsFaces) {
  const TriangleMesh mesh(Reversed(BoxSurface(kCube)), MeshSolid::kOutside);
  std::vector<MeshPoint> points = TouchPoints(mesh, {0.1, 0.11, 0.12}, 0.2);
  ASSERT_EQ(points.size(), 3u);
  std::sort(points.begin(), points.end(),
            [](const MeshPoint& a, const MeshPoint& b) { return a.distance < b.distance; });
  for (int axis = 0; axis < 3; ++axis) {
    const MeshPoint& point = points[static_cast<std::size_t>(axis)];
    EXPECT_NEAR(point.distance, 0.1 + 0.01 * axis, 1e-15);
    EXPECT_LT((point.normal - Vec3::Unit(axis)).norm(), 1e-14);
  }
  EXPECT_EQ(TouchPoints(mesh, {0.1, 0.11, 0.5}, 0.2).size(), 2u);
  EXPECT_EQ(mesh.Nearest({-0.3, 0.5, 0.5}, HUGE_VAL).distance, -0.3);  // in the solid
}

TEST(TriangleMesh, TrianglesBehindOthersAreNotTouched) {
  std::vector<Triangle> two_sheets = Sheet(0.0, 1.0, 0.0, 3);
  const std::vector<Triangle> upper = Sheet(0.0, 1.0, 0.1, 4);
  two_sheets.insert(two_sheets.end(), upper.begin(), upper.end());
  const TriangleMesh mesh(two_sheets, MeshSolid::kNo);
  const std::vector<MeshPoint> upper_points = TouchPoints(mesh, {0.4, 0.3, 0.25}, 0.4);
  ASSERT_EQ(upper_points.size(), 1u);
  EXPECT_NEAR(upper_points[0].distance, 0.15, 1e-15);
  const std::vector<MeshPoint> lower_points = TouchPoints(mesh, {0.4, 0.3, -0.05}, 0.4);
  ASSERT_EQ(lower_points.size(), 1u);
  EXPECT_NEAR(lower_points[0].distance, 0.05, 1e-15);
  EXPECT_EQ(TouchPoints(mesh, {0.4, 0.3, 0.06}, 0.4).size(), 2u);  // between them
}

TEST(TriangleMesh, TrianglesFoundFromANearbyPointGiveTheSamePoints) {
  const TriangleMesh mesh(Reversed(BoxSurface(kCube)), MeshSolid::kOutside);
  Draw draw(7);
  for (int k = 0; k < 1000; ++k) {
    const Vec3 nearby = draw.PointIn(kCube), x = nearby + draw.Vector(0.05);
    std::vector<Index> candidates = {4711};  // existing entries stay
    mesh.AppendNear(nearby, 0.4, candidates);
    EXPECT_EQ(candidates[0], 4711);
    MeshQuery query;
    mesh.FindPoints(x, 0.3, std::span(candidates).subspan(1), query);
    const std::vector<MeshPoint> expected = TouchPoints(mesh, x, 0.3);
    ASSERT_EQ(query.points.size(), expected.size());
    for (std::size_t p = 0; p < expected.size(); ++p) {
      EXPECT_EQ(query.points[p].feature, expected[p].feature);
      EXPECT_EQ(query.points[p].distance, expected[p].distance);
      EXPECT_EQ(query.points[p].normal, expected[p].normal);
    }
  }
}

TEST(TriangleMesh, CornersThatDifferByRoundingAreMerged) {
  Draw draw(3);
  std::vector<Triangle> cracked = BoxSurface(kCube);
  for (Triangle& triangle : cracked) {
    for (Vec3& corner : triangle) corner += draw.Vector(2e-8);
  }
  const TriangleMesh mesh(cracked, MeshSolid::kInside);  // closed in spite of the cracks
  EXPECT_EQ(mesh.Features(), 12 + 18 + 8);
  std::vector<Triangle> torn = BoxSurface(kCube);
  torn[0][0] += Vec3::Constant(1e-5);
  ExpectContains(ErrorOf(torn, MeshSolid::kInside), "is not closed");
}

TEST(TriangleMesh, ThreeSheetsMayMeetAtAnEdge) {
  std::vector<Triangle> pages;
  for (const double angle : {0.0, 2.0, 4.0}) {
    test::AddParallelogram(Vec3::Zero(), Vec3(std::cos(angle), std::sin(angle), 0), Vec3::UnitZ(),
                           pages);
  }
  const TriangleMesh mesh(pages, MeshSolid::kNo);
  const Vec3 direction(std::cos(1.0), std::sin(1.0), 0.0);
  // The common edge is near, but the sheets on both sides are nearer.
  EXPECT_EQ(TouchPoints(mesh, 0.1 * direction + Vec3(0, 0, 0.4), 0.2).size(), 2u);
}

TEST(TriangleMesh, BrokenSurfacesAreErrors) {
  ExpectContains(ErrorOf({}, MeshSolid::kNo), "no triangles");
  std::vector<Triangle> triangles = BoxSurface(kCube);
  triangles[4][1].y() = std::nan("");
  ExpectContains(ErrorOf(triangles, MeshSolid::kNo), "triangle 5 of 12 has a corner at");
  triangles = BoxSurface(kCube);
  triangles[4][1] = triangles[4][0];
  triangles[7] = {Vec3(0, 0, 0), Vec3(1, 1, 1), Vec3(0.3, 0.3, 0.3)};
  ExpectContains(ErrorOf(triangles, MeshSolid::kNo),
                 "2 degenerate triangles of 12, the first is 5");
  ExpectContains(ErrorOf(Sheet(0.0, 1.0, 0.0, 1), MeshSolid::kInside), "not closed: 4 edges");
  triangles = BoxSurface(kCube);
  std::swap(triangles[2][0], triangles[2][1]);
  ExpectContains(ErrorOf(triangles, MeshSolid::kInside), "oriented inconsistently: at 3 edges");
  EXPECT_EQ(ErrorOf(triangles, MeshSolid::kNo), "no error");
}

TEST(TriangleMesh, InsideOutSurfaceIsReported) {
  const std::vector<Triangle> outwards = BoxSurface(kCube);
  EXPECT_EQ(ErrorOf(outwards, MeshSolid::kInside), "no error");
  EXPECT_EQ(ErrorOf(Reversed(outwards), MeshSolid::kOutside), "no error");
  const std::string message = ErrorOf(Reversed(outwards), MeshSolid::kInside);
  ExpectContains(message, "inside out");
  ExpectContains(message, "face inwards");
  ExpectContains(ErrorOf(outwards, MeshSolid::kOutside), "face outwards");
}

}  // namespace
}  // namespace scree::triangle_mesh_test
