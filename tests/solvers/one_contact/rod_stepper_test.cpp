// Stepping of a rod on the ground: free fall, rest, sliding, energy, and dt → 0.
#include "solvers/one_contact/rod_stepper.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace scree::rod_stepper_test {
namespace {

constexpr ContactLaw kLaws[] = {ContactLaw::kMaxDissipation, ContactLaw::kCoulomb};

RodState TouchingRod(const Rod& rod, double theta) {
  return {.y = 0.5 * rod.length * std::sin(theta), .theta = theta};
}

RodState Integrate(const Rod& rod, ContactLaw law, RodState state, double end, int steps) {
  for (int i = 0; i < steps; ++i) StepRod(rod, law, end / steps, state);
  return state;
}

TEST(RodStepper, FreeRodFallsWithGravity) {
  const Rod rod;
  RodState state{.y = 10.0, .theta = 0.3, .vx = 2.0, .omega = 1.0};
  for (int i = 0; i < 100; ++i) {
    EXPECT_EQ(StepRod(rod, ContactLaw::kCoulomb, 0.01, state), Vec3(Vec3::Zero()));
  }
  EXPECT_NEAR(state.y, 10.0 - 0.5 * 9.81 * 1.0 * 1.01, 1e-12);
  EXPECT_NEAR(state.x, 2.0, 1e-12);
  EXPECT_NEAR(state.theta, 1.3, 1e-12);
}

TEST(RodStepper, ContactGainsNoEnergyAndHardlyPenetrates) {
  const Rod rod{.mu = 0.4};
  for (const ContactLaw law : kLaws) {
    RodState state{.y = 0.8, .theta = 0.7, .vx = 1.0, .vy = -2.0, .omega = 3.0};
    const double dt = 1e-4;
    for (int i = 0; i < 3000; ++i) {
      const double energy_before = Energy(rod, state);
      const Vec3 impulse = StepRod(rod, law, dt, state);
      EXPECT_LE(std::abs(impulse[1]), rod.mu * impulse[0] + 1e-12);
      EXPECT_NEAR(impulse[2], 0.0, 1e-15);
      EXPECT_LE(Energy(rod, state), energy_before + 1e-9) << "at step " << i;
      EXPECT_GT(Gap(rod, state), -1e-4);
    }
  }
}

// Painlevé's paradox occurs above a friction threshold, whose minimum is 4/3, at tan θ = 2. Far
// below this threshold the forces on the sliding rod are finite, and steps of both laws
// converge with first order.
TEST(RodStepper, StepsConvergeWithTheFirstOrder) {
  const Rod rod{.mu = 0.3};
  RodState start = TouchingRod(rod, std::atan(2.0));
  start.vx = -1.0;
  for (const ContactLaw law : kLaws) {
    const RodState reference = Integrate(rod, law, start, 0.1, 64000);
    const double coarse_error =
        std::abs(Integrate(rod, law, start, 0.1, 500).theta - reference.theta);
    const double fine_error =
        std::abs(Integrate(rod, law, start, 0.1, 1000).theta - reference.theta);
    EXPECT_NEAR(coarse_error / fine_error, 2.0, 0.1);
    EXPECT_LT(fine_error, 1e-3);
  }
}

// Above the threshold an impulse ends the slip in one step of any length (Painlevé's paradox).
TEST(RodStepper, SlipAboveTheThresholdEndsInOneStepOfAnyLength) {
  const Rod rod{.mu = 2.0};
  for (const double dt : {1e-3, 1e-5, 1e-7}) {
    RodState state = TouchingRod(rod, std::atan(2.0));
    state.vx = -1.0;
    const Vec3 impulse = StepRod(rod, ContactLaw::kMaxDissipation, dt, state);
    EXPECT_NEAR(impulse[1], 1.0 / 2.5, 1e-2) << "does not vanish with dt";
    const double tip_velocity = state.vx + state.omega * 0.5 * std::sin(state.theta);
    EXPECT_NEAR(tip_velocity, 0.0, 1e-2);
  }
}

}  // namespace
}  // namespace scree::rod_stepper_test
