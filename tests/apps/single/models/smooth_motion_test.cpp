// Motion with events: times of zero crossings, dips and peaks within one step, samples, stiffness.
#include "apps/single/models/smooth_motion.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "solvers/base/check.hpp"
#include "tests/support/draw.hpp"

namespace scree::impact::smooth_motion_test {
namespace {

constexpr double kPi = 3.14159265358979323846;
constexpr double kEventTolerance = 1e-12;  // stated accuracy of the times of events [s]

/// y = (x, v), x'' = −x.
void Oscillator(const MotionState& y, MotionState& derivative, double) {
  derivative = {y[1], -y[0]};
}
void Fall(const MotionState& y, MotionState& derivative, double) { derivative = {y[1], -1.0}; }

double Position(double, const MotionState& y) { return y[0]; }
double Velocity(double, const MotionState& y) { return y[1]; }

TEST(SmoothMotion, ZeroCrossingIsLocatedToRounding) {
  const MotionWatch watch{Position, Velocity};
  const MotionEnd end = FollowMotion(Oscillator, 0.0, {1.0, 0.0}, 10.0, {{watch}}, {}, {});
  EXPECT_EQ(end.watch, 0);
  EXPECT_NEAR(end.t, 0.5 * kPi, kEventTolerance);
  EXPECT_NEAR(end.y[1], -1.0, kEventTolerance);
}

TEST(SmoothMotion, EarliestZeroCrossingEndsTheMotion) {
  const MotionWatch later_watch{Position, Velocity};
  const MotionWatch earlier_watch{[](double, const MotionState& y) { return y[0] - 0.5; },
                                  Velocity};
  const MotionEnd end =
      FollowMotion(Oscillator, 0.0, {1.0, 0.0}, 10.0, {{later_watch, earlier_watch}}, {}, {});
  EXPECT_EQ(end.watch, 1);
  EXPECT_NEAR(end.t, kPi / 3.0, kEventTolerance);
}

TEST(SmoothMotion, MotionEndsWithoutAnEvent) {
  const MotionWatch watch{[](double, const MotionState& y) { return y[0] + 1.1; }, Velocity};
  const MotionEnd end = FollowMotion(Oscillator, 0.0, {1.0, 0.0}, 7.0, {{watch}}, {}, {});
  EXPECT_EQ(end.watch, -1);
  EXPECT_EQ(end.t, 7.0);
  EXPECT_NEAR(end.y[0], std::cos(7.0), 1e-11);
}

TEST(SmoothMotion, DipsOfAnyDepthAreFoundAndNoOthers) {
  test::Draw draw(25);
  for (int i = 0; i < 2000; ++i) {
    const double depth = std::pow(10.0, draw.Uniform(-11.5, -1.0)), phase = draw.Uniform(0.1, 3.0);
    const MotionState start = {std::cos(phase), -std::sin(phase)};
    const auto watch = [&](double depth_limit) -> MotionWatch {
      return {[=](double, const MotionState& y) { return y[0] + 1.0 - depth_limit; }, Velocity};
    };
    const double bottom = kPi - phase;
    MotionWatch dip = watch(depth), missed_dip = watch(-depth);
    if (start[0] + 1.0 < depth) continue;
    const MotionEnd end = FollowMotion(Oscillator, 0.0, start, 4.0, {{dip}}, {}, {});
    ASSERT_EQ(end.watch, 0) << "depth " << depth << ", phase " << phase;
    // An error of 1e-12 in x. A shallow dip is flat, so its time has a larger error.
    const double rate = std::sqrt(depth * (2.0 - depth));
    EXPECT_NEAR(end.t, std::acos(depth - 1.0) - phase, std::min(1e-6, 2e-12 / rate));
    EXPECT_LE(end.t, bottom + 1e-6);
    EXPECT_LT(end.y[1], 0.0) << "on the way down";
    EXPECT_EQ(FollowMotion(Oscillator, 0.0, start, 4.0, {{missed_dip}}, {}, {}).watch, -1);
  }
}

// The value turns more than once within one long step.
TEST(SmoothMotion, FirstDipOfALongStepCounts) {
  const MotionLaw constant_rate = [](const MotionState&, MotionState& d, double) { d = {1.0}; };
  const MotionWatch watch{
      [](double, const MotionState& y) { return 1.0 + std::cos(70.0 * y[0]) - 3.0 * y[0]; },
      [](double, const MotionState& y) { return -70.0 * std::sin(70.0 * y[0]) - 3.0; }};
  MotionControl control;
  control.first_step = control.longest_step = 0.1;
  const MotionEnd end = FollowMotion(constant_rate, 0.0, {0.0}, 1.0, {{watch}}, control, {});
  EXPECT_EQ(end.watch, 0);
  EXPECT_NEAR(1.0 + std::cos(70.0 * end.t), 3.0 * end.t, 1e-12);
  EXPECT_LT(end.t, kPi / 70.0);
}

// A short rise interrupts a fall. The rate has two zeros between two samples of a step, and the
// same sign at all samples. 3 of 2e5 random dips of pendulums were like this.
TEST(SmoothMotion, DipAndHopBetweenTwoSamplesAreFound) {
  test::Draw draw(5);
  const MotionLaw clock = [](const MotionState&, MotionState& derivative, double) {
    derivative = {1.0};
  };
  for (int i = 0; i < 300; ++i) {
    const double middle = draw.Uniform(0.2, 1.0), half = std::pow(10.0, draw.Uniform(-3.5, -2.3));
    // Minimum at middle − half, maximum at middle + half.
    const double offset = 2.0 * half * half * half * draw.Uniform(0.0, 0.95);
    const MotionWatch watch{[=](double t, const MotionState&) {
                              const double x = t - middle;
                              return 3.0 * half * half * x - x * x * x + offset;
                            },
                            [=](double t, const MotionState&) {
                              const double x = t - middle;
                              return 3.0 * (half * half - x * x);
                            }};
    const MotionEnd end = FollowMotion(clock, 0.0, {0.0}, 2.0, {{watch}}, {}, {});
    EXPECT_EQ(end.watch, 0);
    EXPECT_LE(end.t, middle - half) << "i = " << i << ", half = " << half;
  }
}

TEST(SmoothMotion, DipShallowerThanTheToleranceIsNoEvent) {
  MotionWatch watch{[](double, const MotionState& y) { return y[0] + 1.0 - 1e-12; }, Velocity};
  EXPECT_EQ(FollowMotion(Oscillator, 0.0, {1.0, 0.0}, 5.0, {{watch}}, {}, {}).watch, 0);
  watch.tolerance = 1e-11;
  EXPECT_EQ(FollowMotion(Oscillator, 0.0, {1.0, 0.0}, 5.0, {{watch}}, {}, {}).watch, -1);
}

// A hop of 2e-7 s, far within the first step, starting on the surface.
TEST(SmoothMotion, HopWithinTheFirstStepIsFound) {
  const MotionWatch watch{Position, Velocity};
  const MotionEnd end = FollowMotion(Fall, 3.0, {0.0, 1e-7}, 10.0, {{watch}}, {}, {});
  EXPECT_EQ(end.watch, 0);
  EXPECT_NEAR(end.t, 3.0 + 2e-7, kEventTolerance);
  EXPECT_NEAR(end.y[1], -1e-7, kEventTolerance);
}

TEST(SmoothMotion, RisingFromBelowIsNoEvent) {
  const MotionWatch watch{Position, Velocity};
  const MotionEnd end = FollowMotion(Fall, 0.0, {-0.5, 2.0}, 10.0, {{watch}}, {}, {});
  EXPECT_EQ(end.watch, 0);
  EXPECT_NEAR(end.t, 2.0 + std::sqrt(3.0), kEventTolerance) << "up through zero, and down again";
}

TEST(SmoothMotion, SampleTimesAreWholeMultiples) {
  std::vector<double> times;
  MotionControl control;
  control.sample_step = 0.25;
  const MotionWatch watch{Position, Velocity};
  FollowMotion(Oscillator, 0.1, {1.0, 0.0}, 10.0, {{watch}}, control,
               [&](double t, const MotionState& y) {
                 times.push_back(t);
                 EXPECT_NEAR(y[0], std::cos(t - 0.1), 1e-11);
               });
  EXPECT_EQ(times, (std::vector<double>{0.25, 0.5, 0.75, 1.0, 1.25, 1.5}));
}

TEST(SmoothMotion, EveryStepIsSampledByDefault) {
  int steps = 0;
  FollowMotion(Oscillator, 0.0, {1.0, 0.0}, 1.0, {}, {},
               [&](double, const MotionState&) { ++steps; });
  EXPECT_GT(steps, 10);
}

TEST(SmoothMotion, FixedStepsInterpolateLinearly) {
  const MotionWatch watch{Position, Velocity};
  const auto error = [&](double step) {
    MotionControl control;
    control.fixed_step = step;
    const MotionEnd end = FollowMotion(Fall, 0.0, {1.0, 0.0}, 10.0, {{watch}}, control, {});
    EXPECT_EQ(end.watch, 0);
    return std::abs(end.t - std::sqrt(2.0));
  };
  // The error of a chord is largest midway between steps: h²/8 x''/v = h²/(8 √2).
  EXPECT_LE(error(1e-2), 1e-4 / 8.0);
  EXPECT_LE(error(1e-3), 1e-6 / 8.0);
  EXPECT_GT(error(1e-2), 1e-8) << "it is the paper's method, not a better one";
}

TEST(SmoothMotion, InfiniteAndStiffMotionsAreErrors) {
  const MotionLaw explode = [](const MotionState& y, MotionState& d, double) { d = {y[0] * y[0]}; };
  EXPECT_THROW(FollowMotion(explode, 0.0, {1.0}, 2.0, {}, {}, {}), SimulationError);
  const MotionLaw stiff = [](const MotionState& y, MotionState& d, double) { d = {-1e12 * y[0]}; };
  EXPECT_THROW(FollowMotion(stiff, 0.0, {1.0}, 10.0, {}, {}, {}), SimulationError);
}

}  // namespace
}  // namespace scree::impact::smooth_motion_test
