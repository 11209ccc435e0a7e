// Half-open boxes, distances from them, and wrapping into a periodic domain.
#include "engine/geometry/box.hpp"

#include <gtest/gtest.h>

#include <limits>

#include "tests/support/draw.hpp"

namespace scree::box_test {
namespace {

TEST(Box, ContainsItsLowerFacesButNotItsUpperOnes) {
  const Box box{{0, 0, 0}, {1, 2, 3}};
  EXPECT_TRUE(box.Contains({0, 0, 0}));
  for (int axis = 0; axis < 3; ++axis) {
    Vec3 x(0.5, 0.5, 0.5);
    x[axis] = box.upper[axis];
    EXPECT_FALSE(box.Contains(x));
    x[axis] = std::nextafter(box.upper[axis], 0.0);
    EXPECT_TRUE(box.Contains(x));
    x[axis] = -std::numeric_limits<double>::denorm_min();
    EXPECT_FALSE(box.Contains(x));
  }
  EXPECT_FALSE(box.Contains(Vec3::Constant(std::numeric_limits<double>::quiet_NaN())));
}

TEST(Box, DistanceIsThatOfTheNearestPoint) {
  const Box box{{0, 0, 0}, {1, 2, 3}};
  EXPECT_EQ(box.Distance({0.5, 1.0, 1.0}), 0.0);
  EXPECT_EQ(box.Distance({1.0, 2.0, 3.0}), 0.0);
  EXPECT_EQ(box.Distance({-2.0, 1.0, 1.0}), 2.0);             // face
  EXPECT_EQ(box.Distance({4.0, 6.0, 1.0}), 5.0);              // edge
  EXPECT_NEAR(box.Distance({2, 3, 4}), std::sqrt(3), 1e-15);  // corner
  test::Draw draw(1);
  for (int k = 0; k < 1000; ++k) {
    const Vec3 x = draw.Vector(5.0);
    EXPECT_NEAR(box.Distance(x), (x - x.cwiseMax(box.lower).cwiseMin(box.upper)).norm(), 1e-14);
  }
}

TEST(Box, DistanceAlongUnboundedSidesIsZero) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  const Box box{{-kInfinity, 0, 0}, {1, kInfinity, 1}};
  EXPECT_EQ(box.Distance({-1e9, 1e9, 0.5}), 0.0);
  EXPECT_EQ(box.Distance({3, 1e9, 0.5}), 2.0);
  EXPECT_TRUE(box.Contains({-1e300, 1e300, 0.5}));
}

TEST(Domain, WrapMovesPointsByWholePeriodsAlongPeriodicAxesOnly) {
  const Domain domain = {{{-1, 0, 0}, {1, 1, 1}}, {true, false, true}};
  EXPECT_EQ(domain.Wrap({1.5, 7.0, -0.25}), Vec3(-0.5, 7.0, 0.75));
  EXPECT_EQ(domain.Wrap({-5.5, -7.0, 3.5}), Vec3(0.5, -7.0, 0.5));
  EXPECT_EQ(domain.Wrap({1.0, 1.0, 1.0}), Vec3(-1.0, 1.0, 0.0));
  test::Draw draw(2);
  for (int k = 0; k < 1000; ++k) {
    const Vec3 x = domain.Wrap(draw.Vector(1e-16));
    EXPECT_TRUE(x.z() >= 0.0 && x.z() < 1.0) << x.z();
  }
}

}  // namespace
}  // namespace scree::box_test
