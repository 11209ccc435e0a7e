// Rolling and spinning of one contact: the closed form, checked by the law and by brute force.
#include "solvers/batches/rolling.hpp"

#include <gtest/gtest.h>

#include <array>

#include "solvers/batches/additional_laws.hpp"
#include "tests/support/draw.hpp"
#include "tests/support/one_relaxation.hpp"

namespace scree::rolling_test {
namespace {

using test::Draw;
using test::RelaxLaw;

constexpr double kTolerance = 1e-12;  // velocities, impulses and inverse masses are of order one

struct Problem {
  Vec3 n = Vec3::UnitZ();
  RollingContact rolling = {0.3, 0.2};
  double a = 1.0;  // A_w, the inverse effective mass for rolling (rolling.hpp) [1/kg]
  Vec3 lambda = Vec3(0.4, -0.2, 1.0);  // only its normal part may count
  Vec3 impulse = Vec3::Zero();         // L before the solve
  Vec3 delta_w = Vec3::Zero();         // δw before the solve

  Vec3 Solve() const { return SolveLaw<RollingLaw>(n, rolling, lambda, 1.0 / a, impulse, delta_w); }
  Vec3 VelocityAfter(const Vec3& solved) const { return delta_w + a * (solved - impulse); }
  double LimitT() const { return rolling.rolling * std::max(0.0, lambda.dot(n)); }
  double LimitN() const { return rolling.spinning * std::max(0.0, lambda.dot(n)); }
};

Problem RandomProblem(Draw& draw) {
  Problem problem;
  problem.n = draw.Direction();
  problem.rolling = {draw.Uniform(0.0, 1.0), draw.Uniform(0.0, 1.0)};
  problem.a = draw.Uniform(0.5, 2.0);
  problem.lambda = draw.Uniform(-0.3, 1.0) * problem.n + 0.3 * draw.Vector(1.0).cross(problem.n);
  problem.impulse = draw.Vector(0.5);
  problem.delta_w = draw.Vector(1.0);
  return problem;
}

TEST(Rolling, RandomProblemsObeyTheLawInAllRegimes) {
  Draw draw(1);
  std::array<int, 3> rolling_counts = {}, spinning_counts = {};  // no load, sticking, at the limit
  for (int k = 0; k < 20000; ++k) {
    const Problem problem = RandomProblem(draw);
    const Vec3 solved = problem.Solve(), velocity_after = problem.VelocityAfter(solved);
    const double solved_n = solved.dot(problem.n), after_n = velocity_after.dot(problem.n);
    const Vec3 solved_t = solved - solved_n * problem.n,
               after_t = velocity_after - after_n * problem.n;
    ASSERT_LE(solved_t.norm(), problem.LimitT() + kTolerance);
    ASSERT_LE(std::abs(solved_n), problem.LimitN() + kTolerance);
    if (problem.LimitT() == 0.0) {
      ASSERT_EQ(solved, Vec3::Zero());
      ++rolling_counts[0], ++spinning_counts[0];
      continue;
    }
    // If the sphere still rolls, the impulse opposes the motion and is on the cone.
    ++rolling_counts[after_t.norm() > kTolerance ? 2 : 1];
    if (after_t.norm() > kTolerance) {
      ASSERT_NEAR(solved_t.norm(), problem.LimitT(), kTolerance);
      ASSERT_NEAR(solved_t.dot(after_t), -solved_t.norm() * after_t.norm(), kTolerance);
    }
    ++spinning_counts[std::abs(after_n) > kTolerance ? 2 : 1];
    if (std::abs(after_n) > kTolerance) {
      ASSERT_NEAR(solved_n, after_n < 0.0 ? problem.LimitN() : -problem.LimitN(), kTolerance);
    }
  }
  for (const int count : rolling_counts) EXPECT_GT(count, 1000);
  for (const int count : spinning_counts) EXPECT_GT(count, 1000);
}

/// Kinetic energy after the impulse L, up to a constant: ½ ‖δw*‖²/A_w, where δw* is the rolling
/// velocity after L.
double Energy(const Problem& problem, const Vec3& impulse) {
  return 0.5 * problem.VelocityAfter(impulse).squaredNorm() / problem.a;
}

/// The smallest energy on a grid over the cones, refined around its best point.
double MinEnergyOnGrid(const Problem& problem) {
  const Vec3 t = problem.n.unitOrthogonal(), o = problem.n.cross(t);
  const double limit_t = problem.LimitT(), limit_n = problem.LimitN();
  Vec3 best = Vec3::Zero();  // along n, t and o
  double min_energy = Energy(problem, Vec3::Zero());
  constexpr int kHalfGrid = 6;
  for (double size = 1.0; size > 1e-7; size *= 0.6) {
    const Vec3 middle = best;
    for (int i = -kHalfGrid; i <= kHalfGrid; ++i) {
      for (int j = -kHalfGrid; j <= kHalfGrid; ++j) {
        for (int k = -kHalfGrid; k <= kHalfGrid; ++k) {
          Vec3 x = middle + size / kHalfGrid * Vec3(i * limit_n, j * limit_t, k * limit_t);
          x[0] = std::clamp(x[0], -limit_n, limit_n);
          const double length = x.tail<2>().norm();
          if (length > limit_t) x.tail<2>() *= limit_t / length;
          const double energy = Energy(problem, x[0] * problem.n + x[1] * t + x[2] * o);
          if (energy < min_energy) min_energy = energy, best = x;
        }
      }
    }
  }
  return min_energy;
}

TEST(Rolling, SolutionHasTheMinimumEnergy) {
  Draw draw(2);
  constexpr double kGridError = 1e-9;
  for (int k = 0; k < 100; ++k) {
    Problem problem = RandomProblem(draw);
    problem.lambda = draw.Uniform(0.1, 1.0) * problem.n;
    const double energy = Energy(problem, problem.Solve()), min_energy = MinEnergyOnGrid(problem);
    EXPECT_LE(energy, min_energy + kTolerance);
    EXPECT_GE(energy, min_energy - kGridError);
  }
}

TEST(Rolling, SwappingTheBodiesChangesOnlySigns) {
  Draw draw(3);
  for (int k = 0; k < 1000; ++k) {
    const Problem problem = RandomProblem(draw);
    Problem swapped = problem;
    swapped.n = -problem.n, swapped.lambda = -problem.lambda;
    swapped.impulse = -problem.impulse, swapped.delta_w = -problem.delta_w;
    EXPECT_EQ(swapped.Solve(), Vec3(-problem.Solve()));
  }
}

TEST(Rolling, HugeCoefficientsStopAllRotation) {
  Problem problem;
  problem.rolling = {1e300, 1e300};
  problem.delta_w = Vec3(1, -2, 3);
  EXPECT_LT(problem.VelocityAfter(problem.Solve()).norm(), kTolerance);
  problem.lambda = Vec3(1.0, 0.0, -1e-17);
  EXPECT_EQ(problem.Solve(), Vec3::Zero());
}

struct Pair {
  SphereBody a, b;
  RollingContact rolling;
  Vec3 n;

