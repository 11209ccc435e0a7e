// Mass properties of unions of spheres, compared with closed forms and sums over columns. Errors of
// impossible shapes.
#include "engine/geometry/clump_shape.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "solvers/base/check.hpp"
#include "tests/support/draw.hpp"

namespace scree::clump_shape_test {
namespace {

using std::numbers::pi;
using test::Draw;
using testing::HasSubstr;

constexpr double kRounding = 1e-11;  // relative error that the header promises

double BallVolume(double r) { return 4.0 / 3.0 * pi * r * r * r; }

void ExpectNear(const Mat3& inertia, const Mat3& expected, double tolerance) {
  EXPECT_LT((inertia - expected).cwiseAbs().maxCoeff(), tolerance * expected.norm())
      << inertia << "\nand not\n"
      << expected;
}

/// Inertia about `centre` of solid balls that do not overlap, by Steiner's theorem.
Mat3 InertiaBySteiner(const std::vector<Member>& balls, const Vec3& centre) {
  Mat3 inertia = Mat3::Zero();
  for (const Member& ball : balls) {
    const double mass = BallVolume(ball.radius);
    const Vec3 d = ball.centre - centre;
    inertia += mass * ((0.4 * ball.radius * ball.radius + d.squaredNorm()) * Mat3::Identity() -
                       d * d.transpose());
  }
  return inertia;
}

/// Moments of the union from columns along z. They are exact along z. The error is of second order
/// in the width of the columns, and larger at the rims.
SolidMoments MomentsFromColumns(const std::vector<Member>& balls, double width) {
  Vec3 lower = balls[0].centre, upper = lower;
  for (const Member& ball : balls) {
    lower = lower.cwiseMin(ball.centre - Vec3::Constant(ball.radius));
    upper = upper.cwiseMax(ball.centre + Vec3::Constant(ball.radius));
  }
  SolidMoments sum;
  Mat3 second = Mat3::Zero();
  for (double x = lower.x() + 0.5 * width; x < upper.x(); x += width) {
    for (double y = lower.y() + 0.5 * width; y < upper.y(); y += width) {
      std::vector<std::pair<double, double>> spans;
      for (const Member& ball : balls) {
        const double dx = x - ball.centre.x(), dy = y - ball.centre.y();
        const double h = ball.radius * ball.radius - dx * dx - dy * dy;
        if (h <= 0.0) continue;
        spans.emplace_back(ball.centre.z() - std::sqrt(h), ball.centre.z() + std::sqrt(h));
      }
      std::ranges::sort(spans);
      double covered_to = -HUGE_VAL;
      for (auto [z0, z1] : spans) {
        z0 = std::max(z0, covered_to);
        covered_to = std::max(covered_to, z1);
        if (z1 <= z0) continue;
        const double area = width * width, m0 = area * (z1 - z0);
        const double m1 = area * (z1 * z1 - z0 * z0) / 2.0;
        const double m2 = area * (z1 * z1 * z1 - z0 * z0 * z0) / 3.0;
        sum.volume += m0;
        sum.centre += Vec3(x * m0, y * m0, m1);
        Mat3 part;
        part << x * x * m0, x * y * m0, x * m1, x * y * m0, y * y * m0, y * m1, x * m1, y * m1, m2;
        second += part;
      }
    }
  }
  sum.centre /= sum.volume;
  second -= sum.volume * sum.centre * sum.centre.transpose();
  sum.inertia = second.trace() * Mat3::Identity() - second;
  return sum;
}

TEST(ClumpShape, OneSphereIsABall) {
  const std::vector<Member> ball = {{Vec3(3.0, -2.0, 1.0), 0.5}};
  const SolidMoments moments = MomentsOfUnion(ball);
  EXPECT_NEAR(moments.volume, BallVolume(0.5), kRounding * BallVolume(0.5));
  EXPECT_LT((moments.centre - ball[0].centre).norm(), kRounding);
  ExpectNear(moments.inertia, InertiaBySteiner(ball, ball[0].centre), kRounding);
}

TEST(ClumpShape, TwoEqualSpheresMatchTheClosedForm) {
  const double r = 0.7;
  for (const double d : {1e-6, 1e-3, 0.1, 0.7, 1.3, 1.4 - 1e-9, 1.4, 2.0}) {
    Draw draw(1);
    const Vec3 axis = draw.Direction();
    const std::vector<Member> balls = {{Vec3::Zero(), r}, {d * axis, r}};
    const double lens = d < 2.0 * r ? pi / 12.0 * (4.0 * r + d) * std::pow(2.0 * r - d, 2) : 0.0;
    const SolidMoments moments = MomentsOfUnion(balls);
    EXPECT_NEAR(moments.volume, 2.0 * BallVolume(r) - lens, kRounding) << d;
    EXPECT_LT((moments.centre - 0.5 * d * axis).norm(), kRounding) << d;
    // Inertia about the axis: both balls, each without its cap beyond the plane in the middle. They
    // consist of discs with radius² = r² − z² at height z.
    const auto disc = [&](double z) {
      return pi / 2.0 * (r * r * r * r * z - 2.0 / 3.0 * r * r * z * z * z + std::pow(z, 5) / 5.0);
    };
    const double cap_plane = std::min(r, 0.5 * d);
    EXPECT_NEAR(axis.dot(moments.inertia * axis), 2.0 * (disc(cap_plane) - disc(-r)), kRounding)
        << d;
  }
}

TEST(ClumpShape, SeparateAndTouchingSpheresAddUp) {
  const std::vector<Member> balls = {{Vec3(0.0, 0.0, 0.0), 1.0},
                                     {Vec3(1.5, 0.0, 0.0), 0.5},  // touches
                                     {Vec3(0.0, 4.0, 1.0), 0.8}};
  double volume = 0.0;
  Vec3 centre = Vec3::Zero();
  for (const Member& ball : balls) {
    volume += BallVolume(ball.radius);
    centre += BallVolume(ball.radius) * ball.centre;
  }
  centre /= volume;
  const SolidMoments moments = MomentsOfUnion(balls);
  EXPECT_NEAR(moments.volume, volume, kRounding * volume);
  EXPECT_LT((moments.centre - centre).norm(), kRounding);
  ExpectNear(moments.inertia, InertiaBySteiner(balls, centre), kRounding);
}

TEST(ClumpShape, CoveredSpheresCountOnce) {
  const std::vector<Member> ball = {{Vec3::Zero(), 1.0}};
  const std::vector<Member> with_covered = {{Vec3::Zero(), 1.0},
                                            {Vec3::Zero(), 1.0},           // a duplicate
                                            {Vec3(0.0, 0.5, 0.0), 0.5},    // touches from inside
                                            {Vec3(0.1, 0.0, -0.2), 0.3}};  // inside
  EXPECT_NEAR(MomentsOfUnion(with_covered).volume, MomentsOfUnion(ball).volume, kRounding);
  ExpectNear(MomentsOfUnion(with_covered).inertia, MomentsOfUnion(ball).inertia, kRounding);
}

TEST(ClumpShape, ManySpheresMatchTheSumOverColumns) {
  Draw draw(2);
  for (int trial = 0; trial < 5; ++trial) {
    std::vector<Member> balls;
    for (int k = 0; k < 12; ++k) balls.push_back({draw.Vector(1.0), draw.Uniform(0.3, 0.9)});
    const SolidMoments moments = MomentsOfUnion(balls);
    const SolidMoments columns = MomentsFromColumns(balls, 0.004);
    constexpr double kColumnError = 2e-5;
    EXPECT_NEAR(moments.volume, columns.volume, kColumnError * columns.volume);
    EXPECT_LT((moments.centre - columns.centre).norm(), kColumnError);
    ExpectNear(moments.inertia, columns.inertia, kColumnError);
  }
}

TEST(ClumpShape, MomentsDoNotDependOnTheAxes) {
  Draw draw(3);
  for (int trial = 0; trial < 5; ++trial) {
    std::vector<Member> balls, rotated;
    const Mat3 rotation =
        Eigen::AngleAxisd(draw.Uniform(0.0, 3.0), draw.Direction()).toRotationMatrix();
    const Vec3 shift = draw.Vector(3.0);
    for (int k = 0; k < 20; ++k) {
      balls.push_back({draw.Vector(1.0), draw.Uniform(0.2, 0.7)});
      rotated.push_back({rotation * balls.back().centre + shift, balls.back().radius});
    }
    const SolidMoments moments = MomentsOfUnion(balls), rotated_moments = MomentsOfUnion(rotated);
    EXPECT_NEAR(rotated_moments.volume, moments.volume, kRounding * moments.volume);
    EXPECT_LT((rotated_moments.centre - (rotation * moments.centre + shift)).norm(), kRounding);
    ExpectNear(rotated_moments.inertia, rotation * moments.inertia * rotation.transpose(),
               kRounding);
  }
}

ClumpDescription Describe(const std::vector<Member>& spheres) {
  ClumpDescription description;
  description.name = "shape";
  description.spheres = spheres;
  return description;
}

const double kCornerCoordinate = 1.0 / std::sqrt(3.0);
std::vector<Member> Tetrapod() {
  return {{Vec3(kCornerCoordinate, kCornerCoordinate, kCornerCoordinate), 0.9},
          {Vec3(kCornerCoordinate, -kCornerCoordinate, -kCornerCoordinate), 0.9},
          {Vec3(-kCornerCoordinate, kCornerCoordinate, -kCornerCoordinate), 0.9},
          {Vec3(-kCornerCoordinate, -kCornerCoordinate, kCornerCoordinate), 0.9}};
}

TEST(ClumpShape, ShapeIsScaledByItsBoundingRadius) {
  ClumpDescription description = Describe(Tetrapod());
  for (Member& sphere : description.spheres) sphere.centre += Vec3(5.0, 6.0, 7.0);
  const ClumpShape shape = MakeClumpShape(description);
  EXPECT_NEAR(shape.bounding_radius, 1.9, kRounding);
  EXPECT_NEAR(shape.smallest_member, 0.9 / 1.9, kRounding);
  EXPECT_LT((shape.members[0].centre - Tetrapod()[0].centre / 1.9).norm(), kRounding);
  const double volume = MomentsOfUnion(Tetrapod()).volume;
  EXPECT_NEAR(shape.Mass(2.0, 1.9), 2.0 * volume, kRounding * volume);
  EXPECT_NEAR(shape.Mass(2.0, 3.8), 16.0 * volume, 16.0 * kRounding * volume);
}

TEST(ClumpShape, NearlyEqualMomentsBecomeEqualAndKeepTheAxes) {
  const ClumpShape shape = MakeClumpShape(Describe(Tetrapod()));
  EXPECT_EQ(shape.scaled_moments, Vec3::Constant(shape.scaled_moments[0]));
  EXPECT_EQ(shape.axes, Quaternion());
  const ClumpShape ball = MakeClumpShape(Describe({{Vec3(1.0, 2.0, 3.0), 0.1}}));
  EXPECT_NEAR(ball.scaled_moments[0], 0.4, kRounding);
  EXPECT_EQ(ball.scaled_moments, Vec3::Constant(ball.scaled_moments[0]));
}

TEST(ClumpShape, MomentsAscendAlongTheirAxes) {
  Draw draw(4);
  std::vector<Member> balls;
  for (int k = 0; k < 5; ++k) balls.push_back({draw.Vector(0.5), draw.Uniform(0.3, 0.6)});
  const ClumpShape shape = MakeClumpShape(Describe(balls));
  EXPECT_LT(shape.scaled_moments[0], shape.scaled_moments[1]);
  EXPECT_LT(shape.scaled_moments[1], shape.scaled_moments[2]);
  const SolidMoments moments = MomentsOfUnion(balls);
  const double mass = moments.volume * 3.0;
  const PrincipalInertia inertia = shape.Inertia(mass, shape.bounding_radius);
  const Mat3 inverse = inertia.InverseInWorld({});
  ExpectNear(inverse.inverse(), 3.0 * moments.inertia, 1e-9);
}

TEST(ClumpShape, MassAndInertiaCanBeGiven) {
  ClumpDescription description = Describe(Tetrapod());
  description.mass = 2.0;
  EXPECT_NEAR(MakeClumpShape(description).Mass(1e6, 1.9), 2.0, kRounding);
  EXPECT_NEAR(MakeClumpShape(description).Mass(1e6, 0.95), 0.25, kRounding);
  description.inertia = Vec3(3.0, 1.0, 2.5);
  const ClumpShape shape = MakeClumpShape(description);
  const PrincipalInertia inertia = shape.Inertia(2.0, 1.9);
  EXPECT_LT((inertia.moments - Vec3(1.0, 2.5, 3.0)).norm(), 1e-12);
  ExpectNear(inertia.InverseInWorld({}).inverse(), Vec3(3.0, 1.0, 2.5).asDiagonal(), 1e-12);
}

std::string ErrorMessage(const ClumpDescription& description) {
  try {
    MakeClumpShape(description);
  } catch (const InputError& error) {
    return error.what();
  }
  return "nothing";
}

TEST(ClumpShape, ErrorsNameTheKeyAndTheValue) {
  EXPECT_THAT(ErrorMessage(Describe({})), HasSubstr("no spheres"));
  EXPECT_THAT(ErrorMessage(Describe({{Vec3::Zero(), -0.5}})),
              HasSubstr("radius -0.5 m in sphere 1"));
  EXPECT_THAT(ErrorMessage(Describe({{Vec3::Zero(), 1.0}, {Vec3::Zero(), 0.0}})),
              HasSubstr("no volume"));
  EXPECT_THAT(ErrorMessage(Describe({{Vec3(NAN, 0.0, 0.0), 1.0}})), HasSubstr("not finite"));
  ClumpDescription separate = Describe({{Vec3::Zero(), 1.0}, {Vec3(3.0, 0.0, 0.0), 1.0}});
  EXPECT_THAT(ErrorMessage(separate), HasSubstr("sphere 2 is apart from the first"));
  separate.allows_gaps = true;
  EXPECT_EQ(ErrorMessage(separate), "nothing");
  ClumpDescription with_mass = Describe(Tetrapod());
  with_mass.mass = -1.0;
  EXPECT_THAT(ErrorMessage(with_mass), HasSubstr("mass -1 kg"));
  with_mass.mass = 0.0;
  with_mass.inertia = Vec3::Ones();
  EXPECT_THAT(ErrorMessage(with_mass), HasSubstr("no mass"));
  with_mass.mass = 1.0;
  with_mass.inertia = Vec3(1.0, 1.0, 2.1);
  EXPECT_THAT(ErrorMessage(with_mass), HasSubstr("(1, 1, 2.1) kg m^2, which no body has"));
  with_mass.inertia = Vec3(1.0, 1.0, 2.0);  // flat
  EXPECT_EQ(ErrorMessage(with_mass), "nothing");
  with_mass.inertia = Vec3(1.0, -1.0, 1.0);
  EXPECT_THAT(ErrorMessage(with_mass), HasSubstr("above 0"));
}

}  // namespace
}  // namespace scree::clump_shape_test
