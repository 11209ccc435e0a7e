// The double pendulum: published coefficients, laws of motion by finite differences, joint loads.
#include "apps/single/models/double_pendulum.hpp"

#include <gtest/gtest.h>

#include <Eigen/LU>
#include <cmath>
#include <limits>

#include "solvers/base/check.hpp"
#include "tests/support/contact_rates.hpp"
#include "tests/support/csv_rows.hpp"
#include "tests/support/draw.hpp"
#include "tests/support/message_of.hpp"

namespace scree::impact::double_pendulum_test {
namespace {

constexpr double kRounding = 1e-12;        // of products of order 100
constexpr double kDifference = 1e-5;       // for central differences
constexpr double kDifferenceError = 1e-7;  // their error: kDifference² and rounding/kDifference

TEST(DoublePendulum, CoefficientsAndLoadsOfTwelveConfigurationsMatch) {
  const DoublePendulum pendulum({});
  const auto rows = test::ReadRows("routh_configurations.csv");
  EXPECT_EQ(rows.size(), 12u);
  for (const auto& row : rows) {
    const Vec2 q(std::stod(row.at(0)), std::stod(row.at(1))), w(1.2, -2.5);
    const Mat2 mass = pendulum.Mass(q), inverse = mass.inverse();
    const ContactGeometry geometry = pendulum.Contact(q, w);
    const Vec2 dw = inverse * (1.7 * geometry.opening - 0.6 * geometry.sliding);
    const JointLoads impulses = pendulum.ReactionImpulses(q, dw, 1.7, -0.6);
    const Vec2 acceleration = inverse * pendulum.Force(0.0, q, w);
    const JointLoads forces = pendulum.Reactions(q, w, acceleration, 0.0, 0.0);
    std::size_t column = 2;
    const auto expect = [&](double error, std::initializer_list<double> values) {
      for (const double value : values) {
        EXPECT_NEAR(value, std::stod(row.at(column)), error) << "column " << column;
        ++column;
      }
    };
    expect(kRounding, {mass.determinant(), geometry.sliding.dot(inverse * geometry.sliding),
                       geometry.sliding.dot(inverse * geometry.opening),
                       geometry.opening.dot(inverse * geometry.opening)});
    expect(kRounding, {dw[0], dw[1], impulses.H, impulses.V, impulses.R, impulses.P});
    expect(10 * kRounding, {acceleration[0], acceleration[1]});
    expect(100 * kRounding, {forces.H, forces.V, forces.R, forces.P});
  }
}

TEST(DoublePendulum, EnergyAtRestIsPotential) {
  EXPECT_NEAR(DoublePendulum({}).Energy(Vec2::Zero(), Vec2::Zero()), -40.0077306, 5e-8);
}

TEST(DoublePendulum, ContactRatesAreDerivatives) {
  const DoublePendulum pendulum({});
  test::Draw draw(1);
  for (int i = 0; i < 100; ++i) {
    const Vec2 q(draw.Uniform(-3, 3), draw.Uniform(-3, 3));
    const Vec2 w(draw.Uniform(-3, 3), draw.Uniform(-3, 3));
    test::ExpectRatesAreDerivatives(pendulum, q, w, kDifference, kDifferenceError);
  }
}

// dE/dt along the motion is the power of the drives minus the power of the damping. The power of a
// contact force is s T + c F, where s and c are the sliding and the opening velocity.
TEST(DoublePendulum, EnergyChangesByThePowersOfDrivesDampingAndContact) {
  DoublePendulumParameters parameters;
  parameters.c1 = 0.3;
  parameters.c2 = 0.2;
  parameters.M01 = 2.0;
  parameters.M02 = -1.5;
  parameters.Omega1 = 3.0;
  const DoublePendulum pendulum(parameters);
  test::Draw draw(2);
  for (int i = 0; i < 100; ++i) {
    const Vec2 q(draw.Uniform(-3, 3), draw.Uniform(-3, 3));
    const Vec2 w(draw.Uniform(-3, 3), draw.Uniform(-3, 3));
    const double t = draw.Uniform(0, 5), normal = draw.Uniform(0, 5),
                 friction = draw.Uniform(-2, 2);
    const ContactGeometry contact = pendulum.Contact(q, w);
    const Vec2 acceleration =
        pendulum.Mass(q).inverse() *
        (pendulum.Force(t, q, w) + normal * contact.opening + friction * contact.sliding);
    const double h = kDifference;
    const double rate =
        (pendulum.Energy(q + h * w + 0.5 * h * h * acceleration, w + h * acceleration) -
         pendulum.Energy(q - h * w + 0.5 * h * h * acceleration, w - h * acceleration)) /
        (2.0 * h);
    EXPECT_NEAR(rate,
                pendulum.DrivePower(t, q, w) - pendulum.DampingPower(q, w) +
                    normal * contact.opening.dot(w) + friction * contact.sliding.dot(w),
                100 * kDifferenceError);
  }
}

// Newton and Euler for each separate body, with the joint loads of figure 3 and forces at the
// contact.
TEST(DoublePendulum, JointLoadsBalanceEachBody) {
  const DoublePendulumParameters p;
  const DoublePendulum pendulum(p);
  test::Draw draw(3);
  for (int i = 0; i < 100; ++i) {
    const Vec2 q(draw.Uniform(-3, 3), draw.Uniform(-3, 3));
    const Vec2 w(draw.Uniform(-3, 3), draw.Uniform(-3, 3));
    const double F = draw.Uniform(0, 5), T = draw.Uniform(-2, 2);
    const ContactGeometry contact = pendulum.Contact(q, w);
    const Vec2 a = pendulum.Mass(q).inverse() *
                   (pendulum.Force(0.0, q, w) + F * contact.opening + T * contact.sliding);
    const JointLoads j = pendulum.Reactions(q, w, a, F, T);
    const double d = p.l2 + p.r - p.lc;
    // Angular momentum about the centres of mass, eqs. (17), (18).
    EXPECT_NEAR(
        p.I1 * a[0],
        (j.V - j.P) * 0.5 * p.l1 * std::sin(q[0]) - (j.R + j.H) * 0.5 * p.l1 * std::cos(q[0]),
        1e3 * kRounding);
    EXPECT_NEAR(
        p.I2 * a[1],
        (j.V * p.lc + F * d) * std::sin(q[1]) - (j.H * p.lc + T * d) * std::cos(q[1]) - T * p.r,
        1e3 * kRounding);
  }
}

TEST(DoublePendulum, JointsCarryTheWeightAtRest) {
  const DoublePendulumParameters p;
  const JointLoads loads =
      DoublePendulum(p).Reactions(Vec2::Zero(), Vec2::Zero(), Vec2::Zero(), 0.0, 0.0);
  EXPECT_EQ(loads.H, 0.0);
  EXPECT_EQ(loads.R, 0.0);
  EXPECT_DOUBLE_EQ(loads.V, -p.m2 * p.g);
  EXPECT_DOUBLE_EQ(loads.P, (p.m1 + p.m2) * p.g);
}

TEST(DoublePendulum, ImpossibleGeometryIsNamed) {
  const auto message = [](const auto& change) {
    DoublePendulumParameters parameters;
    change(parameters);
    return MessageOf<InputError>([&] { DoublePendulum pendulum(parameters); });
  };
  using P = DoublePendulumParameters;
  EXPECT_EQ(message([](P& p) { p.D = p.l1; }).substr(0, 8), "D = 0.5 ");
  EXPECT_EQ(message([](P& p) { p.D = p.l1 + p.l2 + 2.0 * p.r; }).substr(0, 8), "D = 1.2 ");
  EXPECT_EQ(message([](P& p) { p.m1 = -1.0; }).substr(0, 7), "m1 = -1");
  EXPECT_EQ(message([](P& p) { p.I2 = 0.0; }).substr(0, 6), "I2 = 0");
  EXPECT_EQ(message([](P& p) { p.c1 = -0.1; }).substr(0, 9), "c1 = -0.1");
  EXPECT_EQ(message([](P& p) { p.lc = 0.8; }).substr(0, 8), "lc = 0.8");
  EXPECT_EQ(message([](P& p) { p.M01 = std::nan(""); }).substr(0, 9), "M01 = nan");
  EXPECT_EQ(message([](P& p) { p.g = std::numeric_limits<double>::infinity(); }).substr(0, 7),
            "g = inf");
}

}  // namespace
}  // namespace scree::impact::double_pendulum_test
