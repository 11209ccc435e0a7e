// Grazing impacts: the gap of a pendulum dips slightly below zero for a short time, anywhere within
// a step of the program. A second integration with short fixed steps determines whether and when
// this happens. The program must find all dips and no others.
//
//   SCREE_DIPS=100000 SCREE_TEST_SEED=7 test_apps.single.models --gtest_filter='GrazingDips.*'
//
// tests 1e5 dips of each mechanism; each seed has different dips.
#include <gtest/gtest.h>

#include <Eigen/LU>
#include <array>
#include <boost/math/tools/roots.hpp>
#include <boost/numeric/odeint.hpp>
#include <cmath>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include "apps/single/models/double_pendulum.hpp"
#include "apps/single/models/impact_run.hpp"
#include "apps/single/models/pendulum_pair.hpp"
#include "solvers/base/check.hpp"
#include "tests/support/draw.hpp"

namespace scree::impact::grazing_dips_test {
namespace {

constexpr int kDips = 500;  // of each mechanism
// The smallest depth that counts [m]. Within the longest run the program's integration error
// changes the gap by about a fifth of it (GrazingDips.GapOfTheProgramAgreesWithTheReference).
constexpr double kMinDepth = 1e-12;
constexpr double kLongestRun = 0.25;     // before a dip [s]
constexpr double kReferenceStep = 1e-3;  // [s]

int DipCount() {
  const char* setting = std::getenv("SCREE_DIPS");
  return setting == nullptr ? kDips : std::stoi(setting);
}

struct Flight {
  std::unique_ptr<ContactMechanism> mechanism;
  Vec2 q, w;
};

/// The free motion by Fehlberg's Runge-Kutta 7(8) with fixed steps, without interpolation and
/// without the obstacle.
class Reference {
 public:
  using State = std::array<double, 4>;

  Reference(const Flight& flight, double end, double step = kReferenceStep)
      : mechanism_(*flight.mechanism), step_(step) {
    states_ = {{flight.q[0], flight.q[1], flight.w[0], flight.w[1]}};
    const int steps = static_cast<int>(std::ceil(end / step));
    step_ = end / steps;
    for (int i = 0; i < steps; ++i) states_.push_back(StateAfter(states_.back(), step_));
  }

  const State& End() const { return states_.back(); }
  State StateAt(double t) const {
    const std::size_t i = std::min(static_cast<std::size_t>(t / step_), states_.size() - 1);
    return StateAfter(states_[i], t - static_cast<double>(i) * step_);
  }
  double Gap(const State& y) const { return mechanism_.Contact({y[0], y[1]}, {0.0, 0.0}).gap; }
  double Rate(const State& y) const {
    const Vec2 w(y[2], y[3]);
    return mechanism_.Contact({y[0], y[1]}, w).opening.dot(w);
  }
  bool IsValid() const {
    for (const State& y : states_) {
      if (mechanism_.ValidityMargin({y[0], y[1]}) < 0.1) return false;
    }
    return true;
  }

  struct GapMinimum {
    double t, gap;
  };
  /// The local minima of the gap: between a fall and a rise, and at the end of a fall.
  std::vector<GapMinimum> MinGaps() const {
    std::vector<GapMinimum> minima;
    for (std::size_t i = 0; i + 1 < states_.size(); ++i) {
      const double low = Rate(states_[i]), high = Rate(states_[i + 1]);
      if (!(low < 0.0 && high >= 0.0)) continue;
      std::uintmax_t iterations = 100;
      const auto rate = [&](double s) { return Rate(StateAfter(states_[i], s)); };
      const double s = high == 0.0 ? step_
                                   : boost::math::tools::toms748_solve(
                                         rate, 0.0, step_, low, high,
                                         boost::math::tools::eps_tolerance<double>(50), iterations)
                                         .first;
      minima.push_back({static_cast<double>(i) * step_ + s, Gap(StateAfter(states_[i], s))});
    }
    if (Rate(End()) < 0.0) {
      minima.push_back({static_cast<double>(states_.size() - 1) * step_, Gap(End())});
    }
    return minima;
  }

 private:
  State StateAfter(State y, double time) const {
    boost::numeric::odeint::runge_kutta_fehlberg78<State> stepper;
    stepper.do_step(
        [this](const State& x, State& rate, double t) {
          const Vec2 q(x[0], x[1]), w(x[2], x[3]);
          const Vec2 a = mechanism_.Mass(q).inverse() * mechanism_.Force(t, q, w);
          rate = {x[2], x[3], a[0], a[1]};
        },
        y, 0.0, time);
    return y;
  }

