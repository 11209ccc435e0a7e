// Impacts that graze: the gap of a pendulum dips below zero by little and for a short time,
// anywhere within a step. None is missed, and where the gap stays open none is invented. SCREE_DIPS
// in the environment asks for more of them than the test has.
#include <gtest/gtest.h>

#include <Eigen/LU>
#include <cmath>
#include <cstdlib>
#include <memory>
#include <string>

#include "solvers/check.hpp"
#include "solvers/impact/double_pendulum.hpp"
#include "solvers/impact/impact_run.hpp"
#include "solvers/impact/pendulum_pair.hpp"
#include "tests/support/draw.hpp"

namespace scree::impact {
namespace {

constexpr int kDips = 500;  // of each mechanism
// What the integration there and back moves the gap by [m].
constexpr double kIntegrated = 1e-11;
constexpr double kLeastCurvature = 0.5;  // of the gap over time [m/s²]

int Dips() {
  const char* more = std::getenv("SCREE_DIPS");
  return more == nullptr ? kDips : std::stoi(more);
}

/// A mechanism, and where it is when its gap is least: −depth.
struct Dip {
  std::unique_ptr<ContactMechanism> mechanism;
  Vec2 q, w;
};

Dip ObstacleDip(test::Draw& draw, double depth) {
  DoublePendulumParameters p;
  const Vec2 q(draw.Uniform(-1.2, 1.2), draw.Uniform(-1.2, 1.2));
  p.D = p.l1 * std::cos(q[0]) + (p.l2 + p.r) * std::cos(q[1]) + p.r - depth;
  if (p.D < p.l1 + 0.01 || p.D > p.l1 + p.l2 + 2.0 * p.r - 0.001) return {};
  return {std::make_unique<DoublePendulum>(p), q, {}};
}

Dip PairDip(test::Draw& draw, double depth) {
  PendulumPairParameters p{.m2 = draw.Uniform(0.1, 2.0), .L2 = draw.Uniform(1.0, 4.0)};
  const Vec2 q(draw.Uniform(-1.0, 1.0), draw.Uniform(-1.2, 1.2));
  p.a = (p.L2 * std::sin(q[1] - q[0]) - depth) / std::cos(q[0]);
  if (p.a < 0.2) return {};
  p.L1 = p.L2 + p.a + 0.5;
  try {
    // The angles at the start only take off whole turns; a touching start is one that is allowed.
    return {std::make_unique<PendulumPair>(p, q - Vec2(0.0, 1e-3)), q, {}};
  } catch (const InputError&) {
    return {};
  }
}

/// Gives the dip a velocity along the surface. @returns the gap's curvature over time
double SetMoving(test::Draw& draw, Dip& dip) {
  const Vec2 closing = dip.mechanism->Contact(dip.q, Vec2::Zero()).closing;
  dip.w = draw.Uniform(-6.0, 6.0) * Vec2(-closing[1], closing[0]).normalized();
  const ContactGeometry contact = dip.mechanism->Contact(dip.q, dip.w);
  const Vec2 acceleration =
      dip.mechanism->Mass(dip.q).inverse() * dip.mechanism->Force(0.0, dip.q, dip.w);
  return contact.closing.dot(acceleration) + contact.closing_bias;
}

/// Where the motion was `before` the dip: motions without damping run backwards too.
/// @returns false if the gap was not open until shortly before
bool Rewind(Dip& dip, double before, double shortly) {
  const MotionLaw law = [&](const MotionState& y, MotionState& rate, double t) {
    const Vec2 q(y[0], y[1]), w(y[2], y[3]);
    const Vec2 a = dip.mechanism->Mass(q).inverse() * dip.mechanism->Force(t, q, w);
    rate = {y[2], y[3], a[0], a[1]};
  };
  bool open = true;
  MotionControl control;
  control.sample_step = 1e-3;
  control.longest_step = dip.mechanism->LongestStep();
  const MotionEnd end =
      FollowMotion(law, 0.0, {dip.q[0], dip.q[1], -dip.w[0], -dip.w[1]}, before, {}, control,
                   [&](double t, const MotionState& y) {
                     const Vec2 q(y[0], y[1]);
                     open = open && dip.mechanism->Limit(q) > 0.1 &&
                            (t < shortly || dip.mechanism->Contact(q, Vec2::Zero()).gap > 1e-6);
                   });
  dip.q = {end.y[0], end.y[1]};
  dip.w = {-end.y[2], -end.y[3]};
  return open && dip.mechanism->Contact(dip.q, dip.w).gap > 1e-6;
}

struct Found {
  int dips = 0, missed = 0, open = 0, invented = 0;
};

/// @param make  a mechanism whose gap is −depth at q, or none
template <class Make>
Found Count(Make make, std::uint64_t seed) {
  test::Draw draw(seed);
  Found found;
  while (found.dips < Dips()) {
    const double size = std::pow(10.0, draw.Uniform(std::log10(kIntegrated), -3.0));
    const bool is_open = draw.Uniform(0.0, 1.0) < 0.25;
    const double before = draw.Uniform(0.05, 0.4);
    Dip dip = make(draw, is_open ? -size : size);
    if (dip.mechanism == nullptr) continue;
    const double curvature = SetMoving(draw, dip);
    if (curvature < kLeastCurvature) continue;
    const double half = std::sqrt(2.0 * size / curvature);
    const double shortly = 3.0 * half + 3e-3;
    if (!Rewind(dip, before, shortly)) continue;
    ImpactRunControl control;
    // Where it stays open the motion may come down again, soon after.
    control.end = before + (is_open ? 1e-3 : 2.0 * half + 1e-3);
    const ImpactRun run = RunWithImpacts(*dip.mechanism, {dip.q, dip.w, 0.0, 0.5}, control);
    // Now and then a rewound motion has another, deeper dip between two samples.
    if (!run.impacts.empty() && run.impacts[0].t < before - shortly) {
      EXPECT_LT(run.impacts[0].problem.c, -1e-3);
      continue;
    }
    const bool hit = !run.impacts.empty() && run.impacts[0].t < before + half;
    (is_open ? found.open : found.dips) += 1;
    if (is_open && !run.impacts.empty()) {
      ++found.invented;
      ADD_FAILURE() << "invented: " << size << " m above the obstacle, at t = " << run.impacts[0].t
                    << " s of " << before << " s, c = " << run.impacts[0].problem.c << " m/s";
    }
    if (is_open || hit) continue;
    ++found.missed;
    ADD_FAILURE() << "missed: depth " << size << " m, " << before << " s after the start";
  }
  return found;
}

TEST(GrazingDips, OfTheDoublePendulum) {
  const Found found = Count(ObstacleDip, 1);
  EXPECT_EQ(found.missed, 0) << "of " << found.dips;
  EXPECT_EQ(found.invented, 0) << "of " << found.open;
  EXPECT_GT(found.open, found.dips / 10);
}

TEST(GrazingDips, OfThePendulumPair) {
  const Found found = Count(PairDip, 2);
  EXPECT_EQ(found.missed, 0) << "of " << found.dips;
  EXPECT_EQ(found.invented, 0) << "of " << found.open;
  EXPECT_GT(found.open, found.dips / 10);
}

}  // namespace
}  // namespace scree::impact
