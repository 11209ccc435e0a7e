/// \file  Four methods that advance a Hunt-Crossley impact by one step: the published forms (23) to
///        (26) of Papetti, Avanzini & Rocchesso (see hunt_crossley.hpp), with the external force
///        added: m a = −f(x, v) + f_e. In the paper f is the force on the wall in (1) and the force
///        on the mass in (23) to (26). In this file `force` is always the force on the mass.
///
/// Verlet and Heun evaluate the force at a predicted velocity, and the next step starts from this
/// stored force. This makes Verlet a first-order method if μ > 0. Evaluating the force again at the
/// corrected velocity would be another method, with results that differ from the published ones.
#pragma once

#include <array>

#include "apps/single/models/hunt_crossley.hpp"

namespace scree::impact {

enum class ImpactMethod { kAdamsMoulton, kVerlet, kHeun, kRungeKutta4 };
inline constexpr std::array kImpactMethods = {ImpactMethod::kAdamsMoulton, ImpactMethod::kVerlet,
                                              ImpactMethod::kHeun, ImpactMethod::kRungeKutta4};

const char* Name(ImpactMethod method);

struct StepperSystem {
  HuntCrossley model;
  double external_force = 0.0;  // f_e, > 0 presses the mass against the wall [N]
  double h = 1.0 / 44100.0;     // step [s]
};

struct StepperState {
  double x = 0.0;               // compression [m]
  double v = 0.0;               // its velocity [m/s]
  double force = 0.0;           // on the mass, at (x, force_velocity) [N]
  double force_velocity = 0.0;  // predicted velocity if the method has one, else v [m/s]
};

/// f_e − f(x, v) [N]
double ForceOnMass(const StepperSystem& system, double x, double v);

// Limits of Newton's iteration in Adams-Moulton's method. The tolerance is relative to the old
// force and k x^α. The new force is not a suitable scale: it nearly vanishes for 1 + μv near 0,
// while rounding of x and v leaves an error of about 1e-15 of k x^α.
inline constexpr int kMaxNewtonSteps = 50;
inline constexpr double kNewtonTolerance = 1e-12;

class ImpactStepper {
 public:
  ImpactStepper(ImpactMethod method, const StepperSystem& system);

  /// The state becomes NaN if the iteration of Adams-Moulton finds no force.
  void Step(StepperState& state);

  /// Number of Newton iterations in all steps so far; 0 for explicit methods.
  int iterations() const { return iterations_; }

 private:
  void AdamsMoulton(StepperState& state);
  void Verlet(StepperState& state) const;
  void Heun(StepperState& state) const;
  void RungeKutta4(StepperState& state) const;
  double SolveForce(double x_known, double v_known, double start);

  ImpactMethod method_;
  StepperSystem system_;
  double to_v_;  // h/(2m), velocity per force [m/s/N]
  double to_x_;  // h²/(4m), compression per force [m/N]
  int iterations_ = 0;
};

}  // namespace scree::impact