  const ContactMechanism& mechanism_;
  double step_;
  std::vector<State> states_;
};

/// A mechanism at rest whose gap is −depth. Nothing if the lengths do not allow it.
Flight ObstacleDip(test::Draw& draw, double depth) {
  DoublePendulumParameters p;
  const Vec2 q(draw.Uniform(-1.2, 1.2), draw.Uniform(-1.2, 1.2));
  p.D = p.l1 * std::cos(q[0]) + (p.l2 + p.r) * std::cos(q[1]) + p.r - depth;
  if (p.D < p.l1 + 0.01 || p.D > p.l1 + p.l2 + 2.0 * p.r - 0.001) return {};
  return {std::make_unique<DoublePendulum>(p), q, {}};
}

Flight PairDip(test::Draw& draw, double depth) {
  PendulumPairParameters p{.m2 = draw.Uniform(0.1, 2.0), .L2 = draw.Uniform(1.0, 4.0)};
  const Vec2 q(draw.Uniform(-1.0, 1.0), draw.Uniform(-1.2, 1.2));
  p.a = (p.L2 * std::sin(q[1] - q[0]) - depth) / std::cos(q[0]);
  if (p.a < 0.2) return {};
  p.L1 = p.L2 + p.a + 0.5;
  try {
    // The start only determines the number of whole turns that are subtracted. It may be in
    // contact.
    return {std::make_unique<PendulumPair>(p, q - Vec2(0.0, 1e-3)), q, {}};
  } catch (const InputError&) {
    return {};
  }
}

/// A flight whose gap dips to minus a random depth after about this duration, or comes equally near
/// to zero without contact. Nothing if the random draw does not allow it. The motion has no damping
/// and so is reversible: it is computed backwards from the deepest point.
template <class Make>
Flight DrawFlight(Make make_mechanism, test::Draw& draw, double duration) {
  const double depth = std::pow(10.0, draw.Uniform(std::log10(kMinDepth), -3.0));
  const bool stays_open = draw.Uniform(0.0, 1.0) < 0.25;
  Flight flight = make_mechanism(draw, stays_open ? -depth : depth);
  const double speed = draw.Uniform(-6.0, 6.0);
  if (flight.mechanism == nullptr) return {};
  const Vec2 opening = flight.mechanism->Contact(flight.q, Vec2::Zero()).opening;
  flight.w = -speed * Vec2(-opening[1], opening[0]).normalized();  // backwards
  const Reference backward_run(flight, duration);
  flight.q = {backward_run.End()[0], backward_run.End()[1]};
  flight.w = -Vec2(backward_run.End()[2], backward_run.End()[3]);
  if (!backward_run.IsValid() || flight.mechanism->Contact(flight.q, flight.w).gap < 1e-6)
    return {};
  return flight;
}

struct Tally {
  int dips = 0, open = 0, missed = 0, spurious = 0;
};

/// Data to repeat a failure.
std::string Describe(const Flight& flight, double end) {
  const double gap = flight.mechanism->Contact(flight.q, flight.w).gap;
  return Text("from q = ", flight.q[0], ", ", flight.q[1], ", w = ", flight.w[0], ", ", flight.w[1],
              ", gap ", gap, " to t = ", end);
}

/// Compares the first impact of a run with the free motion. If the free motion goes below
/// −kMinDepth, there must be an impact before. At an impact the gap must be zero and decreasing.
void CheckFlight(const Flight& flight, double end, Tally& tally) {
  const Reference reference(flight, end);
  if (!reference.IsValid()) return;
  double contact_time = HUGE_VAL, min = HUGE_VAL;
  for (const auto& [t, gap] : reference.MinGaps()) {
    min = std::min(min, gap);
    if (gap < -kMinDepth) contact_time = std::min(contact_time, t);
  }
  ImpactRunControl control;
  control.end = end;
  control.sample_step = end;
  control.max_events = 1;
  const ImpactRun run = RunWithImpacts(*flight.mechanism, {flight.q, flight.w, 0.0, 0.5}, control);
  const double t = run.impacts.empty() ? HUGE_VAL : run.impacts[0].t;
  tally.dips += contact_time < HUGE_VAL ? 1 : 0;
  tally.open += min > kMinDepth ? 1 : 0;
  if (contact_time < t) {
    ++tally.missed;
    ADD_FAILURE() << "missed: due before t = " << contact_time << " s, smallest gap " << min
                  << " m, " << Describe(flight, end);
  }
  if (t == HUGE_VAL) return;
  const Reference::State state = reference.StateAt(t);
  const double gap = reference.Gap(state), rate = reference.Rate(state);
  // At the bottom of the shallowest dip that counts, the rate may have just passed zero.
  constexpr double kSlow = 1e-5;
  if (std::abs(gap) > kMinDepth || rate > kSlow) {
    ++tally.spurious;
    ADD_FAILURE() << "spurious: at t = " << t << " s the gap is " << gap << " m and changes by "
                  << rate << " m/s, " << Describe(flight, end);
  }
}

/// @param make_mechanism  returns a mechanism whose gap is −depth, or none
template <class Make>
Tally CheckFlights(Make make_mechanism, std::uint64_t seed) {
  test::Draw draw(seed);
  Tally tally;
  while (tally.dips < DipCount()) {
    const double time_before = draw.Uniform(0.02, kLongestRun);
    const double time_after = std::pow(10.0, draw.Uniform(-4.0, -1.3));
    const Flight flight = DrawFlight(make_mechanism, draw, time_before);
    if (flight.mechanism != nullptr) CheckFlight(flight, time_before + time_after, tally);
  }
  return tally;
}

template <class Make>
void ExpectAllFound(Make make_mechanism, std::uint64_t seed) {
  const Tally tally = CheckFlights(make_mechanism, seed);
  EXPECT_EQ(tally.missed, 0) << "of " << tally.dips;
  EXPECT_EQ(tally.spurious, 0) << "of " << tally.dips;
  EXPECT_GT(tally.open, tally.dips / 20);
  ::testing::Test::RecordProperty("dips", tally.dips);
  ::testing::Test::RecordProperty("open", tally.open);
}

TEST(GrazingDips, DipsOfTheDoublePendulumAreFound) { ExpectAllFound(ObstacleDip, 1); }

TEST(GrazingDips, DipsOfThePendulumPairAreFound) { ExpectAllFound(PairDip, 2); }

/// The largest differences of the gap: between half and whole steps of the reference, and between
/// the program's samples and the reference.
struct Deviation {
  double steps = 0.0, program = 0.0;
};

template <class Make>
Deviation MaxDeviation(Make make_mechanism, std::uint64_t seed) {
  constexpr double kEndTime = kLongestRun + 0.05;
  test::Draw draw(seed);
  Deviation max_deviation;
  for (int i = 0; i < 50;) {
    const Flight flight = DrawFlight(make_mechanism, draw, kLongestRun);
    if (flight.mechanism == nullptr) continue;
    ++i;
    const Reference whole_steps(flight, kEndTime),
        half_steps(flight, kEndTime, 0.5 * kReferenceStep);
    max_deviation.steps =
        std::max(max_deviation.steps,
                 std::abs(whole_steps.Gap(whole_steps.End()) - half_steps.Gap(half_steps.End())));
    ImpactRunControl control;
    control.end = kEndTime;
    const ImpactRun run =
        RunWithImpacts(*flight.mechanism, {flight.q, flight.w, 0.0, 0.5}, control);
    for (const MotionSample& x : run.trajectory) {
      if (!run.impacts.empty() && x.t > run.impacts[0].t) break;
      const double gap = flight.mechanism->Contact(x.q, x.w).gap;
      max_deviation.program = std::max(max_deviation.program,
                                       std::abs(gap - whole_steps.Gap(whole_steps.StateAt(x.t))));
    }
  }
  return max_deviation;
}

TEST(GrazingDips, GapOfTheProgramAgreesWithTheReference) {
  for (const Deviation& max_deviation : {MaxDeviation(ObstacleDip, 3), MaxDeviation(PairDip, 4)}) {
    EXPECT_LT(max_deviation.steps, 0.1 * kMinDepth);  // rounding of some 300 and 600 steps
    EXPECT_LT(max_deviation.program, kMinDepth);
    EXPECT_GT(max_deviation.program, 0.0);
  }
}

}  // namespace
}  // namespace scree::impact::grazing_dips_test
