// The law of a damage bond at one contact, compared with slow, obviously right references.
#include "solvers/batches/damage.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <tuple>

#include "solvers/batches/additional_laws.hpp"
#include "tests/support/draw.hpp"

namespace scree::damage_test {
namespace {

using test::Draw;

constexpr double kRatio = 3.5;  // A_t/A_n

struct Problem {
  Vec3 n = Vec3::UnitZ();
  DamageContact data;
  double a = 1.0;  // A_n
  Vec3 impulse = Vec3::Zero();
  Vec3 delta_v = Vec3::Zero();

  Vec3 Solve(double factor = 1.0) const {
    return SolveLaw<DamageLaw>(n, data, Vec3::Zero(), 1.0 / (factor * a), impulse, delta_v);
  }
  Vec3 VelocityAfter(const Vec3& solved) const {
    const Vec3 change = solved - impulse, normal = change.dot(n) * n;
    return delta_v + a * (normal + kRatio * (change - normal));
  }
  Vec3 Slip() const { return {data.slip_x, data.slip_y, data.slip_z}; }
};

/// The displacements and Q/w of the equations in damage.hpp, in lengths divided by dt.
struct Displacements {
  double opening, measure;
  Vec3 slip;
};
Displacements DisplacementsAfter(const Problem& problem, const Vec3& velocity) {
  const double v_n = velocity.dot(problem.n);
  const double opening = std::max(0.0, problem.data.opening + v_n);
  const Vec3 slip = problem.Slip() + velocity - v_n * problem.n;
  return {
      opening,
      problem.data.stiffness_n * opening * opening + problem.data.stiffness_t * slip.squaredNorm(),
      slip};
}
Displacements InitialDisplacements(const Problem& problem) {
  return DisplacementsAfter(problem, Vec3::Zero());
}

/// −L by the equations of damage.hpp for this velocity after the step.
Vec3 TractionImpulse(const Problem& problem, const Vec3& velocity) {
  const DamageContact& data = problem.data;
  const Displacements before = InitialDisplacements(problem),
                      after = DisplacementsAfter(problem, velocity);
  const double limit = 1.0 / data.intact, q = after.measure;
  double b = data.intact * data.intact;
  if (q > limit) {
    const double f = before.measure < limit ? (q - limit) / (q - before.measure) : 1.0;
    b = data.intact * (data.intact * (1.0 - f) + f / q);
  }
  const double w_0 = 1.0 - data.implicitness, w_1 = 1.0 + data.implicitness;  // 2 (1 − θ), 2 θ
  return b * data.energy *
         (data.stiffness_n * (w_0 * before.opening + w_1 * after.opening) * problem.n +
          data.stiffness_t * (w_0 * before.slip + w_1 * after.slip));
}
double StoredEnergy(const Problem& problem, double intact, double q) {
  return intact * intact * q * problem.data.energy;
}
double IntactAfter(const Problem& problem, double q) {
  return std::min(problem.data.intact, 1.0 / q);
}

Problem RandomProblem(Draw& draw) {
  Problem problem;
  problem.n = draw.Direction();
  problem.a = draw.Uniform(0.5, 2.0);
  DamageContact& data = problem.data;
  data.effective_mass = 1.0 / problem.a;
  data.tangential = kRatio;
  data.energy = std::pow(10.0, draw.Uniform(-3.0, 2.0));
  data.stiffness_n = std::pow(10.0, draw.Uniform(-1.0, 1.0));
  data.stiffness_t = std::pow(10.0, draw.Uniform(-1.0, 1.0));
  data.intact = draw.Uniform(0.0, 1.0) < 0.3 ? 1.0 : draw.Uniform(0.05, 1.0);
  const Vec3 slip = draw.Vector(1.0).cross(problem.n);
  data.opening = std::max(0.0, draw.Uniform(-0.5, 1.0));
  std::tie(data.slip_x, data.slip_y, data.slip_z) = std::tuple(slip.x(), slip.y(), slip.z());
  // The state obeys Q ≤ w/β; a third of the states is at this limit.
  const double q = InitialDisplacements(problem).measure * data.intact;
  const double target = draw.Uniform(0.0, 1.5);
  const double scale = q > 0.0 ? std::sqrt(std::min(1.0, target) / q) : 1.0;
  data.opening *= scale;
  data.slip_x *= scale;
  data.slip_y *= scale;
  data.slip_z *= scale;
  problem.impulse = draw.Vector(0.5);
  problem.delta_v = draw.Vector(std::pow(10.0, draw.Uniform(-1.0, 1.0)));
  return problem;
}

TEST(Damage, RandomProblemsObeyTheLaw) {
  Draw draw(1);
  // Elastic, at the limit before the step, crossing the limit in the step.
  std::array<int, 3> regime_counts = {};
  for (int k = 0; k < 20000; ++k) {
    Problem problem = RandomProblem(draw);
    problem.data.implicitness = k % 2 == 0 ? 0.0 : draw.Uniform(0.0, 1.0);
    const Vec3 solved = problem.Solve(), velocity = problem.VelocityAfter(solved);
    const double scale = problem.impulse.norm() + problem.delta_v.norm() + 1.0;
    ASSERT_LT((solved + TractionImpulse(problem, velocity)).norm(), 1e-9 * scale) << k;
    const double limit = 1.0 / problem.data.intact;
    const bool is_elastic = DisplacementsAfter(problem, velocity).measure <= limit;
    ++regime_counts[is_elastic ? 0 : InitialDisplacements(problem).measure < 0.999 * limit ? 2 : 1];
  }
  for (const int count : regime_counts) EXPECT_GT(count, 1000);
}

TEST(Damage, WorkIsStoredOrDissipatedInAStepOfAnyLength) {
  Draw draw(2);
  for (int k = 0; k < 20000; ++k) {
    const Problem problem = RandomProblem(draw);
    const Vec3 solved = problem.Solve(), velocity = problem.VelocityAfter(solved);
    if (problem.data.opening + velocity.dot(problem.n) < 0.0) continue;
    const double q = DisplacementsAfter(problem, velocity).measure,
                 intact = IntactAfter(problem, q);
    const double stored_change =
        StoredEnergy(problem, intact, q) -
        StoredEnergy(problem, problem.data.intact, InitialDisplacements(problem).measure);
    const double dissipated = 2.0 * problem.data.energy * (problem.data.intact - intact);
    ASSERT_GE(dissipated, 0.0);
    const double scale = problem.data.energy + std::abs(solved.dot(velocity));
    ASSERT_NEAR(-solved.dot(velocity), stored_change + dissipated, 1e-9 * scale) << k;
  }
}

/// Brute force in pure tension over all openings at which the law holds.
TEST(Damage, ElasticSolutionIsPreferred) {
  Draw draw(3);
  int both_count = 0;
  for (int k = 0; k < 500; ++k) {
    Problem problem = RandomProblem(draw);
    problem.impulse = Vec3::Zero();
    problem.delta_v = draw.Uniform(0.0, 30.0) * problem.n;
    problem.data.energy = std::pow(10.0, draw.Uniform(-1.0, 1.0));
    problem.data.slip_x = problem.data.slip_y = problem.data.slip_z = 0.0;
    const auto error = [&](double v) {
      return v - problem.delta_v.dot(problem.n) +
             problem.a * TractionImpulse(problem, v * problem.n).dot(problem.n);
    };
    constexpr int kPoints = 40000;
    // `low` is a lower bound of the velocity, because L is largest without further opening.
    const double max_ratio = problem.a * problem.data.energy * problem.data.stiffness_n;
    const double low = -(2.0 + max_ratio) * problem.data.opening - 1.0,
                 high = problem.delta_v.norm();
    const auto velocity_at = [&](int i) { return low + (high - low) * i / kPoints; };
    const double v = problem.VelocityAfter(problem.Solve()).dot(problem.n),
                 limit = 1.0 / problem.data.intact;
    double nearest = high - low;
    int elastic = 0, beyond_limit = 0;
    for (int i = 1; i <= kPoints; ++i) {
      if ((error(velocity_at(i - 1)) < 0.0) == (error(velocity_at(i)) < 0.0)) continue;
      nearest = std::min(nearest, std::abs(velocity_at(i) - v));
      ++(DisplacementsAfter(problem, velocity_at(i) * problem.n).measure <= limit ? elastic
                                                                                  : beyond_limit);
    }
    ASSERT_GT(elastic + beyond_limit, 0) << k;
    ASSERT_LE(nearest, 2.0 * (high - low) / kPoints) << k;
    ASSERT_LE(elastic, 1);
    if (elastic == 1) {
      ASSERT_LE(DisplacementsAfter(problem, v * problem.n).measure, limit * 1.001) << k;
    }
    both_count += elastic == 1 && beyond_limit > 0 ? 1 : 0;
  }
  EXPECT_GT(both_count, 5);
}

TEST(Damage, UnloadsAndReloadsAlongTheReducedStiffness) {
  Problem problem;
  problem.a = 1e-12;  // so small that displacements are prescribed
  problem.data = {.effective_mass = 1e12,
                  .tangential = kRatio,
                  .energy = 0.5,
                  .stiffness_n = 1.0,
                  .stiffness_t = 2.0,
                  .intact = 0.3,
                  .opening = 1.5};
  for (const double v : {-1.5, -0.5, 0.1, 0.3}) {
    problem.delta_v = v * problem.n;
    EXPECT_NEAR(problem.Solve().dot(problem.n), -0.09 * (1.5 + 0.5 * v), 1e-9) << v;
  }
}

TEST(Damage, ALargerBlockConvergesToTheSameImpulse) {
  Draw draw(4);
  for (int k = 0; k < 200; ++k) {
    Problem problem = RandomProblem(draw);
    problem.data.energy = std::min(problem.data.energy, 2e-3);  // so that there is one solution
    const Vec3 exact = problem.Solve();
    for (int sweep = 0; sweep < 400; ++sweep) {
      const Vec3 solved = problem.Solve(3.0);
      problem.delta_v = problem.VelocityAfter(solved);
      problem.impulse = solved;
    }
    ASSERT_LT((problem.impulse - exact).norm(), 1e-9 * (1.0 + exact.norm())) << k;
  }
}

TEST(Damage, EightContactsAreSolvedLikeSingleContactsForEitherOrderOfBodies) {
  Draw draw(5);
  for (int round = 0; round < 500; ++round) {
    std::array<Problem, kLanes> problems;
    LawArrays<DamageLaw> arrays;
    arrays.Begin(1);
    Vector3<Double8> n = {}, v = {};
    for (std::uint32_t lane = 0; lane < kLanes; ++lane) {
      if (lane % 4 != 3) problems[lane] = RandomProblem(draw);  // lanes 3 and 7 have no bond
      const Problem& problem = problems[lane];
      arrays.Set({0, lane}, problem.data, lane % 4 != 3 ? problem.impulse : Vec3(Vec3::Zero()));
      n.x[lane] = problem.n.x(), n.y[lane] = problem.n.y(), n.z[lane] = problem.n.z();
      v.x[lane] = problem.delta_v.x(), v.y[lane] = problem.delta_v.y(),
      v.z[lane] = problem.delta_v.z();
    }
    const LawBatch<DamageLaw>& batch = arrays.All()[0];
    const Vector3<Double8> solved =
        DamageLaw::Solve(n, Double8{}, batch.data, batch.data.effective_mass, ImpulseOf(batch), v);
    LawBatch<DamageLaw> swapped = batch;
    swapped.data.slip_x = -batch.data.slip_x;
    swapped.data.slip_y = -batch.data.slip_y;
    swapped.data.slip_z = -batch.data.slip_z;
    const auto negative = [](const Vector3<Double8>& x) -> Vector3<Double8> {
      return {-x.x, -x.y, -x.z};
    };
    const Vector3<Double8> swapped_solution =
        DamageLaw::Solve(negative(n), Double8{}, swapped.data, swapped.data.effective_mass,
                         negative(ImpulseOf(batch)), negative(v));
    for (std::uint32_t lane = 0; lane < kLanes; ++lane) {
      const Vec3 lane_impulse(solved.x[lane], solved.y[lane], solved.z[lane]);
      ASSERT_EQ(lane_impulse, -Vec3(swapped_solution.x[lane], swapped_solution.y[lane],
                                    swapped_solution.z[lane]));
      const Vec3 expected = lane % 4 != 3 ? problems[lane].Solve() : Vec3(Vec3::Zero());
      ASSERT_LT((lane_impulse - expected).norm(), 1e-11 * (1.0 + expected.norm()));
    }
  }
}

}  // namespace
}  // namespace scree::damage_test
