// The four steppers: samples of an independent implementation, stored force, free flight.
#include "solvers/impact/impact_stepper.hpp"

#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "tests/support/csv_rows.hpp"

namespace scree::impact::impact_stepper_test {
namespace {

// Newton's iteration of the reference stops elsewhere; the explicit methods agree far better.
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

StepperSystem<double> CaseSystem(const std::string& name) {
  StepperSystem<double> system;
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
      // clang before 16 does not capture the name of a part.
      WithStepper(method, CaseSystem(key.first), [&, &samples = samples](auto stepper) {
        StepperState<double> state{0.0, samples[0].v, 0.0, samples[0].v};
        for (std::size_t n = 1; n < samples.size(); ++n) {
          stepper.Step(state);
          EXPECT_NEAR(state.x, samples[n].x, kSampleTolerance * samples[1].x) << "sample " << n;
          EXPECT_NEAR(state.v, samples[n].v, kSampleTolerance * samples[0].v) << "sample " << n;
        }
      });
    }
  }
}

TEST(ImpactStepper, StoredForceIsTheOneAtThePredictedVelocity) {
  const StepperSystem<double> system = CaseSystem("IIb");
  for (const ImpactMethod method : kImpactMethods) {
    SCOPED_TRACE(Name(method));
    WithStepper(method, system, [&](auto stepper) {
      StepperState<double> state{1e-5, 0.5, 0.0, 0.5};
      state.force = ForceOnMass(system, state.x, state.v);
      stepper.Step(state);
      const double force = ForceOnMass(system, state.x, state.force_velocity);
      // Adams-Moulton's force is the one that Newton's iteration ended with.
      EXPECT_NEAR(state.force, force, 1e-12 * std::abs(force));
      const bool predicts = method == ImpactMethod::kVerlet || method == ImpactMethod::kHeun;
      EXPECT_EQ(state.force_velocity != state.v, predicts);
    });
  }
}

TEST(ImpactStepper, OutOfContactOnlyTheExternalForceActs) {
  StepperSystem<double> system = CaseSystem("IIb");
  system.external_force = 0.0981;
  const double a = system.external_force / system.model.mass, t = 10 * system.h;
  for (const ImpactMethod method : kImpactMethods) {
    SCOPED_TRACE(Name(method));
    WithStepper(method, system, [&](auto stepper) {
      StepperState<double> state{-1.0, -0.5, system.external_force, -0.5};
      for (int i = 0; i < 10; ++i) stepper.Step(state);
      EXPECT_NEAR(state.x, -1.0 - 0.5 * t + 0.5 * a * t * t, 1e-14);
      EXPECT_NEAR(state.v, -0.5 + a * t, 1e-14);
    });
  }
}

TEST(ImpactStepper, AdamsMoultonSolvesItsEquation) {
  const StepperSystem<double> system = CaseSystem("IIb");
  AdamsMoulton<double> stepper(system);
  StepperState<double> old{1e-5, 0.9, 0.0, 0.9};
  old.force = ForceOnMass(system, old.x, old.v);
  StepperState<double> state = old;
  stepper.Step(state);
  const double c = system.h / (2.0 * system.model.mass);
  const double force = ForceOnMass(system, state.x, state.v);
  EXPECT_NEAR(state.v, old.v + c * (old.force + force), 1e-13);
  EXPECT_NEAR(state.x, old.x + 0.5 * system.h * (old.v + state.v), 1e-18);
  EXPECT_LT(stepper.iterations(), 8);
}

TEST(ImpactStepper, UnsolvableStepBecomesNaN) {
  StepperSystem<double> system = CaseSystem("IIb");
  system.model.stiffness = std::numeric_limits<double>::infinity();
  AdamsMoulton<double> stepper(system);
  StepperState<double> state{1e-5, 0.9, -1.0, 0.9};
  stepper.Step(state);
  EXPECT_TRUE(std::isnan(state.v));
  EXPECT_LE(stepper.iterations(), AdamsMoulton<double>::kMaxIterations);
}

}  // namespace
}  // namespace scree::impact::impact_stepper_test
