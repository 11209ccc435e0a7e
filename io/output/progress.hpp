/// \file  The progress line: completed part, speed and remaining time of a run.
#pragma once

#include <cstdint>
#include <string>

#include "engine/observation/observables.hpp"
#include "solvers/sweeps/solve_report.hpp"

namespace scree {

/// Speed of a run, smoothed over the last fifth of its wall-clock time, but over 1 s at least and
/// 60 s at most.
class SpeedEstimate {
 public:
  struct Work {
    double particle_steps = 0.0, steps = 0.0;
    double base_steps = 0.0;  // equal to `steps` unless steps are automatic
  };
  /// Adds completed work. @param seconds  wall-clock time of this work, > 0
  void Add(const Work& work, double seconds);

  /// Zero before anything was added.
  double ParticleStepsPerSecond() const { return PerSecond(work_.particle_steps); }
  double StepsPerSecond() const { return PerSecond(work_.steps); }

  /// Predicted wall-clock time of the remaining base steps with this number of particles [s].
  double SecondsLeft(std::int64_t base_steps, std::int64_t particles) const;

 private:
  double PerSecond(double sum) const { return seconds_ > 0.0 ? sum / seconds_ : 0.0; }

  // Sums over the past with weights that decrease with age.
  Work work_;
  double seconds_ = 0.0;
  double elapsed_ = 0.0;  // total time so far [s]
};

/// A number of at least 1e-9, or 0, with an SI prefix: "3.5u", "120u", "2.1M".
/// @param digits  significant digits; more if the integer part has more
std::string FormatScaled(double value, int digits);

/// "45s", "12m34s", "3h05m", "2d04h".
std::string FormatDuration(double seconds);

/// One line: percent, simulated time, particles, contacts, max penetration, max residual [m/s],
/// steps/s, particle-steps/s, time left. It has at most 79 columns; " solve stalled" or " not
/// converged" adds 14.
std::string ProgressLine(const Observables& observed, const SolveReport& report,
                         std::int64_t last_step, const SpeedEstimate& speed);

}  // namespace scree
