// Stepping of the six point masses: free flight, the academic impact, energy, and dt → 0.
#include "solvers/one_contact/point_body_stepper.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "solvers/one_contact/contact_block.hpp"
#include "solvers/one_contact/contact_law.hpp"

namespace scree::point_body_stepper_test {
namespace {

constexpr ContactLaw kLaws[] = {ContactLaw::kMaxDissipation, ContactLaw::kCoulomb};

/// The point on the positive x axis touches the plane.
PointBodyState TouchingState(const PointBody& body) {
  PointBodyState state;
  state.x = Vec3(-body.distances[0], 0.0, 0.0);
  state.v = kAcademicApproach;
  return state;
}

TEST(PointBodyStepper, FreeFlightKeepsEnergyAndAngularMomentum) {
  const PointBody body{.masses = {1.0, 2.0, 3.0}, .distances = {1.0, 1.5, 0.5}};
  const GroundPlane plane{.normal = Vec3::UnitZ(), .mu = 0.0, .gravity = 9.81};
  PointBodyState state{.x = {0.0, 0.0, 100.0}, .v = {1.0, 0.0, 0.0}, .omega = {0.3, 2.0, 0.1}};
  const double energy_before = Energy(body, plane, state);
  const auto angular_momentum = [&] {
    const Vec3 body_omega = state.rotation.conjugate() * state.omega;
    return Vec3(state.rotation * Moments(body).cwiseProduct(body_omega));
  };
  const Vec3 initial_momentum = angular_momentum();
  for (int i = 0; i < 10000; ++i) {
    EXPECT_EQ(StepPointBody(body, plane, ContactLaw::kCoulomb, 1e-4, state), Vec3(Vec3::Zero()));
  }
  EXPECT_NEAR(state.x[0], 1.0, 1e-12);
  EXPECT_NEAR(state.x[2], 100.0 - 0.5 * 9.81 * 1.0001, 1e-9);
  EXPECT_LT((angular_momentum() - initial_momentum).norm(), 1e-3 * initial_momentum.norm());
  EXPECT_NEAR(Energy(body, plane, state), energy_before, 1e-3 * energy_before);
}

TEST(PointBodyStepper, FirstImpulseIsTheSolutionOfTheAcademicProblem) {
  const PointBody body;
  const GroundPlane plane;
  const Vec3 arm(body.distances[0], 0.0, 0.0);
  const BodyInertia inertia{1.0 / Mass(body), Moments(body).cwiseInverse().asDiagonal()};
  const Mat3 frame = ContactFrame(plane.normal);
  const OneContact contact{ContactBlock(frame, inertia, arm, {}, Vec3::Zero()),
                           -frame.transpose() * kAcademicApproach, plane.mu};
  for (const ContactLaw law : kLaws) {
    PointBodyState state = TouchingState(body);
    EXPECT_NEAR(Gap(body, plane, state), 0.0, 1e-15);
    const double energy_before = Energy(body, plane, state);
    const OneContactSolution expected = SolveOneContact(contact, law);
    const Vec3 impulse = StepPointBody(body, plane, law, 1e-3, state);
    EXPECT_LT((impulse - expected.x).norm(), 1e-12);
    EXPECT_NEAR(Energy(body, plane, state) - energy_before, expected.energy, 1e-6);
  }
  EXPECT_GT((SolveOneContact(contact, kLaws[0]).x - SolveOneContact(contact, kLaws[1]).x).norm(),
            1e-2);
}

TEST(PointBodyStepper, ContactsNeverGainEnergy) {
  const PointBody body{.masses = {1.0, 1.0, 1.0}, .distances = {0.5, 0.3, 0.2}};
  const GroundPlane plane{.normal = Vec3::UnitZ(), .mu = 0.5, .gravity = 9.81};
  for (const ContactLaw law : kLaws) {
    PointBodyState state{.x = {0.0, 0.0, 0.8}, .v = {1.0, 0.0, 0.0}, .omega = {2.0, 1.0, 3.0}};
    double total_impulse = 0.0;
    for (int i = 0; i < 20000; ++i) {
      const double energy_before = Energy(body, plane, state);
      const Vec3 impulse = StepPointBody(body, plane, law, 1e-4, state);
      total_impulse += impulse[0];
      EXPECT_LE(impulse.tail<2>().norm(), plane.mu * impulse[0] * (1.0 + 1e-12));
      EXPECT_LE(Energy(body, plane, state), energy_before + 1e-5) << "at step " << i;
      EXPECT_GT(Gap(body, plane, state), -2e-3);
    }
    EXPECT_GT(total_impulse, 1.0);
  }
}

TEST(PointBodyStepper, StepsConvergeWithTheFirstOrder) {
  const PointBody body;
  const GroundPlane plane;
  for (const ContactLaw law : kLaws) {
    const auto final_rotation = [&](int steps) {
      PointBodyState state = TouchingState(body);
      for (int i = 0; i < steps; ++i) StepPointBody(body, plane, law, 1.0 / steps, state);
      return state.rotation;
    };
    const Eigen::Quaterniond reference = final_rotation(32000);
    const double coarse_error = final_rotation(250).angularDistance(reference),
                 fine_error = final_rotation(500).angularDistance(reference);
    EXPECT_NEAR(coarse_error / fine_error, 2.0, 0.1);
  }
}

}  // namespace
}  // namespace scree::point_body_stepper_test
