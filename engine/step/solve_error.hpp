/// \file  Measures the error of the sweeps of a step: the difference from the solution after many
///        more sweeps. A residual is no substitute: in long chains of contacts it underestimates
///        the error of impulses by up to 10 000 times.
#pragma once

#include <cstdint>
#include <vector>

#include "engine/step/step_contacts.hpp"
#include "engine/step/step_solve.hpp"
#include "solvers/sweeps/solve_report.hpp"

namespace scree {

/// Sums over the contacts of all ranks and the measured steps. λ belongs to the step, λ* to the
/// continued solve.
struct SolveError {
  int steps = 0;                                       // number of measured steps
  double squared_error = 0.0, squared_impulses = 0.0;  // Σ ‖λ − λ*‖², Σ ‖λ*‖² [N² s²]
  double normal_squares[2] = {}, normal_impulses[2] = {};  // Σ λₙ², Σ λₙ; [0]: of λ, [1]: of λ*
  double squared_error_of_twice = 0.0;  // Σ ‖λ₂ − λ*‖², λ₂ after twice the sweeps [N² s²]
  // Sums of the errors of the kinetic energy after the step [J], of their squares [J²], and of the
  // energy that λ* dissipates [J].
  double energy_error = 0.0, energy_error_squared = 0.0, dissipated = 0.0;
  double squared_stress_errors = 0.0, squared_stresses = 0.0;  // ‖σ − σ*‖², ‖σ*‖² of a cell [Pa²]
  std::vector<double> squared_load_errors = {},
                      squared_loads = {};  // ‖F − F*‖², ‖F*‖² of each wall [N²]

  /// ‖λ − λ*‖/‖λ*‖.
  double ImpulseError() const;
  /// RMS of λₙ divided by the RMS of λ*ₙ, minus 1.
  double NormalRmsError() const;
  /// Mean of λₙ divided by the mean of λ*ₙ, minus 1.
  double NormalMeanError() const;
  /// ‖λ₂ − λ*‖/‖λ − λ*‖: the part of the error that remains after twice the sweeps; 1 without
  /// error.
  double RemainingErrorRatio() const;
  /// Mean error of the kinetic energy K after a step, plus its standard error, divided by the
  /// energy that contacts dissipate in a step; infinite without dissipation. A flow replaces its K
  /// in the time in which it dissipates K, so these errors accumulate to this fraction of K.
  double RelativeEnergyError() const;
  /// ‖σ − σ*‖/‖σ*‖ of a cell; 0 without one.
  double StressError() const;
  /// ‖F − F*‖/‖F*‖ of a wall's load, root mean squares over the steps.
  double LoadError(std::size_t wall) const;

  /// These errors as part of a report.
  /// @param step  steps done after the last measured step
  MeasuredSolveError MeasuredAt(std::int64_t step) const;

  SolveError& operator+=(const SolveError& other);
};

/// The measurement adds this many times the sweeps of the step. It then finds an error of 28 %
/// to within 4 % (a step of a hopper, 18 sweeps). One measurement in a thousand steps costs one per
/// cent of the time.
inline constexpr int kSweepsOfMeasurement = 10;
inline constexpr int kStepsPerMeasurement = 1000;

/// Measures the error of the step just solved. Its impulses and velocities do not change, because
/// the measurement works on a copy of the solve, which needs additional memory. Collective.
SolveError MeasureSolveError(const StepSetup& setup, const Particles& particles,
                             const StepContacts& contacts, Halo& halo, const StepSolve& solve);

}  // namespace scree
