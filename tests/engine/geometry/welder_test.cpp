// A point is welded to a near point exactly if a search of all points finds a near one.
#include "engine/geometry/welder.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "tests/support/draw.hpp"

namespace scree::welder_test {
namespace {

constexpr double kTolerance = 1e-3;

bool AnyIsNear(const std::vector<Vec3>& points, const Vec3& x) {
  return std::ranges::any_of(points,
                             [&x](const Vec3& point) { return (point - x).norm() <= kTolerance; });
}

TEST(Welder, FindsNearPointsAcrossAllCellBorders) {
  test::Draw draw(7);
  std::vector<Vec3> points;
  Welder welder(kTolerance, 12000, points);
  int welded = 0;
  for (int k = 0; k < 3000; ++k) {
    const Vec3 x = draw.Vector(0.2);  // about six cells, so that each border is crossed
    for (const double distance : {0.0, 0.4, 0.99, 1.01}) {
      const Vec3 near_point = x + distance * kTolerance * draw.Direction();
      const bool is_near = AnyIsNear(points, near_point);
      const std::size_t count_before = points.size();
      const auto number = static_cast<std::size_t>(welder.FindOrAdd(near_point));
      ASSERT_EQ(points.size(), is_near ? count_before : count_before + 1);
      ASSERT_TRUE(is_near || number == count_before);
      ASSERT_LE((points[number] - near_point).norm(), kTolerance);
      welded += is_near;
    }
  }
  EXPECT_GT(welded, 6000);
  EXPECT_LT(welded, 9500);
}

TEST(Welder, HasCapacityForSeparatePoints) {
  std::vector<Vec3> points;
  Welder welder(kTolerance, 1000, points);
  for (Index k = 0; k < 1000; ++k) EXPECT_EQ(welder.FindOrAdd(Vec3::Constant(0.01 * k)), k);
  for (Index k = 0; k < 1000; ++k) EXPECT_EQ(welder.FindOrAdd(Vec3::Constant(0.01 * k)), k);
}

}  // namespace
}  // namespace scree::welder_test
