// Overlap tests of rounded polyhedra and balls, and the mass properties of their unions, compared
// with closed forms and with points on a lattice.
#include "engine/geometry/body_union.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <cmath>
#include <numbers>

#include "tests/support/clump_scenes.hpp"
#include "tests/support/core_oracle.hpp"
#include "tests/support/draw.hpp"
#include "tests/support/message_of.hpp"

namespace scree::body_union_test {
namespace {

using std::numbers::pi;
using testing::HasSubstr;

RoundedPolyhedron BoxOf(const Vec3& lower, const Vec3& upper, double rounding) {
  const Vec3 size = upper - lower;
  std::vector<Vec3> vertices = VerticesOfSolid("box", std::vector{size.x(), size.y(), size.z()}, 0);
  for (Vec3& x : vertices) x += 0.5 * (lower + upper);
  return Rounded(ConvexHull(vertices), rounding);
}

TEST(BodyUnion, OverlapStatesAreClassified) {
  const RoundedPolyhedron box = BoxOf(Vec3::Zero(), Vec3(2, 1, 1), 0.05);
  const auto state_with_box = [&](double x) {
    return ClassifyOverlap(box, BoxOf(Vec3(x, 0.3, 0.2), Vec3(x + 1, 0.8, 2), 0.02));
  };
  EXPECT_EQ(state_with_box(2.0 + 1e-6), OverlapState::kApart);
  EXPECT_EQ(state_with_box(2.0), OverlapState::kTouches);
  EXPECT_EQ(state_with_box(2.0 - 1e-6), OverlapState::kOverlaps);
  EXPECT_EQ(state_with_box(1.0), OverlapState::kOverlaps);
  const auto state_with_ball = [&](double x) {
    return ClassifyOverlap(BallOf({Vec3(x, 0.5, 0.5), 0.3}), box);
  };
  EXPECT_EQ(state_with_ball(2.3 + 1e-6), OverlapState::kApart);
  EXPECT_EQ(state_with_ball(2.3), OverlapState::kTouches);
  EXPECT_EQ(state_with_ball(1.0), OverlapState::kOverlaps);
}

TEST(BodyUnion, MembersThatOnlyTouchAddUp) {
  const std::vector<RoundedPolyhedron> ell = {BoxOf(Vec3::Zero(), Vec3(2, 1, 1), 0.05),
                                              BoxOf(Vec3(0, 0, 1), Vec3(1, 1, 3), 0.05),
                                              BallOf({Vec3(2.5, 0.5, 0.5), 0.5})};
  const SolidMoments moments = MomentsOfBodies(ell);
  const double ball = pi / 6.0;
  const SolidMoments a = MomentsOf(ell[0]), b = MomentsOf(ell[1]);
  const double volume = a.volume + b.volume + ball;
  const Vec3 centre =
      (a.volume * a.centre + b.volume * b.centre + ball * Vec3(2.5, 0.5, 0.5)) / volume;
  Mat3 inertia = a.inertia + b.inertia + 0.1 * ball * Mat3::Identity();
  const auto shifted = [&](double mass, const Vec3& position) {
    const Vec3 d = position - centre;
    return Mat3(mass * (d.squaredNorm() * Mat3::Identity() - d * d.transpose()));
  };
  inertia += shifted(a.volume, a.centre) + shifted(b.volume, b.centre) +
             shifted(ball, Vec3(2.5, 0.5, 0.5));
  EXPECT_NEAR(moments.volume, volume, 1e-10);
  EXPECT_LT((moments.centre - centre).norm(), 1e-10);
  EXPECT_LT((moments.inertia - inertia).norm(), 1e-10);
}

TEST(BodyUnion, CrossOfBarsCountsItsMiddleOnce) {
  constexpr double rho = 0.1, core_width = 1.0 - 2.0 * rho;
  const std::vector<RoundedPolyhedron> cross = {
      BoxOf(Vec3(-2, -0.5, -0.5), Vec3(2, 0.5, 0.5), rho),
      BoxOf(Vec3(-0.5, -2, -0.5), Vec3(0.5, 2, 0.5), rho)};
  // The intersection at each height is a square. Its width is 1 at the height of the cores, and
  // core_width + 2 sqrt(rho² - s²) at the distance s above or below.
  const double intersection =
      core_width + 2.0 * (core_width * core_width * rho + core_width * pi * rho * rho +
                          8.0 / 3.0 * std::pow(rho, 3));
  const SolidMoments moments = MomentsOfBodies(cross);
  EXPECT_NEAR(moments.volume, 2.0 * MomentsOf(cross[0]).volume - intersection, 1e-5 * intersection);
  EXPECT_LT(moments.centre.norm(), 1e-5);
  EXPECT_NEAR(moments.inertia(0, 0), moments.inertia(1, 1), 1e-5);
  EXPECT_LT(std::abs(moments.inertia(0, 1)), 1e-5);
}

bool Contains(const RoundedPolyhedron& body, const Vec3& x) {
  const Polyhedron& core = body.core;
  if ((x - core.vertices[0]).norm() <= body.rounding) return true;
  if (IsBall(body)) return false;
  if (DepthOf(core, x) >= 0.0) return true;
  double min = HUGE_VAL;
  for (const PolyhedronFace& face : core.faces) {
    min = std::min(min, test::DistanceAboveFace(core, face, x));
  }
  for (const PolyhedronEdge& edge : core.edges) {
    min = std::min(min,
                   test::DistanceFromSegment(x, core.vertices[edge.from], core.vertices[edge.to]));
  }
  return min <= body.rounding;
}

TEST(BodyUnion, RandomPointsGiveTheInertiaOfMixedBodies) {
  test::Draw draw(5);
  for (const ClumpDescription& description : {test::Barbell(1.0), test::Cross(1.0)}) {
    SCOPED_TRACE(description.name);
    std::vector<RoundedPolyhedron> bodies;
    for (const Member& sphere : description.spheres) bodies.push_back(BallOf(sphere));
    if (description.solid == "prism") {
      bodies.push_back(Rounded(ConvexHull(VerticesOfSolid("prism", description.size, 0)), 0.0));
    }
    for (const PartDescription& part : description.parts) {
      std::vector<Vec3> vertices = VerticesOfSolid(part.solid, part.size, part.sides);
      const double angle = part.rotation.norm();
      if (angle > 0.0) {
        for (Vec3& x : vertices) x = Eigen::AngleAxisd(angle, part.rotation / angle) * x;
      }
      bodies.push_back(Rounded(ConvexHull(vertices), 0.0));
    }
    // One random point per cell of a lattice: less scatter than fully random points.
    constexpr int kCells = 60;
    constexpr double half = 1.8, width = 2.0 * half / kCells;
    double count = 0.0;
    Vec3 first = Vec3::Zero();
    Mat3 second = Mat3::Zero();
    for (int k = 0; k < kCells * kCells * kCells; ++k) {
      const Vec3 cell(k % kCells, k / kCells % kCells, k / (kCells * kCells));
      const Vec3 x = width * (cell + 0.5 * Vec3::Ones() + draw.Vector(0.5)) - Vec3::Constant(half);
      if (std::ranges::none_of(bodies, [&](const auto& body) { return Contains(body, x); }))
        continue;
      ++count;
      first += x;
      second += x * x.transpose();
    }
    const Vec3 centre = first / count;
    const Mat3 mean = second / count - centre * centre.transpose();
    // Only points in cells at the surface scatter, 1e3 of the 1e4 inner points: sqrt(1e3)/1e4.
    constexpr double kScatter = 4e-3;
    const ClumpShape shape = MakeClumpShape(description);
    const double r = shape.bounding_radius;
    EXPECT_NEAR(shape.volume * r * r * r, count * width * width * width,
                kScatter * count * width * width * width);
    const Mat3 axes = RotationMatrix(shape.axes);
    const Mat3 inertia = r * r * axes * shape.scaled_moments.asDiagonal() * axes.transpose();
    const Mat3 expected = mean.trace() * Mat3::Identity() - mean;
    EXPECT_LT((inertia - expected).norm(), kScatter * expected.norm());
  }
}

TEST(BodyUnion, SeparateMembersAreAnErrorUnlessGapsAreAllowed) {
  ClumpDescription ell = test::Ell(1.0);
  ell.parts[1].name = "leg";
  ell.parts[1].position.z() += 1e-3;
  EXPECT_THAT(MessageOf<InputError>([&] { MakeClumpShape(ell); }),
              HasSubstr("is not in one piece: the solid of part leg is apart from"));
  ell.allows_gaps = true;
  EXPECT_EQ(MakeClumpShape(ell).solids.size(), 2u);
}

}  // namespace
}  // namespace scree::body_union_test
