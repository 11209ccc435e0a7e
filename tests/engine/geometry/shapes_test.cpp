// Signed distances and normals, compared with points sampled densely from the surfaces.
#include "engine/geometry/shapes.hpp"

#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <functional>
#include <numbers>

#include "engine/geometry/surface_triangles.hpp"
#include "engine/geometry/triangle_mesh.hpp"
#include "tests/support/draw.hpp"
#include "tests/support/meshes.hpp"
#include "tests/support/paper_channel.hpp"

namespace scree::shapes_test {
namespace {

using test::Draw;

/// Points on the surface of a cylinder along z with the given half height.
std::vector<Vec3> SampleCylinder(double radius, double half, int count) {
  std::vector<Vec3> points;
  for (int i = 0; i < count; ++i) {
    const double angle = 2.0 * std::numbers::pi * i / count;
    const Vec3 radial(std::cos(angle), std::sin(angle), 0.0);
    for (int j = 0; j <= count / 4; ++j) {
      const double fraction = 4.0 * j / count;
      points.push_back(radius * radial + Vec3(0, 0, half * (2.0 * fraction - 1.0)));
      points.push_back(radius * fraction * radial + Vec3(0, 0, half));
      points.push_back(radius * fraction * radial - Vec3(0, 0, half));
    }
  }
  return points;
}

std::vector<Vec3> SampleBlock(const Box& box, int count) {
  std::vector<Vec3> points;
  for (int axis = 0; axis < 3; ++axis) {
    for (int i = 0; i <= count; ++i) {
      for (int j = 0; j <= count; ++j) {
        Vec3 fractions(0, 0, 0);
        fractions[(axis + 1) % 3] = static_cast<double>(i) / count;
        fractions[(axis + 2) % 3] = static_cast<double>(j) / count;
        points.push_back(box.lower + fractions.cwiseProduct(box.Extent()));
        fractions[axis] = 1.0;
        points.push_back(box.lower + fractions.cwiseProduct(box.Extent()));
      }
    }
  }
  return points;
}

/// Compares the distance with the sampled distance, and checks that a step by this distance along
/// the normal ends on the surface.
void ExpectMatchesSamples(const Shape& shape, const std::vector<Vec3>& samples, double pitch,
                          const std::function<bool(const Vec3&)>& is_inside) {
  Draw draw(2);
  for (int k = 0; k < 300; ++k) {
    const Vec3 x = draw.Vector(2.0);
    double min_distance = std::numeric_limits<double>::infinity();
    for (const Vec3& sample : samples) min_distance = std::min(min_distance, (x - sample).norm());
    const SurfacePoint surface = NearestSurface(shape, x);
    EXPECT_EQ(surface.distance < 0.0, is_inside(x)) << x.transpose();
    // The nearest sample is farther than the nearest point by at most the pitch.
    EXPECT_LE(std::abs(surface.distance), min_distance + 1e-12) << x.transpose();
    EXPECT_GE(std::abs(surface.distance), min_distance - pitch) << x.transpose();
    EXPECT_NEAR(surface.normal.norm(), 1.0, 1e-14);
    const Vec3 foot = x - surface.distance * surface.normal;
    EXPECT_NEAR(NearestSurface(shape, foot).distance, 0.0, 1e-12) << x.transpose();
  }
}

TEST(Shapes, PlaneIsAHalfSpace) {
  const Vec3 n = Vec3(1, 2, 2) / 3.0;
  const ShapePart plane = Plane{{1, 1, 1}, n};
  const SurfacePoint surface = NearestSurface(plane, Vec3(1, 1, 1) + 0.3 * n + Vec3(0, 5, -5));
  EXPECT_NEAR(surface.distance, 0.3, 1e-14);
  EXPECT_EQ(surface.normal, n);
  EXPECT_NEAR(NearestSurface(plane, Vec3(1, 1, 1) - 2.0 * n).distance, -2.0, 1e-14);
}

TEST(Shapes, CylinderAgreesWithItsSampledSurface) {
  const double radius = 0.8, half = 0.6;
  const Shape shape{{Cylinder{{0, 0, -half}, {0, 0, half}, radius}}};
  ExpectMatchesSamples(shape, SampleCylinder(radius, half, 200), 0.05, [&](const Vec3& x) {
    return std::hypot(x.x(), x.y()) < radius && std::abs(x.z()) < half;
  });
}

TEST(Shapes, BlockAgreesWithItsSampledSurface) {
  const Box box{{-0.5, -1.0, -0.3}, {0.7, 0.2, 0.9}};
  ExpectMatchesSamples({{Block{box}}}, SampleBlock(box, 60), 0.03,
                       [&](const Vec3& x) { return box.Contains(x); });
}

TEST(Shapes, BlockNormalPointsFromTheNearestFaceEdgeOrCorner) {
  const ShapePart block = Block{{{0, 0, 0}, {1, 1, 1}}};
  EXPECT_EQ(NearestSurface(block, {0.5, 0.5, 3.0}).normal, Vec3::UnitZ());
  EXPECT_EQ(NearestSurface(block, {-1.0, 0.5, 0.5}).normal, Vec3(-Vec3::UnitX()));
  EXPECT_LT((NearestSurface(block, {2, 2, 0.5}).normal - Vec3(1, 1, 0).normalized()).norm(), 1e-14);
  EXPECT_LT((NearestSurface(block, {2, -1, 2}).normal - Vec3(1, -1, 1).normalized()).norm(), 1e-14);
  EXPECT_NEAR(NearestSurface(block, {2, -1, 2}).distance, std::sqrt(3.0), 1e-14);
  EXPECT_EQ(NearestSurface(block, {0.9, 0.5, 0.5}).normal, Vec3::UnitX());
  EXPECT_EQ(NearestSurface(block, {1.0, 0.5, 0.5}).distance, 0.0);
}

TEST(Shapes, PointsWithSeveralNearestPointsHaveAUnitNormal) {
  const Cylinder cylinder{{0, 0, 0}, {0, 0, 4}, 1.0};
  const SurfacePoint axis = NearestSurface(ShapePart(cylinder), {0, 0, 2});
  EXPECT_EQ(axis.distance, -1.0);
  EXPECT_NEAR(axis.normal.norm(), 1.0, 1e-15);
  EXPECT_EQ(axis.normal.z(), 0.0);
  const SurfacePoint centre =
      NearestSurface(ShapePart(Block{{{0, 0, 0}, {1, 1, 1}}}), Vec3::Constant(0.5));
  EXPECT_EQ(centre.distance, -0.5);
  EXPECT_EQ(centre.normal.norm(), 1.0);
}

TEST(Shapes, CylinderMayHaveAnyDirection) {
  Draw draw(3);
  const ShapePart upright = Cylinder{{0, 0, 0}, {0, 0, 2}, 0.5};
  for (int k = 0; k < 200; ++k) {
    Mat3 rotation;
    rotation.col(2) = draw.Direction();
    rotation.col(0) = rotation.col(2).unitOrthogonal();
    rotation.col(1) = rotation.col(2).cross(rotation.col(0));
    const Vec3 centre = draw.Vector(3.0), x = draw.Vector(2.0);
    const ShapePart rotated = Cylinder{centre, centre + rotation * Vec3(0, 0, 2), 0.5};
    const SurfacePoint expected = NearestSurface(upright, x);
    const SurfacePoint surface = NearestSurface(rotated, centre + rotation * x);
    EXPECT_NEAR(surface.distance, expected.distance, 1e-13);
    EXPECT_LT((surface.normal - rotation * expected.normal).norm(), 1e-12);
  }
}

/// The definition of the channel's obstacle: half a cylinder in front, a box behind.
double DistanceFromObstacle(const Vec3& x) {
  const double px = x.x() - 0.04, py = x.y() - 0.04;
  if (px < 0.0) return std::hypot(px, py) - 0.01;
  const double beyond_x = px - 0.01, beyond_y = std::abs(py) - 0.01;
  if (beyond_x <= 0.0 && beyond_y <= 0.0) return std::max(beyond_x, beyond_y);
  return std::hypot(std::max(beyond_x, 0.0), std::max(beyond_y, 0.0));
}

TEST(Shapes, CylinderAndBlockFormTheObstacleOfTheChannel) {
  const Shape obstacle = test::HalfCylinderAndBlock();
  Draw draw(4);
  int inside_count = 0;
  for (int k = 0; k < 20000; ++k) {
    const Vec3 x = draw.PointIn({{0.02, 0.02, 0.0}, {0.06, 0.06, 0.02}});
    const double expected = DistanceFromObstacle(x);
    const SurfacePoint surface = NearestSurface(obstacle, x);
    EXPECT_EQ(surface.distance < 0.0, expected < 0.0) << x.transpose();
    if (expected < 0.0) {
      ++inside_count;
    } else {
      EXPECT_NEAR(surface.distance, expected, 1e-15) << x.transpose();
      EXPECT_NEAR(NearestSurface(obstacle, x - expected * surface.normal).distance, 0.0, 1e-15);
    }
  }
  EXPECT_GT(inside_count, 1000);
}

/// Points on the surface that a segment sweeps about the z axis. The segment leads from height z0
/// and radius r0 to height z1 and radius r1.
std::vector<Vec3> SampleSwept(double z0, double r0, double z1, double r1, int count) {
  std::vector<Vec3> points;
  for (int i = 0; i < count; ++i) {
    const double angle = 2.0 * std::numbers::pi * i / count;
    for (int j = 0; j <= count; ++j) {
      const double fraction = static_cast<double>(j) / count;
      const double r = r0 + fraction * (r1 - r0);
      points.emplace_back(r * std::cos(angle), r * std::sin(angle), z0 + fraction * (z1 - z0));
    }
  }
  return points;
}

TEST(Shapes, SheetsAgreeWithTheirSampledSurfacesFromBothSides) {
  const auto is_never_inside = [](const Vec3&) { return false; };
  const auto expect = [&](const ShapePart& sheet, const std::vector<Vec3>& samples) {
    ExpectMatchesSamples({{sheet}}, samples, 0.05, is_never_inside);
  };
  expect(Pipe{{0, 0, -0.5}, {0, 0, 0.8}, 0.7}, SampleSwept(-0.5, 0.7, 0.8, 0.7, 200));
  expect(Cone{{0, 0, -0.5}, {0, 0, 0.8}, 0.2, 1.1}, SampleSwept(-0.5, 0.2, 0.8, 1.1, 200));
  expect(Cone{{0, 0, 1.0}, {0, 0, -1.0}, 0.0, 0.9}, SampleSwept(1.0, 0.0, -1.0, 0.9, 200));
  expect(Disk{{0, 0, 0.3}, Vec3::UnitZ(), 1.2, 0.4}, SampleSwept(0.3, 0.4, 0.3, 1.2, 200));
  expect(Disk{{0, 0, 0.3}, Vec3::UnitZ(), 1.2, 0.0}, SampleSwept(0.3, 0.0, 0.3, 1.2, 200));
}

TEST(Shapes, NormalOfASheetPointsToTheSideOfTheSphere) {
  const ShapePart pipe = Pipe{{0, 0, 0}, {0, 0, 2}, 1.0};
  EXPECT_EQ(NearestSurface(pipe, {0.75, 0, 1}).normal, Vec3(-Vec3::UnitX()));
  EXPECT_EQ(NearestSurface(pipe, {0.75, 0, 1}).distance, 0.25);
  EXPECT_EQ(NearestSurface(pipe, {1.25, 0, 1}).normal, Vec3::UnitX());
  EXPECT_EQ(NearestSurface(pipe, {0.75, 0, 3}).distance, std::hypot(0.25, 1.0));  // beyond the rim
  const ShapePart plate = Disk{Vec3::Zero(), Vec3::UnitZ(), 2.0, 1.0};
  EXPECT_EQ(NearestSurface(plate, {1.5, 0, 0.5}).normal, Vec3::UnitZ());
  EXPECT_EQ(NearestSurface(plate, {1.5, 0, -0.5}).normal, Vec3(-Vec3::UnitZ()));
  EXPECT_EQ(NearestSurface(plate, {0.25, 0, 0}).distance, 0.75);  // in the hole
  // On the sheet and on the axis the direction is undefined, but the normal is still a unit vector.
  EXPECT_EQ(NearestSurface(plate, {1.5, 0, 0}).normal, Vec3::UnitZ());
  EXPECT_EQ(NearestSurface(pipe, {1, 0, 1}).normal, Vec3(-Vec3::UnitX()));
  EXPECT_NEAR(NearestSurface(pipe, {0, 0, 1}).normal.norm(), 1.0, 1e-15);
}

TEST(Shapes, NormalInsideAFunnelIsThatOfItsMantle) {
  const double slope = std::numbers::pi / 6.0;  // angle between mantle and axis
  const ShapePart funnel = Cone{{0, 0, 0}, {0, 0, 1}, 0.1, 0.1 + std::tan(slope)};
  const Vec3 foot(0.1 + 0.5 * std::tan(slope), 0, 0.5);
  const Vec3 inwards(-std::cos(slope), 0, std::sin(slope));
  const SurfacePoint surface = NearestSurface(funnel, foot + 0.07 * inwards);
  EXPECT_NEAR(surface.distance, 0.07, 1e-15);
  EXPECT_LT((surface.normal - inwards).norm(), 1e-14);
}

TEST(Shapes, BallDistanceIsThatOfTheCentreMinusTheRadius) {
  const ShapePart ball = Ball{{1, 2, 3}, 0.5};
  EXPECT_EQ(NearestSurface(ball, {1, 2, 5}).distance, 1.5);
  EXPECT_EQ(NearestSurface(ball, {1, 2, 5}).normal, Vec3::UnitZ());
  EXPECT_EQ(NearestSurface(ball, {1.25, 2, 3}).distance, -0.25);
  EXPECT_EQ(NearestSurface(ball, {1, 2, 3}).distance, -0.5);
  EXPECT_EQ(NearestSurface(ball, {1, 2, 3}).normal.norm(), 1.0);
}

TEST(Shapes, PartsAreAxisymmetricAboutTheirOwnAxisOnly) {
  const Vec3 point(1, 2, 3), direction = Vec3(1, 2, -2) / 3.0,
                             perpendicular = direction.unitOrthogonal();
  const auto on_axis = [&](double height) -> Vec3 { return point + height * direction; };
  const std::vector<ShapePart> axisymmetric_parts = {Plane{Vec3(7, 7, 7), -direction},
                                                     Cylinder{on_axis(0.3), on_axis(1.7), 0.2},
                                                     Ball{on_axis(5.0), 0.1},
                                                     Pipe{on_axis(-2.0), on_axis(1.0), 3.0},
                                                     Cone{on_axis(2.0), on_axis(1.0), 0.0, 1.0},
                                                     Disk{on_axis(9.0), direction, 1.0, 0.5}};
  for (const ShapePart& part : axisymmetric_parts) {
    EXPECT_TRUE(IsAxisymmetric({{part}}, point, -2.0 * direction)) << part.index();
    EXPECT_FALSE(IsAxisymmetric({{part}}, point, perpendicular)) << part.index();
    if (part.index() == 0) continue;
    EXPECT_FALSE(IsAxisymmetric({{part}}, point + 1e-6 * perpendicular, direction)) << part.index();
  }
  EXPECT_TRUE(IsAxisymmetric({axisymmetric_parts}, point, direction));
  const Box box{Vec3(-1, -1, -1), Vec3(1, 1, 1)};
  EXPECT_FALSE(IsAxisymmetric({{axisymmetric_parts[1], Block{box}}}, point, direction));
}

/// One part of each kind, in the order of ShapePart. All surfaces pass near the origin.
std::vector<ShapePart> OnePartOfEachKind() {
  const Vec3 z = Vec3::UnitZ();
  const Box box{Vec3(-0.5, -0.7, -0.4), Vec3(0.9, 0.8, 0.6)};
  Mesh mesh{"box.stl"};
  mesh.solid = MeshSolid::kInside;
  mesh.surface = std::make_shared<TriangleMesh>(test::BoxSurface(box), mesh.solid);
  return {Plane{Vec3(0, 0, 0.1), z},        Block{box},
          Cylinder{-0.8 * z, 0.7 * z, 0.6}, Ball{Vec3::Zero(), 0.8},
          Pipe{-0.8 * z, 0.7 * z, 0.6},     Cone{-0.8 * z, 0.7 * z, 0.3, 0.9},
          Disk{0.2 * z, z, 1.2, 0.4},       mesh};
}

struct EachShape : testing::TestWithParam<std::size_t> {
  const ShapePart part = OnePartOfEachKind().at(GetParam());
  const Interior interior = InteriorOf(part);
  std::vector<Vec3> samples;

