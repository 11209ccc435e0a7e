// Images of a sheared domain: positions, velocities and wrapping.
#include "engine/geometry/periodic_images.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/support/all_pairs.hpp"
#include "tests/support/draw.hpp"

namespace scree::periodic_images_test {
namespace {

Domain Sheared(double rate) {
  Domain domain = {{Vec3(-1, 2, 3), Vec3(1, 5, 7)}, {true, true, true}};
  domain.shear = {rate, CoordinateAxis::kY, CoordinateAxis::kZ};
  return domain;
}

TEST(PeriodicImages, ImagesAreAtRestWithoutShear) {
  Domain domain = Sheared(0.0);
  const PeriodicImages images(domain, 12.3);
  EXPECT_FALSE(images.AreMoving());
  EXPECT_EQ(images.Shift({1, -1, 1}), Vec3(2, -3, 4));
  EXPECT_EQ(images.Velocity({1, -1, 1}), Vec3(0, 0, 0));
  Vec3 x(0.5, 5.5, 2.0), v(1, 2, 3);
  images.Wrap(x, v);
  EXPECT_EQ(x, domain.Wrap(Vec3(0.5, 5.5, 2.0)));
  EXPECT_EQ(v, Vec3(1, 2, 3));
}

TEST(PeriodicImages, ImagesMoveAlongTheFlow) {
  // The upper image moves at 0.25 x 4 = 1 along y, where the period is 3. After 5.5 s its offset is
  // 5.5 - 2 x 3 = -0.5.
  const PeriodicImages images(Sheared(0.25), 5.5);
  EXPECT_LT((images.Shift({0, 0, 1}) - Vec3(0, -0.5, 4)).norm(), 1e-12);
  EXPECT_LT((images.Shift({1, 1, -1}) - Vec3(2, 3.5, -4)).norm(), 1e-12);
  EXPECT_LT((images.Velocity({1, 1, -1}) - Vec3(0, -1, 0)).norm(), 1e-12);
  Vec3 x(0, 2.1, 7.5), v(1, 2, 3);
  images.Wrap(x, v);
  EXPECT_LT((x - Vec3(0, 2.6, 3.5)).norm(), 1e-12);
  EXPECT_LT((v - Vec3(1, 1, 3)).norm(), 1e-12);
}

TEST(PeriodicImages, OffsetsDoNotJumpWhileImagesKeepTheirNumbers) {
  const Domain domain = Sheared(0.25);
  // If the images were numbered again after 4.5 s, their offset would be smaller by a period.
  for (double time = 4.2; time < 6.0; time += 0.1) {
    const Vec3 shift = PeriodicImages(domain, time, 4.2).Shift({0, 0, 1});
    EXPECT_NEAR(shift.y(), time - 3.0, 1e-12);
  }
}

TEST(PeriodicImages, OppositeImagesHaveExactlyOppositeShiftsAndVelocities) {
  test::Draw draw(3);
  for (int k = 0; k < 100; ++k) {
    const PeriodicImages images(Sheared(draw.Uniform(-3, 3)), draw.Uniform(0, 1e4));
    for (const Image& image : test::AllImages({true, true, true})) {
      Image opposite = image;
      for (std::int8_t& periods : opposite) periods = static_cast<std::int8_t>(-periods);
      EXPECT_EQ(images.Shift(image), -images.Shift(opposite));
      EXPECT_EQ(images.Velocity(image), -images.Velocity(opposite));
    }
  }
}

TEST(PeriodicImages, PointsNextToTheDomainAreImagesWithinOnePeriod) {
  // Any point within half a period of the domain is one of the 27 images of a point in it.
  test::Draw draw(5);
  const Domain domain = Sheared(0.7);
  const Vec3 half = 0.5 * domain.box.Extent();
  for (int k = 0; k < 2000; ++k) {
    const PeriodicImages images(domain, draw.Uniform(0, 100));
    const Vec3 x = draw.PointIn({domain.box.lower - half, domain.box.upper + half});
    const Vec3 wrapped = images.Wrap(x);
    EXPECT_TRUE(domain.box.Contains(wrapped));
    double min = HUGE_VAL;
    for (const Image& image : test::AllImages({true, true, true})) {
      min = std::min(min, (wrapped + images.Shift(image) - x).norm());
    }
    EXPECT_LT(min, 1e-12);
  }
}

TEST(PeriodicImages, RoundedVelocitiesAddWithoutRounding) {
  test::Draw draw(7);
  for (int k = 0; k < 1000; ++k) {
    const PeriodicImages images(Sheared(draw.Uniform(0.1, 3)), 1.0);
    const Vec3 image = images.Velocity({0, 0, 1});
    const double speed = std::pow(10.0, draw.Uniform(-6, 1.5)) * image.norm();
    const Vec3 v = images.Rounded(draw.Vector(speed));
    EXPECT_EQ(images.Rounded(v), v);
    EXPECT_EQ((v + image) - image, v);
    const Vec3 w = images.Rounded(draw.Vector(speed));
    EXPECT_EQ(v - (w + image), -(w - (v - image)));
  }
}

TEST(PeriodicImages, MeanFlowGrowsByTheRate) {
  const Domain domain = Sheared(0.25);
  EXPECT_EQ(domain.MeanFlow(Vec3(9, 9, 5)), Vec3(0, 0, 0));
  EXPECT_EQ(domain.MeanFlow(Vec3(9, 9, 7)), Vec3(0, 0.5, 0));
}

}  // namespace
}  // namespace scree::periodic_images_test
