// The work against cohesion: bodies that enter or leave the range lose and gain its energy.
#include "engine/contacts/attraction.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace scree::attraction_test {
namespace {

constexpr double kTolerance = 1e-12;
constexpr Attraction kAttraction = {.acceleration = 3.0, .range = 0.02};
// v²/2 + a min(ξ, d), the energy per mass.
double Energy(double gap, double velocity) {
  return 0.5 * velocity * velocity + kAttraction.acceleration * std::clamp(gap, 0.0, 0.02);
}
const double kEscape = std::sqrt(2.0 * 3.0 * 0.02);

TEST(Attraction, BodiesThatCanLeaveKeepTheirEnergyInStepsOfAnyLength) {
  for (const double dt : {1e-4, 3e-3, 0.1, 10.0}) {
    for (const double speed : {1.001 * kEscape, 2.0 * kEscape, 9.0 * kEscape}) {
      double gap = 0.0, velocity = speed;
      while (gap <= kAttraction.range) {
        velocity -= kAttraction.ChangeInStep(gap, velocity, dt, false);
        gap += dt * velocity;
        ASSERT_NEAR(Energy(gap, velocity), Energy(0.0, speed), kTolerance) << dt << " " << speed;
      }
      EXPECT_NEAR(velocity, std::sqrt(speed * speed - kEscape * kEscape), kTolerance);
    }
  }
}

TEST(Attraction, OtherContactsGetTheFullPull) {
  const double dt = 0.1, full = 3.0 * dt;
  for (const double velocity : {-9.0, -0.1, 0.0, 0.1, 0.999 * kEscape}) {
    EXPECT_EQ(kAttraction.ChangeInStep(0.0, velocity, dt, false), full);
  }
  EXPECT_EQ(kAttraction.ChangeInStep(0.0, 2.0 * kEscape, dt, true), full) << "a loaded contact";
  EXPECT_LT(kAttraction.ChangeInStep(0.0, 2.0 * kEscape, dt, false), full);
  EXPECT_EQ(kAttraction.ChangeInStep(0.021, 0.1, dt, false), 0.0) << "out of the range";
  EXPECT_EQ(kAttraction.ChangeInStep(0.03, -0.09, dt, false), 0.0) << "it does not reach the range";
}

TEST(Attraction, BodiesThatEnterTheRangeGainTheWorkOnTheirPath) {
  const double speed = 1.0, dt = 0.01;
  for (const double start : {0.0299, 0.027, 0.025, 0.0221}) {
    const double velocity = -speed - kAttraction.ChangeInStep(start, -speed, dt, false);
    EXPECT_NEAR(Energy(start + dt * velocity, velocity), Energy(start, speed), kTolerance);
  }
  for (const double start : {0.0201, 0.021, 0.025, 0.1}) {
    const double change = kAttraction.ChangeInStep(start, -1e-3, 20.0, false);
    EXPECT_GE(change, 0.0);
    EXPECT_LE(change, 60.0) << "more than the full pull";
  }
}

}  // namespace
}  // namespace scree::attraction_test