  double DistanceOf(const Vec3& x) const { return NearestSurface(part, x).distance; }
  void SetUp() override {
    ASSERT_EQ(OnePartOfEachKind().size(), std::variant_size_v<ShapePart>)
        << "OnePartOfEachKind lacks a shape";
    ASSERT_EQ(part.index(), GetParam());
    Draw draw(9);
    for (int k = 0; k < 2000; ++k) samples.push_back(draw.Vector(1.5));
  }
};
INSTANTIATE_TEST_SUITE_P(Shapes, EachShape,
                         testing::Range<std::size_t>(0, std::variant_size_v<ShapePart>));

constexpr double kRounding = 1e-9;

TEST_P(EachShape, DistanceAlongTheNormalLeadsToTheSurfaceWithinTheBounds) {
  const Box bounds = BoundingBox({{part}});
  for (const Vec3& x : samples) {
    const SurfacePoint surface = NearestSurface(part, x);
    EXPECT_NEAR(surface.normal.norm(), 1.0, kRounding);
    const Vec3 foot = x - surface.distance * surface.normal;
    EXPECT_NEAR(DistanceOf(foot), 0.0, kRounding) << x.transpose();
    EXPECT_LT(bounds.Distance(foot), kRounding) << x.transpose();
  }
}

TEST_P(EachShape, InteriorIsWhereTheDistanceIsNegative) {
  std::vector<Vec3> inner_points;
  for (const Vec3& x : samples) {
    if (DistanceOf(x) < 0.0) inner_points.push_back(x);
  }
  EXPECT_EQ(inner_points.empty(), interior == Interior::kNone);
  if (interior != Interior::kConvex) return;
  for (std::size_t k = 1; k < inner_points.size(); ++k) {
    EXPECT_LT(DistanceOf(0.5 * (inner_points[k - 1] + inner_points[k])), 0.0);
  }
}

TEST_P(EachShape, AxisymmetricPartsDoNotChangeUnderRotation) {
  const std::vector<std::pair<Vec3, Vec3>> axes = {{Vec3::Zero(), Vec3::UnitX()},
                                                   {Vec3::Zero(), Vec3::UnitY()},
                                                   {Vec3::Zero(), Vec3::UnitZ()},
                                                   {Vec3(0.1, 0, 0), Vec3::UnitZ()}};
  for (const auto& [point, direction] : axes) {
    const Mat3 rotation = Eigen::AngleAxisd(1.1, direction).matrix();
    double change = 0.0;
    for (const Vec3& x : samples) {
      change =
          std::max(change, std::abs(DistanceOf(point + rotation * (x - point)) - DistanceOf(x)));
    }
    EXPECT_EQ(IsAxisymmetric({{part}}, point, direction), change < kRounding)
        << direction.transpose();
  }
}

TEST_P(EachShape, TrianglesCoverTheSurfaceAndFaceOut) {
  SurfaceTriangles drawn;
  AddTriangles(part, {Vec3::Constant(-2.0), Vec3::Constant(2.0)}, drawn);
  EXPECT_FALSE(drawn.triangles.empty());
  for (const Vec3& corner : drawn.points) EXPECT_NEAR(DistanceOf(corner), 0.0, kRounding);
  if (interior == Interior::kNone) return;
  for (const auto& [a, b, c] : drawn.triangles) {
    const Vec3& corner = drawn.points[a];
    const Vec3 normal = (drawn.points[b] - corner).cross(drawn.points[c] - corner);
    if (normal.norm() < 1e-12) continue;  // at the end of an axis a triangle has no area
    const Vec3 middle = (corner + drawn.points[b] + drawn.points[c]) / 3.0;
    EXPECT_GT(NearestSurface(part, middle).normal.dot(normal.normalized()), 0.9);
  }
}

TEST(Shapes, UnionOfNoPartsIsInfinitelyFar) {
  EXPECT_EQ(NearestSurface(Shape{}, Vec3::Zero()).distance,
            std::numeric_limits<double>::infinity());
}

TEST(Shapes, BoundingBoxIsTight) {
  const Box cylinder_bounds = BoundingBox({{Cylinder{{0, 0, 0}, {0, 0, 2}, 0.5}}});
  EXPECT_LT((cylinder_bounds.lower - Vec3(-0.5, -0.5, 0)).norm(), 1e-15);
  EXPECT_LT((cylinder_bounds.upper - Vec3(0.5, 0.5, 2)).norm(), 1e-15);
  EXPECT_EQ(BoundingBox({{Plane{}}}).upper.x(), std::numeric_limits<double>::infinity());

  const Vec3 axis = Vec3(1, 2, 3).normalized();
  const Shape tilted{{Cylinder{Vec3::Zero(), axis, 0.5}, Block{{{2, 2, 2}, {3, 3, 3}}}}};
  const Box bounds = BoundingBox(tilted);
  EXPECT_LT((bounds.upper - Vec3::Constant(3.0)).norm(), 1e-15);
  double lowest = 0.0;  // smallest x on the rim of the lower end
  const Vec3 side = axis.unitOrthogonal(), other_side = axis.cross(side);
  for (int k = 0; k < 10000; ++k) {
    const double angle = 2e-4 * std::numbers::pi * k;
    lowest = std::min(lowest, 0.5 * (std::cos(angle) * side + std::sin(angle) * other_side).x());
  }
  EXPECT_NEAR(bounds.lower.x(), lowest, 1e-6);

  const Box funnel = BoundingBox({{Cone{{0, 0, 0}, {0, 0, 2}, 0.5, 1.5}}});
  EXPECT_LT((funnel.lower - Vec3(-1.5, -1.5, 0)).norm(), 1e-15);
  EXPECT_LT((funnel.upper - Vec3(1.5, 1.5, 2)).norm(), 1e-15);
  const Box plate = BoundingBox({{Disk{{1, 1, 1}, Vec3::UnitX(), 2.0, 1.0}, Ball{{0, 0, 4}, 1.0}}});
  EXPECT_LT((plate.lower - Vec3(-1, -1, -1)).norm(), 1e-15);
  EXPECT_LT((plate.upper - Vec3(1, 3, 5)).norm(), 1e-15);
}

TEST(Shapes, MeshWithoutASurfaceCountsAsNotLoaded) {
  EXPECT_TRUE(IsLoaded({{Plane{}}}));
  EXPECT_FALSE(IsLoaded({{Mesh{"funnel.stl"}}}));
  EXPECT_FALSE(IsLoaded({{Plane{}, Mesh{"funnel.stl"}}}));
}

}  // namespace
}  // namespace scree::shapes_test
