// The core of a section: its area, its centroid, and how much of its bending strength four points
// bear.
#include "engine/contacts/bond_birth.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

namespace scree::bond_birth_test {
namespace {

const Vec3 kNormal = Vec3::UnitZ();
double Cross(const Vec3& a, const Vec3& b) { return a.cross(b).dot(kNormal); }

/// Corners around the origin, not on a symmetric place of the axes.
std::vector<Vec3> RegularPolygon(int count) {
  std::vector<Vec3> corners;
  for (int k = 0; k < count; ++k) {
    const double angle = 2.0 * std::numbers::pi * k / count + 0.3;
    corners.emplace_back(std::cos(angle), std::sin(angle), 0.0);
  }
  return corners;
}

/// A square of side 1 without a small triangle at one corner.
std::vector<Vec3> ClippedSquare(double clipped) {
  return {Vec3(0, 0, 0), Vec3(1, 0, 0), Vec3(1, 1.0 - clipped, 0), Vec3(1.0 - clipped, 1, 0),
          Vec3(0, 1, 0)};
}

const std::vector<Vec3> kIrregular = {Vec3(3, 1, 0), Vec3(5, 1.5, 0), Vec3(5.5, 2.5, 0),
                                      Vec3(4, 4, 0), Vec3(2.5, 3.5, 0)};

/// Area, centroid and second moment by sums over the sides (Green's theorem).
struct Section {
  std::vector<Vec3> corners;  // from the centroid
  double area = 0.0;
  Vec3 centroid = Vec3::Zero();
  double xx = 0.0, xy = 0.0, yy = 0.0;

