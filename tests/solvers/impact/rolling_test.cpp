// A mass that rolls over a rough floor: the profile, its acceleration, the weight it carries, rest.
#include "solvers/impact/rolling.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "solvers/base/check.hpp"

namespace scree::impact::rolling_test {
namespace {

constexpr HuntCrossley kBall{0.01, 1e9, 0.5, 1.5};

TEST(RoughFloor, HasItsRoughness) {
  const RoughFloor floor(2e-6, 1e-4, 1e-2, 1);
  double squares = 0.0;
  constexpr int kPoints = 200000;
  for (int i = 0; i < kPoints; ++i) squares += std::pow(floor.Height(1e-5 * i), 2);
  EXPECT_NEAR(std::sqrt(squares / kPoints), 2e-6, 2e-8);
}

TEST(RoughFloor, AccelerationIsTheSecondDerivativeOverTime) {
  const RoughFloor floor(2e-6, 1e-3, 1e-2, 2);
  const double v = 0.3, a = -0.7, t = 0.2, dt = 1e-5;
  const auto place = [&](double at) { return v * at + 0.5 * a * at * at; };
  const auto height = [&](double at) { return floor.Height(place(at)); };
  const double expected = (height(t + dt) - 2.0 * height(t) + height(t - dt)) / (dt * dt);
  EXPECT_NEAR(floor.Acceleration(place(t), v + a * t, a), expected, 1e-3 * std::abs(expected));
}

TEST(Rolling, OnASmoothFloorTheWeightRests) {
  const RoughFloor floor(0.0, 1e-4, 1e-2, 1);
  int steps = 0;
  Roll({.model = kBall, .speed = 0.1, .deceleration = 1.0, .step = 1e-5}, floor,
       [&](const RollingSample& sample) {
         ++steps;
         EXPECT_NEAR(sample.force, 0.01 * 9.81, 1e-9);
       });
  EXPECT_NEAR(steps, 10000, 1);
}

// Gently shaken or bouncing, the floor carries the weight in the mean.
TEST(Rolling, TheMeanForceIsTheWeight) {
  for (const double rms : {1e-8, 1e-6}) {
    const RoughFloor floor(rms, 1e-4, 1e-2, 3);
    const RollingSetup setup{.model = kBall, .speed = 0.5, .deceleration = 0.5, .step = 2e-6};
    double impulse = 0.0, off = 0.0;
    Roll(setup, floor, [&](const RollingSample& sample) {
      impulse += sample.force * setup.step;
      if (sample.x <= 0.0) off += setup.step;
    });
    EXPECT_NEAR(impulse / (0.01 * 9.81 * 1.0), 1.0, 0.01) << "rms " << rms;
    EXPECT_EQ(off > 0.05, rms > 1e-7) << off;
  }
}

TEST(Rolling, RefusesWhatIsOutOfRange) {
  const RoughFloor floor(1e-6, 1e-4, 1e-2, 1);
  const auto nothing = [](const RollingSample&) {};
  EXPECT_THROW(RoughFloor(1e-6, 1e-2, 1e-4, 1), InputError);
  EXPECT_THROW(RoughFloor(-1.0, 1e-4, 1e-2, 1), InputError);
  EXPECT_THROW(Roll({.model = kBall, .speed = 0.0}, floor, nothing), InputError);
  EXPECT_THROW(Roll({.model = kBall, .deceleration = 1e-9}, floor, nothing), InputError);
}

}  // namespace
}  // namespace scree::impact::rolling_test
