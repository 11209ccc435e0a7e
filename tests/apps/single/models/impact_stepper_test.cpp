// The four steppers: samples of an independent implementation, stored force, free flight, orders of
// convergence.
#include "apps/single/models/impact_stepper.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <map>
#include <string>
#include <vector>

#include "tests/support/csv_rows.hpp"

namespace scree::impact::impact_stepper_test {
namespace {

// The reference stops Newton's iteration at another tolerance; the explicit methods agree much
// better.
constexpr double kSampleTolerance = 1e-10;

struct Sample {
  double x, v;
};
using Trajectories = std::map<std::pair<std::string, std::string>, std::vector<Sample>>;

Trajectories ReadTrajectories() {
  Trajectories trajectories;
  for (const auto& row : test::ReadRows("hunt_crossley_trajectories.csv")) {
    trajectories[{row[0], row[1]}].push_back({std::stod(row[3]), std::stod(row[4])});
  }
  return trajectories;
}

StepperSystem CaseSystem(const std::string& name) {
  StepperSystem system;
  system.model =
      name == "IIa" ? HuntCrossley{0.01, 1e7, 0.01, 1.3} : HuntCrossley{0.01, 1e9, 0.5, 1.5};
  return system;
}

TEST(ImpactStepper, SamplesMatchTheReference) {
  const Trajectories trajectories = ReadTrajectories();
  ASSERT_EQ(trajectories.size(), 8u);
  for (const auto& [key, samples] : trajectories) {
    SCOPED_TRACE(key.first + " " + key.second);
    for (const ImpactMethod method : kImpactMethods) {
      if (Name(method) != key.second) continue;
      ImpactStepper stepper(method, CaseSystem(key.first));
      StepperState state{0.0, samples[0].v, 0.0, samples[0].v};
      for (std::size_t n = 1; n < samples.size(); ++n) {
        stepper.Step(state);
        EXPECT_NEAR(state.x, samples[n].x, kSampleTolerance * samples[1].x) << "sample " << n;
        EXPECT_NEAR(state.v, samples[n].v, kSampleTolerance * samples[0].v) << "sample " << n;
      }
    }
  }
}

TEST(ImpactStepper, StoredForceBelongsToThePredictedVelocity) {
  const StepperSystem system = CaseSystem("IIb");
  for (const ImpactMethod method : kImpactMethods) {
    SCOPED_TRACE(Name(method));
    StepperState state{1e-5, 0.5, 0.0, 0.5};
    state.force = ForceOnMass(system, state.x, state.v);
    ImpactStepper(method, system).Step(state);
    const double force = ForceOnMass(system, state.x, state.force_velocity);
    // With Adams-Moulton it is the force of the last Newton iteration.
    EXPECT_NEAR(state.force, force, 1e-12 * std::abs(force));
    const bool predicts_velocity = method == ImpactMethod::kVerlet || method == ImpactMethod::kHeun;
    EXPECT_EQ(state.force_velocity != state.v, predicts_velocity);
  }
}

TEST(ImpactStepper, OnlyTheExternalForceActsOutOfContact) {
  StepperSystem system = CaseSystem("IIb");
  system.external_force = 0.0981;
  const double a = system.external_force / system.model.mass, t = 10 * system.h;
  for (const ImpactMethod method : kImpactMethods) {
    SCOPED_TRACE(Name(method));
    ImpactStepper stepper(method, system);
    StepperState state{-1.0, -0.5, system.external_force, -0.5};
    for (int i = 0; i < 10; ++i) stepper.Step(state);
    EXPECT_NEAR(state.x, -1.0 - 0.5 * t + 0.5 * a * t * t, 1e-14);
    EXPECT_NEAR(state.v, -0.5 + a * t, 1e-14);
  }
}

TEST(ImpactStepper, AdamsMoultonSolvesItsEquation) {
  const StepperSystem system = CaseSystem("IIb");
  ImpactStepper stepper(ImpactMethod::kAdamsMoulton, system);
  StepperState start{1e-5, 0.9, 0.0, 0.9};
  start.force = ForceOnMass(system, start.x, start.v);
  StepperState state = start;
  stepper.Step(state);
  const double c = system.h / (2.0 * system.model.mass);
  const double force = ForceOnMass(system, state.x, state.v);
  EXPECT_NEAR(state.v, start.v + c * (start.force + force), 1e-13);
  EXPECT_NEAR(state.x, start.x + 0.5 * system.h * (start.v + state.v), 1e-18);
  EXPECT_LT(stepper.iterations(), 8);
}

TEST(ImpactStepper, UnsolvableStepBecomesNaN) {
  StepperSystem system = CaseSystem("IIb");
  system.model.stiffness = std::numeric_limits<double>::infinity();
  ImpactStepper stepper(ImpactMethod::kAdamsMoulton, system);
  StepperState state{1e-5, 0.9, -1.0, 0.9};
  stepper.Step(state);
  EXPECT_TRUE(std::isnan(state.v));
  EXPECT_LE(stepper.iterations(), kMaxNewtonSteps);
}

/// Error of x at the end of a part of the contact, divided by the largest compression. The part
/// starts from the exact state and has this number of steps.
/// @param begin, end  velocities at the ends of the part
double ErrorOfPart(double mu, double begin, double end, ImpactMethod method, int steps) {
  const HuntCrossleyImpact exact({0.01, 1e9, mu, 1.5}, 1.0);
  const StepperSystem system{exact.model(), 0.0, (exact.TimeAt(end) - exact.TimeAt(begin)) / steps};
  const double x = exact.CompressionAt(begin);
  StepperState state{x, begin, ForceOnMass(system, x, begin), begin};
  ImpactStepper stepper(method, system);
  for (int i = 0; i < steps; ++i) stepper.Step(state);
  return std::abs(state.x - exact.CompressionAt(end)) / exact.MaxCompression();
}

TEST(ImpactStepper, ErrorsHaveTheOrdersOfTheMethods) {
  const double v_out = HuntCrossleyImpact({0.01, 1e9, 0.5, 1.5}, 1.0).OutboundVelocity();
  // x^α is not smooth at touch and release, which limits the order over the whole contact to α + 1.
  const struct {
    ImpactMethod method;
    double mu, begin, end;
    int steps;
    double order;
  } cases[] = {
      {ImpactMethod::kAdamsMoulton, 0.5, 0.8, -0.4, 64, 2.0},
      {ImpactMethod::kVerlet, 0.5, 0.8, -0.4, 64, 1.0},
      {ImpactMethod::kVerlet, 0.0, 0.8, -0.4, 64, 2.0},
      {ImpactMethod::kHeun, 0.5, 0.8, -0.4, 64, 2.0},
      {ImpactMethod::kRungeKutta4, 0.5, 0.8, -0.4, 64, 4.0},
      {ImpactMethod::kRungeKutta4, 0.5, 1.0, v_out, 1024, 2.5},
  };
  for (const auto& x : cases) {
    SCOPED_TRACE(std::string(Name(x.method)) + " to " + std::to_string(x.end));
    const double coarse = ErrorOfPart(x.mu, x.begin, x.end, x.method, x.steps);
    const double fine = ErrorOfPart(x.mu, x.begin, x.end, x.method, 4 * x.steps);
    EXPECT_NEAR(0.5 * std::log2(coarse / fine), x.order, 0.06);
  }
}

}  // namespace
}  // namespace scree::impact::impact_stepper_test
