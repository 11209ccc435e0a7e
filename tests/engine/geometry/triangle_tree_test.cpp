// The tree finds all near boxes that a search of all boxes finds, and few others.
#include "engine/geometry/triangle_tree.hpp"

#include <gtest/gtest.h>

#include <set>

#include "tests/support/draw.hpp"
#include "tests/support/meshes.hpp"

namespace scree::triangle_tree_test {
namespace {

std::vector<Triangle> RandomTriangles(int count) {
  test::Draw draw(5);
  std::vector<Triangle> triangles;
  for (int t = 0; t < count; ++t) {
    const Vec3 x = draw.Vector(1.0);
    triangles.push_back({x, x + draw.Vector(0.1), x + draw.Vector(0.1)});
  }
  return triangles;
}

double BoxDistance(const Triangle& triangle, const Vec3& x) {
  const auto& [a, b, c] = triangle;
  return Box{a.cwiseMin(b).cwiseMin(c), a.cwiseMax(b).cwiseMax(c)}.Distance(x);
}

TEST(TriangleTree, VisitsAllNearTrianglesOnceAndFewOthers) {
  const std::vector<Triangle> triangles = RandomTriangles(3000);
  const TriangleTree tree(triangles);
  test::Draw draw(6);
  std::size_t visits = 0, near_count = 0;
  for (int k = 0; k < 200; ++k) {
    const Vec3 x = draw.Vector(1.2);
    const double limit = draw.Uniform(0.0, 0.3), squared = limit * limit;
    std::set<Index> visited;
    tree.VisitNear(x, squared, [&](Index t) { EXPECT_TRUE(visited.insert(t).second); });
    for (std::size_t t = 0; t < triangles.size(); ++t) {
      if (BoxDistance(triangles[t], x) > limit) continue;
      ++near_count;
      EXPECT_TRUE(visited.contains(static_cast<Index>(t)));
    }
    visits += visited.size();
  }
  EXPECT_LT(visits, 4 * near_count);
}

TEST(TriangleTree, DecreasingLimitShortensTheSearch) {
  const std::vector<Triangle> triangles = RandomTriangles(3000);
  const TriangleTree tree(triangles);
  int visits = 0;
  double squared = 100.0;
  tree.VisitNear(Vec3(0.1, 0.2, 0.3), squared, [&](Index t) {
    ++visits;
    const double distance = BoxDistance(triangles[static_cast<std::size_t>(t)], {0.1, 0.2, 0.3});
    squared = std::min(squared, distance * distance);
  });
  EXPECT_GT(visits, 0);
  EXPECT_LT(visits, 300);
}

TEST(TriangleTree, EmptyTreeVisitsNothingAndManyEqualTrianglesAreAllVisited) {
  int visits = 0;
  TriangleTree().VisitNear(Vec3::Zero(), 1.0, [&](Index) { ++visits; });
  EXPECT_EQ(visits, 0);
  const std::vector<Triangle> equal_triangles(
      1000, Triangle{Vec3(0, 0, 0), Vec3(1, 0, 0), Vec3(0, 1, 0)});
  TriangleTree(equal_triangles).VisitNear(Vec3::Zero(), 1.0, [&](Index) { ++visits; });
  EXPECT_EQ(visits, 1000);
  const Box bounds = TriangleTree(equal_triangles).Bounds();
  EXPECT_EQ(bounds.lower, Vec3(0, 0, 0));
  EXPECT_EQ(bounds.upper, Vec3(1, 1, 0));
}

}  // namespace
}  // namespace scree::triangle_tree_test
