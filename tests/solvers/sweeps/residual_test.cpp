// The residual is zero at a solution and has the correct size away from it.
#include "solvers/sweeps/residual.hpp"

#include <gtest/gtest.h>

#include <limits>

#include "solvers/one_contact/sphere_contact.hpp"
#include "tests/support/cluster.hpp"
#include "tests/support/one_relaxation.hpp"

namespace scree::residual_test {
namespace {

constexpr double kTolerance = 1e-14;  // velocities are of order one

/// A sphere of mass 1/w that touches a floor and approaches it at `speed`.
struct SphereOnFloor {
  test::ContactProblem problem;
  test::ContactSolution solution;

  explicit SphereOnFloor(double speed, double w = 2.0) {
    // The residual must not depend on the under-relaxation of a sweep, so the effective mass is
    // NaN.
    problem.contacts.push_back({.normal = Vec3::UnitZ(),
                                .effective_mass = std::numeric_limits<double>::quiet_NaN(),
                                .friction = 0.5,
                                .a = 0,
                                .b = 1});
    solution.bodies.push_back({Vec3(0, 0, -speed), w, Vec3::Zero(), 0.3});
    solution.bodies.push_back({});
    solution.impulses.push_back(Vec3::Zero());
  }
  void Solve() {
    Contact contact = problem.contacts[0];
    contact.effective_mass = 1.0 / solution.bodies[0].inverse_mass;
    test::RelaxSphereContact(contact, solution.impulses[0], solution.bodies[0], solution.bodies[1]);
  }
  double Max() const { return ContactResidual(problem, solution).max; }
};

TEST(Residual, IsZeroAtASolution) {
  SphereOnFloor sticking(1.0);
  sticking.Solve();
  EXPECT_LT(sticking.Max(), kTolerance);

  SphereOnFloor slipping(1.0);
  slipping.solution.bodies[0].v.x() = 5.0;
  slipping.Solve();
  EXPECT_GT(slipping.solution.bodies[0].v.x(), 1.0);
  EXPECT_LT(slipping.Max(), kTolerance);

  SphereOnFloor separating(-1.0);
  EXPECT_EQ(separating.Max(), 0.0);
}

TEST(Residual, PurelyNormalErrorIsTheNormalVelocity) {
  for (const double w : {0.01, 1.0, 1e6}) EXPECT_NEAR(SphereOnFloor(0.3, w).Max(), 0.3, kTolerance);
}

TEST(Residual, PurelyTangentialErrorIsTheSlip) {
  SphereOnFloor resting(1.0);
  resting.Solve();
  resting.solution.bodies[0].v += Vec3(0.03, 0.04, 0.0);
  EXPECT_NEAR(resting.Max(), 0.05, kTolerance);
  // The same slip, now by rotation.
  resting.solution.bodies[0].v = Vec3::Zero();
  resting.solution.bodies[0].u = Vec3(0.0, 0.02, 0.0);
  EXPECT_NEAR(resting.Max(), 0.02, kTolerance);
}

TEST(Residual, SeparationUnderLoadIsAnError) {
  SphereOnFloor sphere(1.0);
  sphere.Solve();
  sphere.solution.bodies[0].v.z() = 0.25;
  EXPECT_NEAR(sphere.Max(), 0.25, kTolerance);
}

TEST(Residual, ImpulseOutsideTheConeIsAnError) {
  SphereOnFloor sphere(1.0, 1.0);
  sphere.Solve();
  sphere.solution.impulses[0].x() = 0.75;  // the cone ends at 0.5
  EXPECT_NEAR(sphere.Max(), 3.5 * 0.25, kTolerance);
}

TEST(Residual, BiasIsPartOfTheError) {
  SphereOnFloor sphere(0.3);
  sphere.problem.contacts[0].bias = 0.3;  // a gap that just closes
  EXPECT_LT(sphere.Max(), kTolerance);
  sphere.problem.contacts[0].bias = 0.1;
  EXPECT_NEAR(sphere.Max(), 0.2, kTolerance);
}

TEST(Residual, ResidualSumsSquaresAndCountsContacts) {
  SphereOnFloor two_spheres(0.3);
  two_spheres.solution.bodies.push_back({Vec3(0, 0, -0.4), 1.0, Vec3::Zero(), 0.3});
  two_spheres.problem.contacts.push_back(two_spheres.problem.contacts[0]);
  two_spheres.problem.contacts[1].a = 2;
  two_spheres.solution.impulses.push_back(Vec3::Zero());
  const Residual residual = ContactResidual(two_spheres.problem, two_spheres.solution);
  EXPECT_NEAR(residual.max, 0.4, kTolerance);
  EXPECT_NEAR(residual.square_sum, 0.25, kTolerance);
  EXPECT_EQ(residual.contacts, 2);
  EXPECT_EQ(test::ContactResidual({}, {}).contacts, 0);
}

/// A sphere that rests on a floor and resists rolling, without effective masses.
struct RollingSphere : SphereOnFloor {
  RollingSphere() : SphereOnFloor(1.0, 1.0) {
    Solve();
    problem.rolling.push_back({0.2, 0.1, std::numeric_limits<double>::quiet_NaN(), 1.0, 1.0});
    solution.rolling.push_back(Vec3::Zero());
  }
};

TEST(Residual, RollingThatAnImpulseCouldReduceIsAnError) {
  RollingSphere sphere;
  EXPECT_LT(sphere.Max(), kTolerance);
  // The sphere spins. The maximum impulse, 0.1, changes u by 5/2 ⋅ 0.1, which stops only the
  // first spin.
  sphere.solution.bodies[0].u = Vec3(0.0, 0.0, 0.04);
  EXPECT_NEAR(sphere.Max(), 0.04, kTolerance);
  sphere.solution.bodies[0].u.z() = 0.4;
  EXPECT_NEAR(sphere.Max(), 2.5 * 0.1, kTolerance);
  sphere.solution.rolling[0].z() = -0.1;  // the maximum impulse
  EXPECT_LT(sphere.Max(), kTolerance);
  sphere.solution.rolling[0].z() = 0.1;  // the wrong direction
  sphere.solution.bodies[0].u.z() = 1.0;
  EXPECT_NEAR(sphere.Max(), 2.5 * 0.2, kTolerance);
}

TEST(Residual, SlipAndRollingErrorsAddAsSquares) {
  RollingSphere sphere;
  sphere.solution.bodies[0].u = Vec3(0.0, 0.03, 0.0);
  EXPECT_NEAR(sphere.Max(), std::hypot(0.03, 0.03), kTolerance);
}

}  // namespace
}  // namespace scree::residual_test