  explicit Pair(Draw& draw)
      : a{draw.Vector(1.0), draw.Uniform(0.5, 2.0), draw.Vector(1.0), draw.Uniform(0.5, 2.0)},
        b{draw.Vector(1.0), draw.Uniform(0.5, 2.0), draw.Vector(1.0), draw.Uniform(0.5, 2.0)},
        n(draw.Direction()) {
    const double sum = a.radius + b.radius;
    rolling = {0.3, 0.2, 0.0, b.radius / sum, a.radius / sum};
    rolling.effective_mass = 1.0 / RollingLaw::ScalarBlock(rolling, a.inverse_mass, b.inverse_mass);
  }
  double EffectiveRadius() const { return a.radius * b.radius / (a.radius + b.radius); }  // R
  /// I ω of both bodies.
  Vec3 AngularMomentum() const {
    return 0.4 * a.radius / a.inverse_mass * a.u + 0.4 * b.radius / b.inverse_mass * b.u;
  }
  double Energy() const {
    return 0.2 * (a.u.squaredNorm() / a.inverse_mass + b.u.squaredNorm() / b.inverse_mass);
  }
};

TEST(Rolling, ImpulseActsWithOppositeTorquesOnTheTwoBodies) {
  Draw draw(4);
  for (int k = 0; k < 100; ++k) {
    Pair pair(draw);
    const Vec3 impulse = draw.Vector(1.0), omega = pair.a.u / pair.a.radius, v = pair.a.v;
    const Vec3 angular_momentum = pair.AngularMomentum();
    RollingData<Double8> data = {};
    data.fraction_a[0] = pair.rolling.fraction_a;
    data.fraction_b[0] = pair.rolling.fraction_b;
    RollingLaw::ApplySum(RollingLaw::TermOnBody(data, 0, 1.0, impulse), pair.a);
    RollingLaw::ApplySum(RollingLaw::TermOnBody(data, 0, -1.0, impulse), pair.b);
    const double inertia = 0.4 * pair.a.radius * pair.a.radius / pair.a.inverse_mass;
    const Vec3 delta_omega = pair.EffectiveRadius() / inertia * impulse;  // R L / I
    EXPECT_LT((pair.a.u / pair.a.radius - omega - delta_omega).norm(), kTolerance);
    EXPECT_LT((pair.AngularMomentum() - angular_momentum).norm(), kTolerance);
    EXPECT_EQ(pair.a.v, v);
  }
}

TEST(Rolling, VelocityIsTheEffectiveRadiusTimesTheRotation) {
  Draw draw(5);
  for (int k = 0; k < 100; ++k) {
    const Pair pair(draw);
    const Vec3 omega = pair.a.u / pair.a.radius - pair.b.u / pair.b.radius;
    EXPECT_LT((RollingLaw::Velocity(pair.rolling, pair.a, pair.b) - pair.EffectiveRadius() * omega)
                  .norm(),
              kTolerance);
  }
}

TEST(Rolling, FaceContactUsesTheRadiusOfTheCurvedBody) {
  RollingContact sphere_on_face, face_on_sphere;
  RollingLaw::SetRigidFractions(0.02, kFlatRadius, sphere_on_face);
  RollingLaw::SetRigidFractions(kFlatRadius, 0.02, face_on_sphere);
  EXPECT_EQ(sphere_on_face.fraction_a, 0.02);
  EXPECT_EQ(face_on_sphere.fraction_a, 0.02);
}

TEST(Rolling, SecondRelaxationChangesNothingAndNoEnergyIsGained) {
  Draw draw(6);
  for (int k = 0; k < 1000; ++k) {
    Pair pair(draw);
    Vec3 impulse = Vec3::Zero();
    const Vec3 lambda = draw.Uniform(0.0, 1.0) * pair.n;
    const double energy_before = pair.Energy();
    RelaxLaw<RollingLaw>(pair.n, pair.rolling, lambda, impulse, pair.a, pair.b);
    EXPECT_LE(pair.Energy(), energy_before + kTolerance);
    const Vec3 second_impulse =
        SolveLaw<RollingLaw>(pair.n, pair.rolling, lambda, pair.rolling.effective_mass, impulse,
                             RollingLaw::Velocity(pair.rolling, pair.a, pair.b));
    EXPECT_LT((second_impulse - impulse).norm(), kTolerance);
  }
}

TEST(Rolling, WallKeepsItsRotationAndRotatesTheSphere) {
  Draw draw(7);
  Pair pair(draw);
  // The wall rotates with Ω: u = r_a Ω.
  pair.b = {Vec3::Zero(), 0.0, Vec3(0.3, -0.2, 0.5), pair.a.radius};
  const Vec3 u = pair.b.u;
  pair.rolling = {100.0, 100.0, 0.0, 1.0, 1.0};
  pair.rolling.effective_mass =
      1.0 / RollingLaw::ScalarBlock(pair.rolling, pair.a.inverse_mass, 0.0);
  Vec3 impulse = Vec3::Zero();
  RelaxLaw<RollingLaw>(pair.n, pair.rolling, pair.n, impulse, pair.a, pair.b);
  EXPECT_EQ(pair.b.u, u);
  EXPECT_LT((pair.a.u - u).norm(), kTolerance);
}

TEST(Rolling, StartingImpulsesAreWithinTheLimitsOfTheNewNormalAndLoad) {
  const RollingContact rolling = {0.5, 0.25};
  const Vec3 n = Vec3::UnitX(), lambda(2.0, 5.0, 0.0);
  EXPECT_LT((StartingLawImpulse<RollingLaw>(n, rolling, lambda, Vec3(0.2, 0.3, 0.4)) -
             Vec3(0.2, 0.3, 0.4))
                .norm(),
            kTolerance);
  EXPECT_LT((StartingLawImpulse<RollingLaw>(n, rolling, lambda, Vec3(-2.0, 3.0, 4.0)) -
             Vec3(-0.5, 0.6, 0.8))
                .norm(),
            kTolerance);
  EXPECT_EQ(StartingLawImpulse<RollingLaw>(n, rolling, Vec3::Zero(), Vec3(1, 2, 3)), Vec3::Zero());
}

}  // namespace
}  // namespace scree::rolling_test
