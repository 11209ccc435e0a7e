/// \file  Four ways to advance a Hunt-Crossley impact by one sample, with one interface:
///
///     Stepper stepper(system);      stepper.Step(state);
///
/// They are the published forms, (23) to (26) of Papetti, Avanzini & Rocchesso (see
/// hunt_crossley.hpp), with the external force on the right side: m a = −f(x, v) + f_e. There f is
/// the force on the wall in (1) and the force on the mass in (23) to (26); here `force` is always
/// the one on the mass.
///
/// Verlet and Heun evaluate the force at a predicted velocity, and the next step starts from this
/// stored force: evaluating it again at the corrected velocity is another method, which does not
/// give the published results. It makes Verlet of first order wherever μ > 0.
///
/// Templates over the scalar, so that counting scalars measure what a step costs.
#pragma once

#include <array>
#include <cmath>
#include <limits>

#include "solvers/impact/hunt_crossley.hpp"
#include "solvers/impact/operation_count.hpp"

namespace scree::impact {

enum class ImpactMethod { kAdamsMoulton, kVerlet, kHeun, kRungeKutta4 };
inline constexpr std::array kImpactMethods = {ImpactMethod::kAdamsMoulton, ImpactMethod::kVerlet,
                                              ImpactMethod::kHeun, ImpactMethod::kRungeKutta4};

inline const char* Name(ImpactMethod method) {
  constexpr std::array kNames = {"am1", "verlet", "heun", "rk4"};
  return kNames[static_cast<std::size_t>(method)];
}

template <class Scalar>
struct StepperSystem {
  BasicHuntCrossley<Scalar> model;
  Scalar external_force{0.0};  // f_e, > 0 presses the mass against the wall [N]
  Scalar h{1.0 / 44100.0};     // step [s]
};

template <class Scalar>
struct StepperState {
  Scalar x{0.0};               // compression [m]
  Scalar v{0.0};               // its velocity [m/s]
  Scalar force{0.0};           // on the mass, at (x, force_velocity) [N]
  Scalar force_velocity{0.0};  // the predicted velocity where the method has one, else v [m/s]
};

/// f_e − f(x, v) [N]
template <class Scalar>
Scalar ForceOnMass(const StepperSystem<Scalar>& system, const Scalar& x, const Scalar& v) {
  return system.external_force - ContactForce<Scalar>(system.model, x, v);
}

/// One-step Adams-Moulton, that is the trapezoid rule (23). The K-method: x and v are linear in the
/// unknown force, for which Newton's iteration solves one scalar equation.
template <class Scalar>
class AdamsMoulton {
 public:
  static constexpr int kMaxIterations = 50;
  // Of the old force and k x^α: rounding of x and v alone makes some 1e-15 of those, which is no
  // small part of the new force where 1 + μv is near 0.
  static constexpr double kForceTolerance = 1e-12;

  explicit AdamsMoulton(const StepperSystem<Scalar>& system)
      : system_(system), to_v_(Half(system.h) / system.model.mass), to_x_(Half(system.h) * to_v_) {}

  /// If the iteration finds no force, the state becomes NaN.
  void Step(StepperState<Scalar>& state) {
    const Scalar x_known = state.x + system_.h * state.v + to_x_ * state.force;
    const Scalar v_known = state.v + to_v_ * state.force;
    const Scalar force = SolveForce(x_known, v_known, state.force);
    state.x = x_known + to_x_ * force;
    state.v = v_known + to_v_ * force;
    state.force = force;
    state.force_velocity = state.v;
  }

  /// Of all steps so far.
  int iterations() const { return iterations_; }

 private:
  /// Root of g(f) = f_e − k x^α (1 + μv) − f with x = x_known + to_x f, v = v_known + to_v f.
  Scalar SolveForce(const Scalar& x_known, const Scalar& v_known, const Scalar& start) {
    using std::abs, std::pow;
    Scalar f = start;
    for (int i = 0; i < kMaxIterations; ++i) {
      ++iterations_;
      const Scalar x = x_known + to_x_ * f;
      Scalar next = system_.external_force;
      Scalar elastic{0.0};
      if (x > 0.0) {
        elastic = system_.model.stiffness * pow(x, system_.model.alpha);
        const Scalar damping = 1.0 + system_.model.mu * (v_known + to_v_ * f);
        const Scalar g = system_.external_force - elastic * damping - f;
        const Scalar slope = elastic * (system_.model.alpha / x * damping * to_x_ +
                                        system_.model.mu * to_v_);  // −1 − g'
        next = f + g / (1.0 + slope);
      }
      const bool done = abs(next - f) <= kForceTolerance * (elastic + abs(start));
      f = next;
      if (done) return f;
    }
    return Scalar(std::numeric_limits<double>::quiet_NaN());
  }

