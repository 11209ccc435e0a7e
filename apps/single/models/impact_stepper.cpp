#include "apps/single/models/impact_stepper.hpp"

#include <cmath>
#include <limits>

namespace scree::impact {

const char* Name(ImpactMethod method) {
  constexpr std::array kNames = {"am1", "verlet", "heun", "rk4"};
  return kNames[static_cast<std::size_t>(method)];
}

double ForceOnMass(const StepperSystem& system, double x, double v) {
  return system.external_force - ContactForce(system.model, x, v);
}

ImpactStepper::ImpactStepper(ImpactMethod method, const StepperSystem& system)
    : method_(method),
      system_(system),
      to_v_(0.5 * system.h / system.model.mass),
      to_x_(0.5 * system.h * to_v_) {}

void ImpactStepper::Step(StepperState& state) {
  switch (method_) {
    case ImpactMethod::kAdamsMoulton:
      return AdamsMoulton(state);
    case ImpactMethod::kVerlet:
      return Verlet(state);
    case ImpactMethod::kHeun:
      return Heun(state);
    case ImpactMethod::kRungeKutta4:
      break;
  }
  RungeKutta4(state);
}

/// One-step Adams-Moulton, that is, the trapezoid rule (23). By the K-method x and v are linear in
/// the unknown force, so Newton's iteration solves a single scalar equation.
void ImpactStepper::AdamsMoulton(StepperState& state) {
  const double x_known = state.x + system_.h * state.v + to_x_ * state.force;
  const double v_known = state.v + to_v_ * state.force;
  const double force = SolveForce(x_known, v_known, state.force);
  state.x = x_known + to_x_ * force;
  state.v = v_known + to_v_ * force;
  state.force = force;
  state.force_velocity = state.v;
}

/// Root of g(f) = f_e − k x^α (1 + μv) − f with x = x_known + to_x f, v = v_known + to_v f.
double ImpactStepper::SolveForce(double x_known, double v_known, double start) {
  const HuntCrossley& model = system_.model;
  double f = start;
  for (int i = 0; i < kMaxNewtonSteps; ++i) {
    ++iterations_;
    const double x = x_known + to_x_ * f;
    double next = system_.external_force, elastic = 0.0;
    if (x > 0.0) {
      elastic = model.stiffness * std::pow(x, model.alpha);
      const double damping = 1.0 + model.mu * (v_known + to_v_ * f);
      const double g = system_.external_force - elastic * damping - f;
      const double slope =
          elastic * (model.alpha / x * damping * to_x_ + model.mu * to_v_);  // −1 − g'
      next = f + g / (1.0 + slope);
    }
    const bool has_converged = std::abs(next - f) <= kNewtonTolerance * (elastic + std::abs(start));
    f = next;
    if (has_converged) return f;
  }
  return std::numeric_limits<double>::quiet_NaN();
}

/// Velocity Verlet (24).
void ImpactStepper::Verlet(StepperState& state) const {
  const double h = system_.h, m = system_.model.mass;
  state.x = state.x + h * state.v + 0.5 * (h * h) * state.force / m;
  state.force_velocity = state.v + 0.5 * h * state.force / m;
  state.force = ForceOnMass(system_, state.x, state.force_velocity);
  state.v = state.force_velocity + 0.5 * h * state.force / m;
}

/// Heun (25): Euler predicts the velocity, the trapezoid rule corrects it.
void ImpactStepper::Heun(StepperState& state) const {
  const double h = system_.h, m = system_.model.mass;
  const double old_force = state.force;
  state.force_velocity = state.v + h * old_force / m;
  state.x = state.x + 0.5 * h * (state.v + state.force_velocity);
  state.force = ForceOnMass(system_, state.x, state.force_velocity);
  state.v = state.v + 0.5 * h * (old_force + state.force) / m;
}

/// The classical Runge-Kutta method of fourth order (26). Its last evaluation is the first one of
/// the next step.
void ImpactStepper::RungeKutta4(StepperState& state) const {
  const double h = system_.h, m = system_.model.mass, x = state.x, v = state.v;
  const auto force = [this](double at_x, double at_v) { return ForceOnMass(system_, at_x, at_v); };
  const double l1 = h * v;
  const double k1 = h * state.force / m;
  const double l2 = h * (v + 0.5 * k1);
  const double k2 = h * force(x + 0.5 * l1, v + 0.5 * k1) / m;
  const double l3 = h * (v + 0.5 * k2);
  const double k3 = h * force(x + 0.5 * l2, v + 0.5 * k2) / m;
  const double l4 = h * (v + k3);
  const double k4 = h * force(x + l3, v + k3) / m;
  state.x = x + (l1 + 2.0 * l2 + 2.0 * l3 + l4) / 6.0;
  state.v = v + (k1 + 2.0 * k2 + 2.0 * k3 + k4) / 6.0;
  state.force = force(state.x, state.v);
  state.force_velocity = state.v;
}

}  // namespace scree::impact
