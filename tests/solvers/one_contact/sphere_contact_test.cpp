// One contact: the closed form, checked by the conditions that define its solution.
#include "solvers/one_contact/sphere_contact.hpp"

#include <gtest/gtest.h>

#include <array>

#include "tests/support/draw.hpp"
#include "tests/support/one_relaxation.hpp"

namespace scree::sphere_contact_test {
namespace {

using test::Draw;
using test::RelaxSphereContact;

constexpr double kTolerance = 1e-12;  // velocities, impulses and inverse masses are of order one

struct Problem {
  Vec3 n = Vec3::UnitZ();
  double a_n = 1.0;
  double mu = 0.5;
  Vec3 impulse = Vec3::Zero();
  Vec3 delta_v = Vec3::Zero();
  double bias = 0.0;

  Vec3 Solve() const { return SolveSphereContact(n, 1.0 / a_n, mu, impulse, delta_v, bias); }
  Vec3 VelocityAfter(const Vec3& solved) const {
    const Vec3 change = solved - impulse;
    const Vec3 normal_part = change.dot(n) * n;
    return delta_v + a_n * normal_part + 3.5 * a_n * (change - normal_part);
  }
};

enum class Regime { kSeparating, kSticking, kSlipping };

/// Checks Signorini's and Coulomb's conditions.
/// @returns the regime
Regime ExpectContactLaw(const Vec3& n, double mu, double bias, const Vec3& impulse,
                        const Vec3& delta_v) {
  const double lambda_n = impulse.dot(n);
  const Vec3 lambda_t = impulse - lambda_n * n;
  const double opening_velocity = delta_v.dot(n) + bias;
  const Vec3 slip = delta_v - delta_v.dot(n) * n;
  EXPECT_GE(lambda_n, -kTolerance);
  EXPECT_GE(opening_velocity, -kTolerance);
  EXPECT_LE(std::min(lambda_n, opening_velocity), kTolerance);
  EXPECT_LE(lambda_t.norm(), mu * lambda_n + kTolerance);
  // A contact slips only if its impulse is on the cone.
  if (lambda_n > kTolerance && slip.norm() > kTolerance) {
    EXPECT_NEAR(lambda_t.norm(), mu * lambda_n, kTolerance);
    EXPECT_LE((slip * lambda_t.norm() + lambda_t * slip.norm()).norm(), 10 * kTolerance);
    return Regime::kSlipping;
  }
  return lambda_n > kTolerance ? Regime::kSticking : Regime::kSeparating;
}

Problem RandomProblem(Draw& draw) {
  Problem problem;
  problem.n = draw.Direction();
  problem.a_n = draw.Uniform(0.5, 2.0);
  problem.mu = draw.Uniform(0.0, 1.5);
  problem.impulse = draw.Vector(1.0);
  problem.delta_v = draw.Vector(3.0);
  problem.bias = draw.Uniform(-1.0, 1.0);
  return problem;
}

SphereBody RandomBody(Draw& draw) {
  return {draw.Vector(1.0), draw.Uniform(0.5, 2.0), draw.Vector(1.0), draw.Uniform(0.5, 2.0)};
}

TEST(SphereContact, RandomContactsObeyTheLawInAllRegimes) {
  Draw draw(1);
  std::array<int, 3> counts = {};
  for (int k = 0; k < 20000; ++k) {
    Problem problem = RandomProblem(draw);
    if (k % 20 == 0) problem.mu = 0.0;
    const Vec3 solved = problem.Solve();
    ++counts[static_cast<std::size_t>(ExpectContactLaw(problem.n, problem.mu, problem.bias, solved,
                                                       problem.VelocityAfter(solved)))];
    if (HasFailure()) return;
  }
  for (const int count : counts) EXPECT_GT(count, 1000);
}

TEST(SphereContact, SeparatingContactHasOnlyTheImpulseOfItsBias) {
  Problem problem;
  problem.impulse = {0.1, 0.2, 0.5};
  problem.delta_v = {0.3, 0.0, 0.6};
  EXPECT_EQ(problem.Solve(), Vec3::Zero());
  problem.bias = -0.2;  // the contact must open at 0.2 m/s, so that it keeps an impulse
  EXPECT_NEAR(problem.Solve().z(), 0.1, kTolerance);
}

TEST(SphereContact, StickingImpulseStopsTheContact) {
  Problem problem;
  problem.a_n = 2.0;
  problem.delta_v = {0.7, 0.0, -1.0};
  const Vec3 solved = problem.Solve();
  EXPECT_NEAR(solved.z(), 0.5, kTolerance);
  EXPECT_NEAR(solved.x(), -0.1, kTolerance);
  EXPECT_LT(problem.VelocityAfter(solved).norm(), kTolerance);
}

TEST(SphereContact, SlippingImpulseIsOnTheCone) {
  Problem problem;
  problem.mu = 0.1;
  problem.delta_v = {0.0, 3.5, -1.0};
  const Vec3 solved = problem.Solve();
  EXPECT_NEAR(solved.z(), 1.0, kTolerance);
  EXPECT_NEAR(solved.y(), -0.1, kTolerance);
  EXPECT_NEAR(problem.VelocityAfter(solved).y(), 3.5 - 0.35, kTolerance);
}

TEST(SphereContact, FinalNormalVelocityIsMinusTheBias) {
  Problem problem;
  problem.delta_v = {0.0, 0.0, -1.0};
  problem.bias = 0.4;  // an open gap may close at 0.4 m/s
  EXPECT_NEAR(problem.VelocityAfter(problem.Solve()).z(), -0.4, kTolerance);
  problem.bias = 1.1;
  EXPECT_EQ(problem.Solve(), Vec3::Zero());
}

TEST(SphereContact, SolutionScalesWithTheUnits) {
  constexpr double kSpeed = 0x1p-20, kMass = 0x1p-30;  // powers of two scale without rounding
  Draw draw(3);
  for (int k = 0; k < 1000; ++k) {
    const Problem problem = RandomProblem(draw);
    Problem scaled = problem;
    scaled.delta_v *= kSpeed;
    scaled.bias *= kSpeed;
    scaled.impulse *= kSpeed * kMass;
    scaled.a_n /= kMass;
    EXPECT_EQ(scaled.Solve(), Vec3(problem.Solve() * (kSpeed * kMass)));
  }
}

TEST(SphereContact, RelativeVelocityIsBetweenTheTouchingSurfaces) {
  Draw draw(4);
  for (int k = 0; k < 100; ++k) {
    const SphereBody a = RandomBody(draw), b = RandomBody(draw);
    const Vec3 n = draw.Direction();
    const Vec3 omega_a = a.u / a.radius, omega_b = b.u / b.radius;
    const Vec3 expected = a.v + omega_a.cross(-a.radius * n) - b.v - omega_b.cross(b.radius * n);
    EXPECT_LT((RelativeVelocity(a, b, n) - expected).norm(), kTolerance);
  }
}

TEST(SphereContact, RelaxationSatisfiesTheLawAndDoesNotMoveWalls) {
  Draw draw(6);
  for (int k = 0; k < 5000; ++k) {
    SphereBody a = RandomBody(draw), b = RandomBody(draw);
    if (k % 5 == 0) b.inverse_mass = b.radius = 0.0;
    const SphereBody start_b = b;
    Contact contact;
    contact.normal = draw.Direction();
    contact.bias = draw.Uniform(-1.0, 1.0);
    contact.friction = draw.Uniform(0.0, 1.0);
    contact.effective_mass = 1.0 / (a.inverse_mass + b.inverse_mass);
    Vec3 impulse = draw.Vector(0.5);
    RelaxSphereContact(contact, impulse, a, b);
    ExpectContactLaw(contact.normal, contact.friction, contact.bias, impulse,
                     RelativeVelocity(a, b, contact.normal));
    if (b.inverse_mass == 0.0) {
      EXPECT_EQ(b.v, start_b.v);
      EXPECT_EQ(b.u, start_b.u);
    }
    if (HasFailure()) return;
  }
}

TEST(SphereContact, UnderRelaxationStaysInsideTheCone) {
  Draw draw(8);
  for (int k = 0; k < 1000; ++k) {
    const Problem problem = RandomProblem(draw);
    const Vec3 under_relaxed = SolveSphereContact(problem.n, 0.4 / problem.a_n, problem.mu,
                                                  problem.impulse, problem.delta_v, problem.bias);
    const double under_relaxed_n = under_relaxed.dot(problem.n);
    EXPECT_GE(under_relaxed_n, -kTolerance);
    EXPECT_LE((under_relaxed - under_relaxed_n * problem.n).norm(),
              problem.mu * under_relaxed_n + kTolerance);
  }
}

}  // namespace
}  // namespace scree::sphere_contact_test