  explicit Section(const std::vector<Vec3>& polygon) : corners(polygon) {
    ForEachSide([&](const Vec3& p, const Vec3& q) {
      area += 0.5 * Cross(p, q);
      centroid += Cross(p, q) / 6.0 * (p + q);
    });
    centroid /= area;
    for (Vec3& corner : corners) corner -= centroid;
    ForEachSide([&](const Vec3& p, const Vec3& q) {
      const Vec3 sum = p + q;
      const double weight = Cross(p, q) / 24.0;
      xx += weight * (p.x() * p.x() + q.x() * q.x() + sum.x() * sum.x());
      xy += weight * (p.x() * p.y() + q.x() * q.y() + sum.x() * sum.y());
      yy += weight * (p.y() * p.y() + q.y() * q.y() + sum.y() * sum.y());
    });
  }
  template <class Visit>
  void ForEachSide(Visit&& visit) const {
    for (std::size_t k = 0; k < corners.size(); ++k) {
      visit(corners[k], corners[(k + 1) % corners.size()]);
    }
  }
  /// How far from the centroid a force may act without tension in the elastic section.
  double CoreRadius(const Vec3& direction) const {
    const double determinant = xx * yy - xy * xy;
    const Vec3 slope = Vec3(yy * direction.x() - xy * direction.y(),
                            xx * direction.y() - xy * direction.x(), 0.0) /
                       determinant;
    double largest = 0.0;
    for (const Vec3& corner : corners) largest = std::max(largest, -slope.dot(corner));
    return 1.0 / (area * largest);
  }
};

/// How far from the centroid a force may act without tension at the points.
double RadiusOf(const SectionCore& core, const Vec3& direction) {
  double radius = std::numeric_limits<double>::infinity();
  for (std::size_t k = 0; k < core.corners.size(); ++k) {
    const Vec3 start = core.corners[k] - core.centre;
    const Vec3 side = core.corners[(k + 1) % core.corners.size()] - core.corners[k];
    if (Cross(direction, side) > 0.0) {
      radius = std::min(radius, Cross(start, side) / Cross(direction, side));
    }
  }
  return radius;
}

/// Checks area, centroid and that the points are in the core of the section.
/// @returns the smallest fraction of the elastic bending strength over all directions
double ExpectCoreOf(const std::vector<Vec3>& polygon) {
  constexpr double kRounding = 1e-9;
  const Section section(polygon);
  const SectionCore core = FindSectionCore(polygon, kNormal);
  EXPECT_NEAR(core.area, section.area, kRounding * section.area);
  EXPECT_LE(core.corners.size(), kMaxBondPoints);
  Vec3 mean = Vec3::Zero();
  double sum = 0.0;
  for (std::size_t k = 0; k < core.corners.size(); ++k) {
    EXPECT_GT(core.fraction[k], 0.0);
    mean += core.fraction[k] * core.corners[k];
    sum += core.fraction[k];
  }
  EXPECT_NEAR(sum, 1.0, kRounding);
  EXPECT_LT((mean - section.centroid).norm(), kRounding);
  double smallest = 1.0;
  constexpr int kDirections = 3600;
  for (int k = 0; k < kDirections; ++k) {
    const double angle = 2.0 * std::numbers::pi * k / kDirections;
    const Vec3 direction(std::cos(angle), std::sin(angle), 0.0);
    const double fraction = RadiusOf(core, direction) / section.CoreRadius(direction);
    EXPECT_LT(fraction, 1.0 + kRounding);
    smallest = std::min(smallest, fraction);
  }
  return smallest;
}

constexpr double kDirectionError = 1e-3;  // of 3600 directions

TEST(FindSectionCore, UpToFourCornersBearTheElasticMoment) {
  EXPECT_NEAR(ExpectCoreOf(RegularPolygon(3)), 1.0, kDirectionError);
  EXPECT_NEAR(ExpectCoreOf({Vec3(0, 0, 0), Vec3(3, 0, 0), Vec3(3, 1, 0), Vec3(0, 1, 0)}), 1.0,
              kDirectionError);
  EXPECT_NEAR(ExpectCoreOf({Vec3(0, 0, 0), Vec3(3, 0, 0), Vec3(2, 1, 0), Vec3(1.5, 1, 0)}), 1.0,
              kDirectionError);
}

TEST(FindSectionCore, FourPointsBearMostOfTheMomentOfARegularPolygon) {
  EXPECT_NEAR(ExpectCoreOf(RegularPolygon(5)), 0.618, kDirectionError);
  EXPECT_NEAR(ExpectCoreOf(RegularPolygon(6)), 2.0 / 3.0, kDirectionError);
  EXPECT_NEAR(ExpectCoreOf(RegularPolygon(8)), std::sqrt(0.5), kDirectionError);
  EXPECT_NEAR(ExpectCoreOf(RegularPolygon(24)), std::sqrt(0.5), kDirectionError);
  EXPECT_GT(ExpectCoreOf(kIrregular), 0.618);
}

/// A fifth corner that hardly changes the polygon hardly changes the strength.
TEST(FindSectionCore, SmallSideChangesTheMomentLittle) {
  for (const double clipped : {0.1, 0.01, 0.002}) {
    EXPECT_GT(ExpectCoreOf(ClippedSquare(clipped)), 1.0 - 1.5 * clipped) << clipped;
  }
}

/// Two contact points of a face may lie on one of its sides.
TEST(FindSectionCore, PointOnASideIsNoCorner) {
  std::vector<Vec3> square = ClippedSquare(0.0);
  square[2] = Vec3(1, 0.4, 0);
  square[3] = Vec3(1, 1, 0);
  EXPECT_NEAR(ExpectCoreOf(square), 1.0, kDirectionError);
}

TEST(FindSectionCore, PointsOnALineSpanNoArea) {
  const std::vector<Vec3> line = {Vec3(0, 0, 0), Vec3(1, 0, 0), Vec3(2, 0, 0), Vec3(4, 0, 0),
                                  Vec3(5, 0, 0)};
  EXPECT_EQ(FindSectionCore(line, kNormal).area, 0.0);
}

}  // namespace
}  // namespace scree::bond_birth_test
