// Motion with rigid impacts: the published runs of the double pendulum, and how impacts end.
#include "apps/single/models/impact_run.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "apps/single/models/double_pendulum.hpp"
#include "tests/support/csv_rows.hpp"
#include "tests/support/draw.hpp"

namespace scree::impact::impact_run_test {
namespace {

constexpr double kDegree = 3.14159265358979323846 / 180.0;
constexpr double kPublishedError = 1e-9;  // required accuracy of times, velocities and energies
constexpr double kBalanceError =
    1e-9;  // of the energy balance [J]; the integrator's tolerance is 1e-13

ImpactRunStart PaperStart(double mu) {
  return {Vec2(140.0 * kDegree, -90.0 * kDegree), Vec2(1.2, -0.5), mu, 0.9};
}

ImpactRun Simulate(const ImpactRunStart& start, double end,
                   const DoublePendulumParameters& p = {}) {
  ImpactRunControl control;
  control.end = end;
  return RunWithImpacts(DoublePendulum(p), start, control);
}

double Balance(const DoublePendulum& pendulum, const MotionSample& sample) {
  const EnergyBalance& balance = sample.balance;
  return pendulum.Energy(sample.q, sample.w) + balance.damped + balance.rubbed + balance.struck -
         balance.supplied;
}

void ExpectBalanced(const ImpactRun& run, const DoublePendulum& pendulum) {
  const double start = Balance(pendulum, run.trajectory.front());
  double largest = 1.0;
  for (const MotionSample& sample : run.trajectory) {
    largest = std::max(largest, pendulum.Energy(sample.q, sample.w));
    ASSERT_NEAR(Balance(pendulum, sample), start, kBalanceError * largest) << "t = " << sample.t;
  }
}

/// Expects that a run never goes below the obstacle, that times ascend, and that sliding friction
/// is on the cone and opposes the motion.
void ExpectAdmissible(const ImpactRun& run, const DoublePendulum& pendulum, double mu) {
  constexpr double kDrift = 1e-9;  // of a gap whose acceleration is kept at zero [m]
  double t = 0.0;
  for (const MotionSample& sample : run.trajectory) {
    ASSERT_GE(sample.t, t);
    t = sample.t;
    const ContactGeometry contact = pendulum.Contact(sample.q, sample.w);
    ASSERT_GE(contact.gap, -kDrift);
    ASSERT_GE(sample.normal, -kBalanceError);
    ASSERT_LE(std::abs(sample.tangential), mu * sample.normal + kBalanceError);
    ASSERT_LE(sample.tangential * contact.sliding.dot(sample.w), kBalanceError);
  }
}

/// Runs to the end, and checks the path and the energy balance.
ImpactRun RunChecked(const ImpactRunStart& start, double end,
                     const DoublePendulumParameters& p = {}) {
  const ImpactRun run = Simulate(start, end, p);
  EXPECT_EQ(run.stop_reason, "");
  ExpectBalanced(run, DoublePendulum(p));
  ExpectAdmissible(run, DoublePendulum(p), start.mu);
  return run;
}

TEST(ImpactRun, PublishedImpactsAreReproduced) {
  const auto rows = test::ReadRows("routh_impacts.csv");
  std::size_t row = 0;
  for (const double mu : {0.0, 0.15}) {
    const ImpactRun run = Simulate(PaperStart(mu), 6.0);
    EXPECT_EQ(run.impacts.size(), mu == 0.0 ? 6u : 10u);
    EXPECT_EQ(run.stop_reason, "");
    for (const Impact& impact : run.impacts) {
      const auto expect = [&](std::size_t column, std::initializer_list<double> values) {
        for (const double value : values) {
          EXPECT_NEAR(value, std::stod(rows.at(row).at(column)), kPublishedError) << column;
          ++column;
        }
      };
      ASSERT_EQ(std::stod(rows.at(row).at(0)), mu);
      expect(1, {impact.t, impact.q[0], impact.q[1], impact.velocity_before[0],
                 impact.velocity_before[1]});
      expect(6, {impact.velocity_after[0], impact.velocity_after[1], impact.problem.s,
                 impact.problem.c});
      expect(10, {impact.solution.s, impact.solution.c});
      expect(15, {impact.solution.normal, impact.solution.tangential});
      expect(17, {impact.energy_before, impact.energy_after});
      EXPECT_EQ(mu == 0.0 ? Name(impact.solution.mode) : RouthPath(impact.solution),
                rows.at(row).at(19));
      ++row;
    }
  }
  EXPECT_EQ(row, rows.size());
}

TEST(ImpactRun, PublishedStatesAreReproduced) {
  const struct {
    double mu, t;
    Vec2 q, w;
  } states[] = {
      {0.0, 1.0, Vec2(-1.39298253803689266, 0.0891701666713028390),
       Vec2(-0.403637978748646129, -10.8808909742801546)},
      {0.0, 6.0, Vec2(0.215125855103456692, -4.38365915501672022),
       Vec2(1.19449209298773070, -4.07635363206061516)},
      {0.15, 6.0, Vec2(0.0775651858002242747, -1.03371141247373862),
       Vec2(0.0871741668985098542, 1.31587863043248896)},
  };
  for (const auto& expected : states) {
    const MotionSample end = Simulate(PaperStart(expected.mu), expected.t).trajectory.back();
    EXPECT_EQ(end.t, expected.t);
    EXPECT_LT((end.q - expected.q).cwiseAbs().maxCoeff(), kPublishedError);
    EXPECT_LT((end.w - expected.w).cwiseAbs().maxCoeff(), kPublishedError);
  }
}

TEST(ImpactRun, AccumulatingImpactsEndAtRest) {
  const ImpactRun run = RunChecked(PaperStart(0.15), 20.0);
  EXPECT_NEAR(run.impacts.back().t, 6.955, 5e-4) << "the published accumulation";
  EXPECT_LT(run.impacts.size(), 200u);
  EXPECT_EQ(run.impacts.back().next_phase, MotionPhase::kSliding);
  const MotionSample& end = run.trajectory.back();
  EXPECT_EQ(end.t, 20.0);
  EXPECT_EQ(end.phase, MotionPhase::kSticking);
  EXPECT_EQ(end.w.norm(), 0.0);
  EXPECT_GT(end.normal, 0.0);
}

TEST(ImpactRun, FrictionlessPendulumKeepsSliding) {
  const ImpactRun run = RunChecked(PaperStart(0.0), 40.0);
  EXPECT_NEAR(run.impacts.back().t, 12.8, 0.05) << "the published accumulation";
  EXPECT_EQ(run.trajectory.back().phase, MotionPhase::kSliding);
  EXPECT_GT(run.trajectory.back().w.norm(), 0.1);
}

TEST(ImpactRun, PlasticImpactsDoNotRebound) {
  ImpactRunStart start = PaperStart(0.3);
  start.restitution = 0.0;
  const ImpactRun run = RunChecked(start, 10.0);
  ASSERT_FALSE(run.impacts.empty());
  for (const Impact& impact : run.impacts) EXPECT_EQ(impact.solution.c, 0.0);
  EXPECT_LT(run.impacts.size(), 50u);
  EXPECT_EQ(run.trajectory.back().phase, MotionPhase::kSticking);
}

TEST(ImpactRun, ElasticFrictionlessPendulumKeepsItsEnergy) {
  ImpactRunStart start = PaperStart(0.0);
  start.restitution = 1.0;
  const ImpactRun run = RunChecked(start, 20.0);
  EXPECT_GT(run.impacts.size(), 10u);
  EXPECT_NEAR(run.trajectory.back().balance.struck, 0.0, kBalanceError);
}

TEST(ImpactRun, DriveTearsARestingPendulumLoose) {
  DoublePendulumParameters parameters;
  parameters.c1 = parameters.c2 = 0.5;
  parameters.M02 = 12.0;
  parameters.Omega2 = 0.8;
  ImpactRunStart start = PaperStart(0.4);
  start.restitution = 0.5;
  const ImpactRun run = RunChecked(start, 30.0, parameters);
  int phases[3] = {};
  bool has_left_rest = false;
  for (std::size_t i = 1; i < run.trajectory.size(); ++i) {
    const MotionPhase previous_phase = run.trajectory[i - 1].phase, phase = run.trajectory[i].phase;
    ++phases[static_cast<int>(phase)];
    has_left_rest =
        has_left_rest || (previous_phase == MotionPhase::kSticking && phase != previous_phase);
  }
  for (const int samples : phases) EXPECT_GT(samples, 0);
  EXPECT_TRUE(has_left_rest);
  EXPECT_GT(run.trajectory.back().balance.damped, 0.0);
  EXPECT_NE(run.trajectory.back().balance.supplied, 0.0);
}

// The arm from O over A to the contact becomes a straight line: s = 0, but the pendulum continues.
TEST(ImpactRun, PendulumSlidesThroughTheDeadPoint) {
  const ImpactRun run = RunChecked({Vec2(0.9, -0.9), Vec2(0.0, 0.0), 0.02, 0.0}, 6.0);
  int passages = 0;
  for (std::size_t i = 1; i < run.trajectory.size(); ++i) {
    const MotionSample &a = run.trajectory[i - 1], &b = run.trajectory[i];
    if (a.t != b.t || a.phase != MotionPhase::kSliding || b.phase != MotionPhase::kSliding)
      continue;
    if (a.tangential * b.tangential < 0.0 && b.w.norm() > 0.1) ++passages;
  }
  EXPECT_GT(passages, 0);
}

// With very strong friction, sliding jams (Painlevé), and the run always ends.
TEST(ImpactRun, RunWithStrongFrictionReachesItsEnd) {
  for (const double mu : {0.5, 1.0, 2.0, 5.0, 50.0}) {
    for (const double restitution : {0.0, 0.4, 0.9}) {
      SCOPED_TRACE(testing::Message() << mu << " " << restitution);
      ImpactRunStart start = PaperStart(mu);
      start.restitution = restitution;
      EXPECT_LT(RunChecked(start, 10.0).impacts.size(), 2000u);
    }
  }
}

// With any bodies, obstacles, damping, drives and friction every run reaches its end unless it
// jams, satisfies the energy balance, and stays above the obstacle.
TEST(ImpactRun, RandomPendulumsReachTheEndUnlessTheyJam) {
  test::Draw draw(1);
  int rest_count = 0;
  for (int i = 0; i < 100; ++i) {
    DoublePendulumParameters p;
    p.m1 = draw.Uniform(0.5, 5);
    p.m2 = draw.Uniform(0.5, 5);
    p.l1 = draw.Uniform(0.2, 1);
    p.l2 = draw.Uniform(0.2, 1);
    p.r = draw.Uniform(0.01, 0.2);
    p.lc = draw.Uniform(0.1, 1) * p.l2;
    p.I1 = p.m1 * p.l1 * p.l1 * draw.Uniform(0.02, 0.1);
    p.I2 = p.m2 * p.l2 * p.l2 * draw.Uniform(0.02, 0.1);
    p.D = p.l1 + draw.Uniform(0.01, 0.99) * (p.l2 + 2.0 * p.r);
    p.c2 = draw.Integer(0, 1) * draw.Uniform(0, 0.3);
    p.M01 = draw.Integer(0, 2) == 0 ? draw.Uniform(0, 20) : 0.0;
    p.Omega1 = draw.Uniform(0, 10);
    const DoublePendulum pendulum(p);
    ImpactRunStart start{Vec2(draw.Uniform(1.6, 4.6), draw.Uniform(1.6, 4.6)),
                         Vec2(draw.Uniform(-3, 3), draw.Uniform(-3, 3)),
                         std::pow(10.0, draw.Uniform(-2, 1)), draw.Uniform(0, 0.95)};
    if (pendulum.Contact(start.q, start.w).gap <= 0.0) continue;
    const ImpactRun run = Simulate(start, 15.0, p);
    // Only strong friction can jam. The run then reports it.
    if (start.mu < 0.5 || run.stop_reason.empty()) {
      ASSERT_EQ(run.stop_reason, "") << i;
      ASSERT_EQ(run.trajectory.back().t, 15.0);
    }
    ASSERT_NO_FATAL_FAILURE(ExpectBalanced(run, pendulum)) << i;
    ASSERT_NO_FATAL_FAILURE(ExpectAdmissible(run, pendulum, start.mu)) << i;
    rest_count += run.trajectory.back().phase == MotionPhase::kSticking;
  }
  EXPECT_GT(rest_count, 15);
}

TEST(ImpactRun, PendulumMayStartOnTheObstacle) {
  DoublePendulumParameters parameters;
  // Rod 1 points up and right, and the disk is on the plane. If the plane is rough, friction holds
  // the pendulum at rest.
  const double psi2 = std::acos((parameters.D - parameters.r - parameters.l1 * std::cos(0.3)) /
                                (parameters.l2 + parameters.r));
  const ImpactRun held_run = Simulate({Vec2(0.3, -psi2), Vec2::Zero(), 2.0, 0.9}, 1.0);
  EXPECT_TRUE(held_run.impacts.empty());
  EXPECT_EQ(held_run.trajectory.back().phase, MotionPhase::kSticking);
  const ImpactRun smooth = Simulate({Vec2(0.3, -psi2), Vec2::Zero(), 0.0, 0.9}, 1.0);
  EXPECT_TRUE(smooth.impacts.empty());
  EXPECT_EQ(smooth.trajectory.back().phase, MotionPhase::kSliding);
  EXPECT_GT(smooth.trajectory.back().w.norm(), 0.01);
  ExpectBalanced(smooth, DoublePendulum({}));
}

TEST(ImpactRun, ContactFreeRunHasOnlyATrajectory) {
  const ImpactRun run = Simulate({Vec2(1.4, 1.5), Vec2::Zero(), 0.1, 0.9}, 0.3);
  EXPECT_TRUE(run.impacts.empty());
  EXPECT_EQ(run.stop_reason, "");
  EXPECT_EQ(run.trajectory.size(), 31u) << "start, 29 samples, end";
}

TEST(ImpactRun, TooManyEventsStopTheRunWithAReason) {
  ImpactRunControl control;
  control.end = 20.0;
  control.max_events = 7;
  const ImpactRun run = RunWithImpacts(DoublePendulum({}), PaperStart(0.15), control);
  EXPECT_EQ(run.stop_reason, "more than 7 impacts and changes of phase");
  EXPECT_LT(run.trajectory.back().t, 20.0);
}

TEST(ImpactRun, MethodOfThePaperFindsTheImpactsLessAccurately) {
  for (const double mu : {0.0, 0.15}) {
    const ImpactRun exact = Simulate(PaperStart(mu), 6.0);
    double last_error = 0.0;
    for (const double step : {1e-3, 1e-4}) {
      ImpactRunControl control;
      control.end = 6.0;
      control.fixed_step = step;
      const ImpactRun run = RunWithImpacts(DoublePendulum({}), PaperStart(mu), control);
      ASSERT_EQ(run.impacts.size(), exact.impacts.size());
      double error = 0.0;
      for (std::size_t i = 0; i < run.impacts.size(); ++i) {
        error = std::max(error, std::abs(run.impacts[i].t - exact.impacts[i].t));
        EXPECT_EQ(RouthPath(run.impacts[i].solution), RouthPath(exact.impacts[i].solution));
      }
      EXPECT_LT(error, 1e3 * step * step) << "linear interpolation is of second order";
      EXPECT_GT(error, 1e-9);
      last_error = error;
    }
    EXPECT_LT(last_error, 1e-5);
  }
}

TEST(ImpactRun, MethodOfThePaperComesToRest) {
  ImpactRunControl control;
  control.end = 20.0;
  control.fixed_step = 1e-3;
  const ImpactRun run = RunWithImpacts(DoublePendulum({}), PaperStart(0.15), control);
  EXPECT_EQ(run.stop_reason, "");
  EXPECT_LT(run.impacts.size(), 1000u);
  EXPECT_EQ(run.trajectory.back().phase, MotionPhase::kSticking);
}

}  // namespace
}  // namespace scree::impact::impact_run_test
