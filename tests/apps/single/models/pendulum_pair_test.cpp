// The two pendulums: published impacts of the piecewise method, geometry, and the method's limits.
#include "apps/single/models/pendulum_pair.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>

#include "apps/single/models/impact_run.hpp"
#include "solvers/base/check.hpp"
#include "tests/support/contact_rates.hpp"
#include "tests/support/draw.hpp"
#include "tests/support/message_of.hpp"

namespace scree::impact::pendulum_pair_test {
namespace {

constexpr double kPi = 3.14159265358979323846;
constexpr double kPublishedError = 1e-8;  // required accuracy of times and velocities
const Vec2 kStart(kPi / 12.0, -kPi / 2.0);

ImpactRun Simulate(const Vec2& q, double restitution, double end) {
  ImpactRunControl control;
  control.end = end;
  return RunWithImpacts(PendulumPair({}, q), {q, Vec2::Zero(), 0.0, restitution}, control);
}

TEST(PendulumPair, PublishedImpactsAreReproduced) {
  struct PublishedImpact {
    double t;
    Vec2 q, velocity_before, velocity_after;
    double position, speed;
  };
  const PublishedImpact published[] = {{1.1424458183715558,
                                        {-0.054820056342720046, 0.4679116157831735},
                                        {-0.399706542428969, 2.5625491406881697},
                                        {-0.0757203312583481, -0.970582676318577},
                                        3.5754197247448944,
                                        10.310489925855446},
                                       {3.763188759933992,
                                        {0.07104319082039955, 0.5931862080054944},
                                        {-0.027003284034554972, 0.6898877891822974},
                                        {0.04632737357273853, -0.17030524019332627},
                                        3.3250425700428132,
                                        2.481634560598737},
                                       {6.694251411227819,
                                        {-0.03815588588054449, 0.4850227177176962},
                                        {0.10463759720792211, 0.661323943320695},
                                        {0.16454768045002788, 0.0018560834021984496},
                                        3.5412349097474705,
                                        1.9209025654509329}};
  const PendulumPair pair({}, kStart);
  const ImpactRun run = Simulate(kStart, 0.3, 8.0);
  ASSERT_EQ(run.impacts.size(), 3u);
  for (std::size_t i = 0; i < 3; ++i) {
    const Impact& impact = run.impacts[i];
    EXPECT_NEAR(impact.t, published[i].t, kPublishedError);
    EXPECT_LT((impact.q - published[i].q).norm(), kPublishedError);
    EXPECT_LT((impact.velocity_before - published[i].velocity_before).norm(), kPublishedError);
    EXPECT_LT((impact.velocity_after - published[i].velocity_after).norm(), kPublishedError);
    EXPECT_NEAR(pair.DistanceAlong(impact.q), published[i].position, kPublishedError);
    EXPECT_NEAR(impact.problem.c, -published[i].speed, kPublishedError);
    EXPECT_NEAR(impact.solution.c, 0.3 * published[i].speed, kPublishedError);
  }
  const MotionSample& end = run.trajectory.back();
  EXPECT_LT((end.q - Vec2(0.1109791324544799, -0.3790980418116827)).norm(), kPublishedError);
  EXPECT_LT((end.w - Vec2(-0.021705495372917175, -0.5711341318713381)).norm(), kPublishedError);
  EXPECT_NEAR(pair.Energy(end.q, end.w) + end.balance.struck, pair.Energy(kStart, Vec2::Zero()),
              1e-9);
}

TEST(PendulumPair, FourthImpactFollowsThePublishedThree) {
  const ImpactRun run = Simulate(kStart, 0.3, 9.8);
  ASSERT_EQ(run.impacts.size(), 4u);
  EXPECT_NEAR(run.impacts[3].t, 9.7287, 5e-5);
}

TEST(PendulumPair, RatesAreDerivatives) {
  constexpr double kDifference = 1e-5, kDifferenceError = 1e-6;
  const PendulumPair pair({}, kStart);
  test::Draw draw(1);
  for (int i = 0; i < 100; ++i) {
    const Vec2 q(draw.Uniform(-1.5, 1.5), draw.Uniform(-1.5, 1.5));
    const Vec2 w(draw.Uniform(-2, 2), draw.Uniform(-2, 2));
    test::ExpectRatesAreDerivatives(pair, q, w, kDifference, kDifferenceError);
    const auto rate = [](double high, double low) { return (high - low) / (2.0 * kDifference); };
    // Forces are minus the slopes of the potential.
    const Vec2 force = pair.Force(0.0, q, w);
    EXPECT_NEAR(force.dot(w),
                -rate(pair.Energy(q + kDifference * w, Vec2::Zero()),
                      pair.Energy(q - kDifference * w, Vec2::Zero())),
                1e2 * kDifferenceError);
  }
}

// Tip 2 is on either side of rod 1, below and above the pivots, next to the rod or behind its
// pivot.
TEST(PendulumPair, GapIsTheDistanceFromTheSegment) {
  const PendulumPairParameters p;
  test::Draw draw(2);
  int behind_pivot = 0, beside_rod = 0;
  for (int i = 0; i < 2000; ++i) {
    const Vec2 q(draw.Uniform(-0.5, 1.5) * kPi, draw.Uniform(-1.5, 0.5) * kPi);
    std::unique_ptr<PendulumPair> pair;
    try {
      pair = std::make_unique<PendulumPair>(p, q);
    } catch (const InputError&) {
      continue;  // the rods cross
    }
    const Vec2 tip(-p.a + p.L2 * std::sin(q[1]), -p.L2 * std::cos(q[1]));
    const Vec2 rod(std::sin(q[0]), -std::cos(q[0]));
    const Vec2 nearest_point = std::clamp(tip.dot(rod), 0.0, p.L1) * rod;
    EXPECT_NEAR(pair->Contact(q, Vec2::Zero()).gap, (tip - nearest_point).norm(), 1e-14);
    (tip.dot(rod) < 0.0 ? behind_pivot : beside_rod) += 1;
  }
  EXPECT_GT(behind_pivot, 300);
  EXPECT_GT(beside_rod, 300);
}

// Rod 1 swings up until its backward extension passes tip 2, which is 6 m behind the pivot. Only
// then does tip 2 reach the other face.
TEST(PendulumPair, BackwardExtensionOfARodIsNoObstacle) {
  const PendulumPairParameters p{.m2 = 2.0};
  const Vec2 start(1.0, -0.5 * kPi);
  const PendulumPair pair(p, start);
  ImpactRunControl control;
  control.end = 8.0;
  const ImpactRun run = RunWithImpacts(pair, {start, Vec2(3.0, 0.0), 0.0, 0.3}, control);
  for (const Impact& impact : run.impacts) {
    EXPECT_GE(pair.DistanceAlong(impact.q), 0.0) << "at t = " << impact.t;
    EXPECT_GT(impact.t, 0.3);
  }
  for (const MotionSample& sample : run.trajectory) {
    EXPECT_GE(pair.Contact(sample.q, sample.w).gap, -1e-12);
  }
}

TEST(PendulumPair, RodsMayTouchAtTheStart) {
  for (const double theta1 : {-0.3, 0.05, 0.3}) {
    const Vec2 start(theta1, theta1 + std::asin(2.0 * std::cos(theta1) / 4.0));
    const PendulumPair pair({}, start);
    for (const MotionSample& sample : Simulate(start, 0.3, 1.0).trajectory) {
      EXPECT_GE(pair.Contact(sample.q, sample.w).gap, -1e-12);
    }
  }
}

TEST(PendulumPair, SwingingOverAPivotStopsTheRunWithAReason) {
  // Rod 1 is thrown to the left, where pivot 2 is.
  ImpactRunControl control;
  control.end = 5.0;
  const ImpactRun run =
      RunWithImpacts(PendulumPair({}, kStart), {kStart, Vec2(8.0, 0.0), 0.0, 0.3}, control);
  EXPECT_NE(run.stop_reason.find("pivot"), std::string::npos);
  EXPECT_LT(run.trajectory.back().t, 5.0);
}

TEST(PendulumPair, ImpossibleGeometryIsNamed) {
  const auto message = [](const PendulumPairParameters& p, const Vec2& q) {
    return MessageOf<InputError>([&] { PendulumPair pair(p, q); });
  };
  EXPECT_EQ(message({.m1 = -1.0}, kStart).substr(0, 7), "m1 = -1");
  EXPECT_EQ(message({.a = 0.0}, kStart).substr(0, 5), "a = 0");
  EXPECT_EQ(message({.L1 = 5.0}, kStart).substr(0, 6), "L1 = 5");
  EXPECT_EQ(message({.g = std::nan("")}, kStart).substr(0, 5), "g = n");
  EXPECT_NE(message({}, Vec2(-0.3, 0.9)).find("cross"), std::string::npos);
  EXPECT_NE(message({}, Vec2(std::nan(""), 0.0)).find("finite"), std::string::npos);
  EXPECT_NO_THROW(PendulumPair({}, kStart + Vec2(2.0 * kPi, -4.0 * kPi))) << "whole turns";
}

}  // namespace
}  // namespace scree::impact::pendulum_pair_test
