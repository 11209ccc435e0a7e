// The work against cohesion: bodies that enter or leave the range lose and gain its energy.
#include "engine/contacts/attraction.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace scree::attraction_test {
namespace {

constexpr double kTolerance = 1e-12;
constexpr Attraction kAttraction = {.acceleration = 3.0, .range = 0.02};
constexpr Attraction After(double last_dt) {
  return {kAttraction.acceleration, kAttraction.range, last_dt};
}
// The energy per mass after a step: of the velocity at the gap, v − H, plus a min(ξ, d).
double Energy(double gap, double velocity, double dt) {
  const double at_gap = velocity - After(dt).LagAt(gap);
  return 0.5 * (at_gap * at_gap + kAttraction.WorkFrom(gap));
}
const double kEscape = std::sqrt(2.0 * 3.0 * 0.02);

TEST(Attraction, BodiesThatCanLeaveKeepTheirEnergyInStepsOfAnyLength) {
  for (const double dt : {1e-4, 3e-3, 0.1, 10.0}) {
    for (const double speed : {1.001 * kEscape, 2.0 * kEscape, 9.0 * kEscape}) {
      double gap = 0.0, velocity = speed;
      while (gap <= kAttraction.range) {
        velocity -= After(dt).ChangeInStep(gap, velocity, dt, false);
        gap += dt * velocity;
        ASSERT_NEAR(Energy(gap, velocity, dt), Energy(0.0, speed, dt), kTolerance)
            << dt << " " << speed;
      }
      EXPECT_NEAR(velocity, std::sqrt(speed * speed - kEscape * kEscape), kTolerance);
    }
  }
}

TEST(Attraction, OtherContactsGetTheFullPull) {
  const double dt = 0.1, full = 3.0 * dt;
  for (const double velocity : {-9.0, -0.1, 0.0, 0.1, 0.999 * full}) {
    EXPECT_EQ(kAttraction.ChangeInStep(0.0, velocity, dt, false), full) << "it stays in contact";
  }
  for (const double velocity : {-0.1, -0.01, 0.0, 0.01}) {
    EXPECT_NEAR(After(1e-3).ChangeInStep(0.01, velocity, 1e-3, false), 3e-3, kTolerance);
  }
  EXPECT_EQ(After(1e-3).ChangeInStep(0.02 - 1e-12, -1e-10, 1e-3, false), 3.0 * 1e-3) << "held";
  EXPECT_EQ(kAttraction.ChangeInStep(0.0, 2.0 * kEscape, dt, true), full) << "a loaded contact";
  EXPECT_LT(kAttraction.ChangeInStep(0.0, 2.0 * kEscape, dt, false), full);
  EXPECT_EQ(kAttraction.ChangeInStep(0.021, 0.1, dt, false), 0.0) << "out of the range";
  EXPECT_EQ(kAttraction.ChangeInStep(0.03, -0.09, dt, false), 0.0) << "it does not reach the range";
}

TEST(Attraction, BodiesThatEnterTheRangeGainTheWorkOnTheirPath) {
  const double speed = 1.0, dt = 0.01;
  for (const double start : {0.0299, 0.027, 0.025, 0.0221}) {
    const double velocity = -speed - kAttraction.ChangeInStep(start, -speed, dt, false);
    EXPECT_NEAR(Energy(start + dt * velocity, velocity, dt), Energy(start, speed, dt), kTolerance);
  }
  for (const double start : {0.0201, 0.021, 0.025, 0.1}) {
    const double change = kAttraction.ChangeInStep(start, -1e-3, 20.0, false);
    EXPECT_GE(change, 0.0);
    EXPECT_LE(change, 60.0) << "more than the full pull";
  }
}

/// Down to a gap that the next step may close, and in steps of two lengths.
TEST(Attraction, BodiesThatApproachKeepTheirEnergyInStepsOfAnyLength) {
  for (const double dt : {1e-4, 1e-3, 1e-2, 3e-2}) {
    for (const double speed : {0.01, 0.1, 0.4, 2.0}) {
      for (const double phase : {0.01, 0.2, 0.5, 0.8, 0.99}) {
        double gap = kAttraction.range + phase * dt * speed, velocity = -speed, last_dt = dt;
        for (int step = 0;; ++step) {
          const double next_dt = step % 3 == 2 ? 0.7 * dt : dt;
          if (gap + next_dt * (velocity - 2.0 * next_dt * kAttraction.acceleration) <= 0.0) break;
          velocity -= After(last_dt).ChangeInStep(gap, velocity, next_dt, false);
          gap += next_dt * velocity;
          last_dt = next_dt;
          ASSERT_NEAR(Energy(gap, velocity, last_dt), Energy(1.0, -speed, dt), kTolerance)
              << dt << " " << speed << " " << phase;
        }
      }
    }
  }
}

TEST(Attraction, ForcesActBeforeThePullOnBodiesThatEnter) {
  EXPECT_EQ(kAttraction.VelocityBefore(0.03, -1.0, -0.5), -1.5);
  EXPECT_EQ(kAttraction.VelocityBefore(0.03, -1.0, 0.5), -0.5);
  EXPECT_EQ(kAttraction.VelocityBefore(0.03, -0.1, -0.5), -0.1) << "it may be at rest";
  EXPECT_EQ(kAttraction.VelocityBefore(0.01, -1.0, -0.5), -1.0) << "within the range";
}

TEST(Attraction, VelocitiesBeforeTheFirstStepAreThoseAtTheGap) {
  EXPECT_EQ(kAttraction.LagAt(0.01), 0.0);
  EXPECT_EQ(kAttraction.ChangeInStep(0.01, 0.0, 1e-3, false), 0.5 * 3.0 * 1e-3);
}

}  // namespace
}  // namespace scree::attraction_test
