#include "solvers/impact/stepper_convergence.hpp"

#include <cmath>

#include "solvers/base/check.hpp"

namespace scree::impact {

ConvergencePoint IntegratePart(const HuntCrossleyImpact& exact, const ContactPart& part,
                               ImpactMethod method, int steps) {
  const double v_in = exact.v_in(), v_out = exact.OutboundVelocity();
  if (!(part.from <= v_in && part.to >= v_out && part.to < part.from)) {
    throw InputError(Text("a part of the contact from v = ", part.from, " m/s to ", part.to,
                          " m/s is out of range: v falls from ", v_in, " m/s to ", v_out, " m/s"));
  }
  if (steps < 1) throw InputError(Text("steps = ", steps, " must be at least 1"));
  const double h = (exact.TimeAt(part.to) - exact.TimeAt(part.from)) / steps;
  const StepperSystem<double> system{exact.model(), 0.0, h};
  const double x = exact.CompressionAt(part.from);
  StepperState<double> state{x, part.from, ForceOnMass(system, x, part.from), part.from};
  WithStepper(method, system, [&](auto stepper) {
    for (int i = 0; i < steps; ++i) stepper.Step(state);
  });
  return {h, std::abs(state.x - exact.CompressionAt(part.to)) / exact.MaxCompression(),
          std::abs(state.v - part.to) / v_in};
}

}  // namespace scree::impact
