// The cell grid, compared with a search of all points.
#include "engine/lists/cell_grid.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <utility>

#include "tests/support/draw.hpp"

namespace scree::cell_grid_test {
namespace {

using test::Draw;

std::vector<Vec3> Cloud(Draw& draw, int count, const Vec3& extent) {
  std::vector<Vec3> points;
  for (int i = 0; i < count; ++i) points.push_back(draw.Vector(1.0).cwiseProduct(extent));
  return points;
}

/// Expects that VisitRunsNear visits every point within the distance once, and that VisitRunsAfter
/// visits every pair of such points once.
void ExpectFindsAllWithin(double distance, const std::vector<Vec3>& points, double cell_size) {
  const CellGrid grid(points, cell_size);
  std::vector<Index> sorted = grid.Order();
  std::sort(sorted.begin(), sorted.end());
  ASSERT_EQ(sorted.size(), points.size());
  for (std::size_t i = 0; i < sorted.size(); ++i) ASSERT_EQ(sorted[i], static_cast<Index>(i));

  const std::vector<Index>& order = grid.Order();
  std::set<std::pair<Index, Index>> pairs;  // found by visiting only later points
  for (std::size_t k = 0; k < points.size(); ++k) {
    const Vec3& x = points[static_cast<std::size_t>(order[k])];
    std::vector<int> visits(points.size(), 0);
    grid.VisitRunsNear(x, distance, [&](std::size_t begin, std::size_t end) {
      for (; begin < end; ++begin) ++visits[static_cast<std::size_t>(order[begin])];
    });
    for (std::size_t i = 0; i < points.size(); ++i) {
      EXPECT_LE(visits[i], 1);
      if ((points[i] - x).norm() < distance) {
        EXPECT_EQ(visits[i], 1);
      }
    }
    grid.VisitRunsAfter(k, x, distance, [&](std::size_t begin, std::size_t end) {
      EXPECT_GT(begin, k);
      for (; begin < end; ++begin) {
        EXPECT_TRUE(pairs.insert(std::minmax(order[k], order[begin])).second);
      }
    });
    if (testing::Test::HasFailure()) return;
  }
  for (std::size_t a = 0; a < points.size(); ++a) {
    for (std::size_t b = a + 1; b < points.size(); ++b) {
      if ((points[a] - points[b]).norm() >= distance) continue;
      ASSERT_TRUE(pairs.count({static_cast<Index>(a), static_cast<Index>(b)}));
    }
  }
}

void ExpectFindsAllNear(const std::vector<Vec3>& points, double cell_size) {
  for (const double cell_count : {0.2, 1.0, 3.3}) {
    ExpectFindsAllWithin(cell_count * cell_size, points, cell_size);
  }
}

TEST(CellGrid, FindsAllNearPointsOfAnyCloud) {
  Draw draw(1);
  for (const Vec3& extent : {Vec3(1, 1, 1), Vec3(5, 1, 0.1), Vec3(0.01, 3, 3)}) {
    for (const double cell_size : {0.05, 0.3, 4.0}) {
      ExpectFindsAllNear(Cloud(draw, 400, extent), cell_size);
    }
  }
}

TEST(CellGrid, FindsAllPointsOfPlanesLinesAndSinglePoints) {
  Draw draw(2);
  ExpectFindsAllNear(Cloud(draw, 200, {1, 1, 0}), 0.1);
  ExpectFindsAllNear(Cloud(draw, 200, {0, 1, 0}), 0.1);
  ExpectFindsAllNear(std::vector<Vec3>(20, Vec3(1, 2, 3)), 0.1);
  ExpectFindsAllNear({Vec3(1, 2, 3)}, 0.1);
  ExpectFindsAllNear({}, 0.1);
}

TEST(CellGrid, TinyExtentsDoNotOverflow) {
  // The reciprocal of this extent is infinite.
  ExpectFindsAllNear({Vec3(0, 0, 0), Vec3(1e-310, 0.5, 0), Vec3(0, 0.3, 5e-324)}, 0.1);
}

TEST(CellGrid, FindsPointsOnALatticeOfItsCellSize) {
  std::vector<Vec3> points;
  for (int i = 0; i < 1000; ++i) points.push_back(0.1 * Vec3(i % 10, i / 10 % 10, i / 100));
  ExpectFindsAllNear(points, 0.1);
  ExpectFindsAllNear(points, 0.10001);
}

TEST(CellGrid, DistantClustersNeedNoCellsInBetween) {
  Draw draw(3);
  std::vector<Vec3> points = Cloud(draw, 100, {1, 1, 1});
  for (int i = 0; i < 100; ++i) points.push_back(Vec3(1e9, -1e9, 1e9) + draw.Vector(1.0));
  points.push_back(Vec3(1e30, 0, 0));
  ExpectFindsAllNear(points, 0.2);
}

TEST(CellGrid, OrderKeepsNeighboursTogether) {
  Draw draw(4);
  const std::vector<Vec3> points = Cloud(draw, 2000, {1, 1, 1});
  const std::vector<Index> order = CellGrid(points, 0.25).Order();
  double unsorted = 0.0, sorted = 0.0;
  for (std::size_t i = 1; i < points.size(); ++i) {
    unsorted += (points[i] - points[i - 1]).norm();
    sorted += (points[static_cast<std::size_t>(order[i])] -
               points[static_cast<std::size_t>(order[i - 1])])
                  .norm();
  }
  EXPECT_LT(sorted, 0.3 * unsorted);
}

}  // namespace
}  // namespace scree::cell_grid_test
