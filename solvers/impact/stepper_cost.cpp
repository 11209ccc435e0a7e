#include "solvers/impact/stepper_cost.hpp"

#include "solvers/base/check.hpp"
#include "solvers/impact/printed_forms.hpp"

namespace scree::impact {
namespace {

using Counted = CountedScalar;

// Two contacts of many steps each; Newton's iteration takes more steps in the stiffer one.
constexpr double kSoft = 1e3, kStiff = 1e6;  // [N/m^α]
constexpr double kVelocity = 1.0;            // [m/s]

StepperSystem<Counted> System(double stiffness) {
  StepperSystem<Counted> system;
  system.model.stiffness = Counted(stiffness);
  return system;
}

struct CountedStep {
  OperationCount operations;
  int iterations = 0;
};

/// The operations of the second step; the first one starts without compression.
CountedStep CountSecondStep(ImpactMethod method, double stiffness) {
  return WithStepper(method, System(stiffness), [](auto stepper) {
    const auto iterations = [&] {
      if constexpr (requires { stepper.iterations(); }) return stepper.iterations();
      return 0;
    };
    StepperState<Counted> state;
    state.v = Counted(kVelocity);
    stepper.Step(state);
    const int before = iterations();
    Operations() = {};
    stepper.Step(state);
    return CountedStep{Operations(), iterations() - before};
  });
}

template <class Function>
OperationCount Count(Function function) {
  Operations() = {};
  static_cast<void>(function());
  return Operations();
}

}  // namespace

StepCost CountStep(ImpactMethod method) {
  const CountedStep soft = CountSecondStep(method, kSoft);
  StepCost cost{soft.operations, {}};
  if (soft.iterations == 0) return cost;
  const CountedStep stiff = CountSecondStep(method, kStiff);
  SCREE_DEMAND(stiff.iterations > soft.iterations);
  for (int OperationCount::*kind : OperationCount::kKinds) {
    cost.iteration.*kind =
        (stiff.operations.*kind - soft.operations.*kind) / (stiff.iterations - soft.iterations);
    cost.step.*kind -= soft.iterations * (cost.iteration.*kind);
  }
  return cost;
}

OperationCount CountHybridCorrection() {
  const StepperSystem<Counted> system = System(kStiff);
  const Counted v_in(kVelocity), v(0.5);
  return Count([&] { return PrintedCompression(system.model, v_in, v); });
}

OperationCount CountOutboundConstraint() {
  const Counted mu(0.5), v_in(kVelocity), u_max(0.8), v(-0.7);
  return Count([&] { return PrintedConstraint(mu, v_in, u_max, v); });
}

OperationCount CountOutboundRootStep() {
  const Counted mu(0.5), right(0.1), v(-0.7);
  return Count([&] { return PrintedRootStep(mu, right, v); });
}

}  // namespace scree::impact