  StepperSystem<Scalar> system_;
  Scalar to_v_;  // h/(2m), velocity per force [m/s/N]
  Scalar to_x_;  // h²/(4m), compression per force [m/N]
  int iterations_ = 0;
};

/// Velocity Verlet (24).
template <class Scalar>
class Verlet {
 public:
  explicit Verlet(const StepperSystem<Scalar>& system) : system_(system) {}

  void Step(StepperState<Scalar>& state) {
    const Scalar& h = system_.h;
    const Scalar& m = system_.model.mass;
    state.x = state.x + h * state.v + Half(h * h) * state.force / m;
    state.force_velocity = state.v + Half(h) * state.force / m;
    state.force = ForceOnMass(system_, state.x, state.force_velocity);
    state.v = state.force_velocity + Half(h) * state.force / m;
  }

 private:
  StepperSystem<Scalar> system_;
};

/// Heun (25): Euler predicts the velocity, the trapezoid rule corrects it.
template <class Scalar>
class Heun {
 public:
  explicit Heun(const StepperSystem<Scalar>& system) : system_(system) {}

  void Step(StepperState<Scalar>& state) {
    const Scalar& h = system_.h;
    const Scalar& m = system_.model.mass;
    const Scalar old_force = state.force;
    state.force_velocity = state.v + h * old_force / m;
    state.x = state.x + Half(h) * (state.v + state.force_velocity);
    state.force = ForceOnMass(system_, state.x, state.force_velocity);
    state.v = state.v + Half(h) * (old_force + state.force) / m;
  }

 private:
  StepperSystem<Scalar> system_;
};

/// The classical Runge-Kutta method of fourth order (26). Its last evaluation is the first one of
/// the next step.
template <class Scalar>
class RungeKutta4 {
 public:
  explicit RungeKutta4(const StepperSystem<Scalar>& system) : system_(system) {}

  void Step(StepperState<Scalar>& state) {
    const Scalar& h = system_.h;
    const Scalar& m = system_.model.mass;
    const Scalar &x = state.x, &v = state.v;
    const Scalar l1 = h * v;
    const Scalar k1 = h * state.force / m;
    const Scalar l2 = h * (v + Half(k1));
    const Scalar k2 = h * Force(x + Half(l1), v + Half(k1)) / m;
    const Scalar l3 = h * (v + Half(k2));
    const Scalar k3 = h * Force(x + Half(l2), v + Half(k2)) / m;
    const Scalar l4 = h * (v + k3);
    const Scalar k4 = h * Force(x + l3, v + k3) / m;
    state.x = x + (l1 + Twice(l2) + Twice(l3) + l4) / 6.0;
    state.v = v + (k1 + Twice(k2) + Twice(k3) + k4) / 6.0;
    state.force = Force(state.x, state.v);
    state.force_velocity = state.v;
  }

 private:
  Scalar Force(const Scalar& x, const Scalar& v) const { return ForceOnMass(system_, x, v); }

  StepperSystem<Scalar> system_;
};

/// function(stepper) with the stepper of the method: one choice before a loop, none inside.
template <class Scalar, class Function>
auto WithStepper(ImpactMethod method, const StepperSystem<Scalar>& system, Function function) {
  switch (method) {
    case ImpactMethod::kAdamsMoulton:
      return function(AdamsMoulton<Scalar>(system));
    case ImpactMethod::kVerlet:
      return function(Verlet<Scalar>(system));
    case ImpactMethod::kHeun:
      return function(Heun<Scalar>(system));
    case ImpactMethod::kRungeKutta4:
      break;
  }
  return function(RungeKutta4<Scalar>(system));
}

}  // namespace scree::impact
