// Regions: volume, bounds, and the test whether a sphere is inside.
#include "engine/geometry/region.hpp"

#include <gtest/gtest.h>

#include <numbers>

namespace scree::region_test {
namespace {

const Region kBox = Box{{0, 0, 0}, {1, 2, 3}};
const Region kCylinder = Cylinder{{1, 1, 0}, {1, 1, 2}, 0.5};
const Region kBall = Ball{{1, 2, 3}, 0.5};

TEST(Region, VolumesAndBoundsMatchClosedForms) {
  EXPECT_DOUBLE_EQ(VolumeOf(kBox), 6.0);
  EXPECT_DOUBLE_EQ(VolumeOf(kCylinder), 0.5 * std::numbers::pi);
  EXPECT_DOUBLE_EQ(VolumeOf(kBall), std::numbers::pi / 6.0);
  EXPECT_EQ(BoundsOf(kBox).upper, Vec3(1, 2, 3));
  EXPECT_NEAR((BoundsOf(kCylinder).lower - Vec3(0.5, 0.5, 0)).norm(), 0.0, 1e-15);
  EXPECT_NEAR((BoundsOf(kBall).upper - Vec3(1.5, 2.5, 3.5)).norm(), 0.0, 1e-15);
}

TEST(Region, RegionContainsOnlyCompleteSpheres) {
  EXPECT_TRUE(Contains(kBox, Vec3(0.2, 1, 1), 0.2));
  EXPECT_FALSE(Contains(kBox, Vec3(0.2, 1, 1), 0.21));
  EXPECT_TRUE(Contains(kCylinder, Vec3(1.2, 1, 0.3), 0.3));
  EXPECT_FALSE(Contains(kCylinder, Vec3(1.2, 1, 0.3), 0.31));
  EXPECT_FALSE(Contains(kCylinder, Vec3(1.2, 1, 0.1), 0.2));
  EXPECT_TRUE(Contains(kBall, Vec3(1, 2, 3.2), 0.3));
  EXPECT_FALSE(Contains(kBall, Vec3(1, 2, 3.2), 0.31));
}

TEST(Region, LargestSphereHasTheWidthOfTheRegion) {
  EXPECT_TRUE(HasRoom(kBox, 0.5));
  EXPECT_FALSE(HasRoom(kBox, 0.51));
  EXPECT_TRUE(HasRoom(kCylinder, 0.5));
  EXPECT_FALSE(HasRoom(kCylinder, 0.51));
  EXPECT_FALSE(HasRoom(kBall, 0.51));
}

}  // namespace
}  // namespace scree::region_test
