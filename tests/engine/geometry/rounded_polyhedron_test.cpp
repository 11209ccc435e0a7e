// Hulls, erosion and mass properties of rounded polyhedra, compared with closed forms and random
// points. Errors of impossible solids.
#include "engine/geometry/rounded_polyhedron.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <cmath>
#include <numbers>

#include "solvers/base/check.hpp"
#include "tests/support/draw.hpp"
#include "tests/support/message_of.hpp"

namespace scree::rounded_polyhedron_test {
namespace {

using std::numbers::pi;
using test::Draw;
using testing::HasSubstr;

constexpr double kRounding = 1e-12;            // relative error of closed forms
constexpr double kPlaneTolerance = 1e-5;       // closer points count as in the plane of a face
constexpr double kCorePlaneTolerance = 1e-10;  // for planes of cores, where no points are merged

struct Case {
  const char* name;
  std::vector<double> size;
  std::size_t vertices, edges, faces;
  double volume;  // volume of the sharp solid
};
const double kSqrt2 = std::sqrt(2.0), kSqrt5 = std::sqrt(5.0);
const std::vector<Case> kSolids = {
    {"box", {1.0, 2.0, 3.0}, 8, 12, 6, 6.0},
    {"box", {2.0}, 8, 12, 6, 8.0},
    {"tetrahedron", {1.5}, 4, 6, 4, std::pow(1.5, 3) / (6.0 * kSqrt2)},
    {"octahedron", {1.5}, 6, 12, 8, std::pow(1.5, 3) * kSqrt2 / 3.0},
    {"dodecahedron", {0.7}, 20, 30, 12, std::pow(0.7, 3) * (15.0 + 7.0 * kSqrt5) / 4.0},
    {"prism", {2.0, 3.0}, 12, 18, 8, 3.0 * 1.5 * std::sqrt(3.0)},
    {"cylinder", {2.0, 3.0}, 48, 72, 26, 3.0 * 24.0 * std::tan(pi / 24.0)},
};

Polyhedron HullOf(const Case& solid) {
  return ConvexHull(VerticesOfSolid(solid.name, solid.size, 0));
}

std::vector<Vec3> RandomPoints(Draw& draw, int count) {
  std::vector<Vec3> points;
  for (int k = 0; k < count; ++k) points.push_back(draw.Vector(1.0).cwiseProduct(Vec3(1, 2, 0.5)));
  return points;
}

TEST(Polyhedron, NamedSolidsHaveTheirVolumes) {
  for (const Case& solid : kSolids) {
    SCOPED_TRACE(solid.name);
    const Polyhedron hull = HullOf(solid);
    EXPECT_EQ(hull.vertices.size(), solid.vertices);
    EXPECT_EQ(hull.edges.size(), solid.edges);
    EXPECT_EQ(hull.faces.size(), solid.faces);
    const SolidMoments moments = MomentsOf({hull, 0.0});
    EXPECT_NEAR(moments.volume, solid.volume, kRounding * solid.volume);
    EXPECT_LT(moments.centre.norm(), kRounding);
  }
}

TEST(Polyhedron, HullContainsAllPointsAndIsConvex) {
  Draw draw(1);
  for (int round = 0; round < 50; ++round) {
    const std::vector<Vec3> points = RandomPoints(draw, draw.Integer(4, 60));
    const Polyhedron hull = ConvexHull(points);
    for (const Vec3& point : points) EXPECT_GT(DepthOf(hull, point), -kPlaneTolerance);
    for (const PolyhedronEdge& edge : hull.edges) {
      const PolyhedronFace &left = hull.faces[edge.left], &right = hull.faces[edge.right];
      const Vec3 direction = hull.vertices[edge.to] - hull.vertices[edge.from];
      EXPECT_GT(left.normal.cross(right.normal).dot(direction), 0.0);
    }
    for (const PolyhedronFace& face : hull.faces) {
      for (const std::uint16_t corner : face.corners) {
        EXPECT_NEAR(face.normal.dot(hull.vertices[corner]), face.offset, kPlaneTolerance);
      }
    }
  }
}

TEST(Polyhedron, HullOfAGridIsABox) {
  // Includes points inside, on faces and on edges, and three equal points.
  std::vector<Vec3> points(2, Vec3(3, 3, 3));
  for (int k = 0; k < 64; ++k) points.emplace_back(k % 4, k / 4 % 4, k / 16);
  const Polyhedron hull = ConvexHull(points);
  EXPECT_EQ(hull.vertices.size(), 8u);
  EXPECT_EQ(hull.faces.size(), 6u);
  EXPECT_NEAR(MomentsOf({hull, 0.0}).volume, 27.0, kRounding * 27.0);
}

TEST(Polyhedron, ErosionMovesPlanesAndDropsFaces) {
  Draw draw(2);
  for (int round = 0; round < 50; ++round) {
    const Polyhedron hull = ConvexHull(RandomPoints(draw, draw.Integer(4, 40)));
    const Vec3 centre = MomentsOf({hull, 0.0}).centre;
    const double depth = draw.Uniform(0.01, 0.9) * DepthOf(hull, centre);
    const Polyhedron core = Erode(hull, centre, depth);
    EXPECT_LE(core.faces.size(), hull.faces.size());
    for (const Vec3& vertex : core.vertices)
      EXPECT_NEAR(DepthOf(hull, vertex), depth, kCorePlaneTolerance);
    for (const PolyhedronFace& face : core.faces) {
      for (const std::uint16_t corner : face.corners) {
        EXPECT_NEAR(face.normal.dot(core.vertices[corner]), face.offset, kCorePlaneTolerance);
      }
    }
  }
}

TEST(RoundedPolyhedron, VolumeFollowsFromQuermassintegrals) {
  // The volume of a rounded box is V + S ρ + π (a + b + c) ρ² + 4/3 π ρ³. V, S and a, b, c are the
  // volume, surface and edges of its core.
  const double a = 0.6, b = 1.6, c = 2.6, rho = 0.2;
  const RoundedPolyhedron box = Rounded(HullOf(kSolids[0]), rho);
  const double volume = a * b * c + 2.0 * (a * b + b * c + c * a) * rho +
                        pi * (a + b + c) * rho * rho + 4.0 / 3.0 * pi * std::pow(rho, 3);
  EXPECT_NEAR(MomentsOf(box).volume, volume, kRounding * volume);
}

TEST(RoundedPolyhedron, SolidWithoutRoundingIsTheLimitOfSmallRounding) {
  for (const Case& solid : kSolids) {
    const Polyhedron hull = HullOf(solid);
    const SolidMoments sharp = MomentsOf({hull, 0.0});
    const SolidMoments rounded = MomentsOf({Erode(hull, Vec3::Zero(), 1e-5), 1e-5});
    EXPECT_NEAR(rounded.volume, sharp.volume, 1e-7);
    EXPECT_LT((rounded.inertia - sharp.inertia).norm(), 1e-7);
  }
  // Inertia of the box: V (b² + c²)/12.
  const Mat3 inertia = MomentsOf({HullOf(kSolids[0]), 0.0}).inertia;
  EXPECT_LT((inertia - Mat3(Vec3(6.5, 5.0, 2.5).asDiagonal())).norm(), 1e-11);
}

TEST(RoundedPolyhedron, SmallestCoresGiveABallAndACapsule) {
  // The core is so small that only its vertices or edges count: a ball or a capsule remains.
  const double rho = 1.0, tiny = 1e-5;
  const auto moments = [&](double length) {
    const Polyhedron core = ConvexHull(VerticesOfSolid("box", std::vector{tiny, tiny, length}, 0));
    return MomentsOf({core, rho});
  };
  const double ball = 4.0 / 3.0 * pi;
  EXPECT_NEAR(moments(tiny).volume, ball, 1e-3);
  EXPECT_LT((moments(tiny).inertia - 0.4 * ball * Mat3::Identity()).norm(), 1e-3);
  const double length = 2.0, rod = pi * length;
  const SolidMoments capsule = moments(length);
  EXPECT_NEAR(capsule.volume, ball + rod, 1e-3);
  EXPECT_NEAR(capsule.inertia(2, 2), 0.5 * rod + 0.4 * ball, 1e-3);
  EXPECT_NEAR(capsule.inertia(0, 0),
              rod * (0.25 + length * length / 12.0) +
                  ball * (0.4 + 0.25 * length * length + 3.0 / 8.0 * length),
              1e-3);
}

/// Distance of a point from a convex polyhedron, 0 inside, by Dykstra's projections onto its half
/// spaces.
double DistanceFrom(const Polyhedron& core, const Vec3& point) {
  Vec3 x = point;
  std::vector<Vec3> corrections(core.faces.size(), Vec3::Zero());
  for (int round = 0; round < 200; ++round) {
    const Vec3 start = x;
    for (std::size_t k = 0; k < core.faces.size(); ++k) {
      const PolyhedronFace& face = core.faces[k];
      const Vec3 shifted = x + corrections[k];
      x = shifted - std::max(0.0, face.normal.dot(shifted) - face.offset) * face.normal;
      corrections[k] = shifted - x;
    }
    if ((x - start).norm() < 1e-9) break;
  }
  return (x - point).norm();
}

TEST(RoundedPolyhedron, RandomPointsGiveTheMoments) {
  Draw draw(3);
  const Polyhedron hull = ConvexHull(RandomPoints(draw, 8));
  const RoundedPolyhedron body = Rounded(hull, 0.6 * DepthOf(hull, MomentsOf({hull, 0.0}).centre));
  const SolidMoments moments = MomentsOf(body);
  const Box bounds = {Vec3(-1, -2, -0.5), Vec3(1, 2, 0.5)};
  constexpr int kPoints = 20000;
  int inside_count = 0;
  Vec3 first = Vec3::Zero();
  Mat3 second = Mat3::Zero();
  for (int k = 0; k < kPoints; ++k) {
    const Vec3 point = draw.PointIn(bounds);
    if (DepthOf(hull, point) < 0.0 || DistanceFrom(body.core, point) > body.rounding) continue;
    ++inside_count;
    first += point;
    second += (point - moments.centre) * (point - moments.centre).transpose();
  }
  const double fraction = static_cast<double>(inside_count) / kPoints,
               scatter = 4.0 / std::sqrt(inside_count);
  EXPECT_NEAR(moments.volume, 8.0 * fraction, scatter * moments.volume);
  EXPECT_LT((first / inside_count - moments.centre).norm(), scatter);
  const Mat3 mean = second / inside_count;
  const Mat3 inertia = moments.volume * (mean.trace() * Mat3::Identity() - mean);
  EXPECT_LT((inertia - moments.inertia).norm(), scatter * moments.inertia.norm());
}

TEST(RoundedPolyhedron, MomentsRotateWithTheBody) {
  Draw draw(4);
  const std::vector<Vec3> points = RandomPoints(draw, 4);
  const Mat3 rotation = Eigen::AngleAxisd(1.0, draw.Direction()).toRotationMatrix();
  std::vector<Vec3> rotated_points;
  for (const Vec3& point : points) rotated_points.push_back(rotation * point + Vec3(1, 2, 3));
  const SolidMoments moments = MomentsOf(Rounded(ConvexHull(points), 0.0));
  const SolidMoments rotated_moments = MomentsOf(Rounded(ConvexHull(rotated_points), 0.0));
  EXPECT_NEAR(moments.volume, rotated_moments.volume, 1e-11);
  EXPECT_LT((rotation * moments.centre + Vec3(1, 2, 3) - rotated_moments.centre).norm(), 1e-11);
  EXPECT_LT((rotation * moments.inertia * rotation.transpose() - rotated_moments.inertia).norm(),
            1e-11);
}

TEST(RoundedPolyhedron, ImpossibleSolidsAreErrors) {
  const auto error_of_points = [](const std::vector<Vec3>& points, double rounding) {
    return MessageOf<InputError>([&] { Rounded(ConvexHull(points), rounding); });
  };
  const auto error_of_name = [](const std::string& name, const std::vector<double>& size,
                                int sides) {
    return MessageOf<InputError>([&] { VerticesOfSolid(name, size, sides); });
  };
  const std::vector<Vec3> cube = VerticesOfSolid("box", std::vector{1.0}, 0);
  EXPECT_THAT(error_of_points({{0, 0, 0}, {1, 0, 0}, {0, 1, 0}}, 0), HasSubstr("3 vertices"));
  EXPECT_THAT(error_of_points({{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {1, 1, 0}, {2, 3, 1e-9}}, 0),
              HasSubstr("in a plane"));
  EXPECT_THAT(error_of_points({{0, 0, 0}, {1, 1, 1}, {2, 2, 2}, {3, 3, 3}}, 0),
              HasSubstr("in a plane"));
  EXPECT_THAT(error_of_points({{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, NAN}}, 0),
              HasSubstr("not finite in vertex 4"));
  EXPECT_THAT(error_of_points(std::vector<Vec3>(1000000, Vec3::Zero()), 0),
              HasSubstr("1000000 vertices; expected at most"));
  for (const double rounding : {0.6, 0.46, 0.004, -1.0, double{NAN}}) {
    EXPECT_THAT(error_of_points(cube, rounding), HasSubstr("expected 0.005 to 0.45 m")) << rounding;
  }
  EXPECT_THAT(error_of_name("cube", {1.0}, 0),
              HasSubstr("the solid \"cube\"; expected box, prism"));
  EXPECT_THAT(error_of_name("box", {1.0, 2.0}, 0), HasSubstr("2 sizes; expected 1 or 3"));
  EXPECT_THAT(error_of_name("prism", {1.0}, 0), HasSubstr("1 size; expected 2"));
  EXPECT_THAT(error_of_name("prism", {1.0, 1.0}, 2), HasSubstr("2 sides; expected 3 to"));
  EXPECT_THAT(error_of_name("box", {1.0}, 4), HasSubstr("sides only for a prism"));
}

}  // namespace
}  // namespace scree::rounded_polyhedron_test
