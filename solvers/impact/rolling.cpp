#include "solvers/impact/rolling.hpp"

#include <cmath>
#include <numbers>
#include <random>

#include "solvers/base/check.hpp"
#include "solvers/impact/impact_stepper.hpp"
#include "solvers/impact/range_checks.hpp"

namespace scree::impact {
namespace {

constexpr int kWaves = 24;
constexpr double kMostSteps = 1e9;

}  // namespace

RoughFloor::RoughFloor(double rms, double shortest, double longest, std::uint64_t seed) {
  DemandPositive("the shortest wavelength", "m", shortest);
  DemandPositive("the longest wavelength", "m", longest);
  if (longest < shortest) {
    throw InputError(
        Text("the longest wavelength = ", longest, " must be at least the shortest, ", shortest));
  }
  DemandAtLeast("the roughness", "m", rms, 0.0);
  std::mt19937_64 engine(seed);
  double squares = 0.0;
  for (int i = 0; i < kWaves; ++i) {
    const double length = shortest * std::pow(longest / shortest, i / (kWaves - 1.0));
    const double phase = 2.0 * std::numbers::pi * static_cast<double>(engine() >> 11) * 0x1p-53;
    waves_.push_back({length, 2.0 * std::numbers::pi / length, phase});
    squares += 0.5 * length * length;
  }
  for (Wave& wave : waves_) wave.amplitude *= rms / std::sqrt(squares);
}

double RoughFloor::Height(double s) const {
  double height = 0.0;
  for (const Wave& wave : waves_) height += wave.amplitude * std::sin(wave.number * s + wave.phase);
  return height;
}

double RoughFloor::Acceleration(double s, double v, double a) const {
  double sum = 0.0;
  for (const Wave& wave : waves_) {
    const double angle = wave.number * s + wave.phase;
    sum += wave.amplitude * wave.number *
           (a * std::cos(angle) - wave.number * v * v * std::sin(angle));
  }
  return sum;
}

void Roll(const RollingSetup& setup, const RoughFloor& floor,
          const std::function<void(const RollingSample&)>& observe) {
  DemandPositive("the speed", "m/s", setup.speed);
  DemandPositive("the deceleration", "m/s^2", setup.deceleration);
  DemandPositive("gravity", "m/s^2", setup.gravity);
  DemandPositive("the step", "s", setup.step);
  const double end = setup.speed / setup.deceleration;
  if (end / setup.step > kMostSteps) {
    throw InputError(Text("rolling for ", end, " s takes more than ", kMostSteps, " steps of ",
                          setup.step, " s"));
  }
  const double mass = setup.model.mass;
  StepperSystem system{setup.model, 0.0, setup.step};
  StepperState state{EquilibriumCompression(setup.model, mass * setup.gravity), 0.0, 0.0, 0.0};
  for (long i = 0; static_cast<double>(i) * setup.step < end; ++i) {
    const double t = static_cast<double>(i) * setup.step;
    const double v = setup.speed - setup.deceleration * t;
    const double s = 0.5 * (setup.speed + v) * t;
    system.external_force = mass * (setup.gravity + floor.Acceleration(s, v, -setup.deceleration));
    // The force that the method stores is that of the last step's floor.
    state.force = ForceOnMass(system, state.x, state.v);
    ImpactStepper(ImpactMethod::kRungeKutta4, system).Step(state);
    if (!std::isfinite(state.x) || !std::isfinite(state.v)) {
      throw SimulationError(Text("at t = ", t,
                                 " s the motion is no longer finite; shorter steps "
                                 "may help"));
    }
    observe({t + setup.step, v, state.x, ContactForce(setup.model, state.x, state.v)});
  }
}

}  // namespace scree::impact
