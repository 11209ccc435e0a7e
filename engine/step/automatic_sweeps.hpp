/// \file  Chooses the number of sweeps of a step for solver.sweeps = auto.
///
/// Occasionally the solve of a step is continued to measure its error (solve_error.hpp). This error
/// determines the number of sweeps of the next steps. All ranks measure the same error and choose
/// the same number.
#pragma once

#include <algorithm>
#include <cstdint>

#include "engine/scene/step_parameters.hpp"
#include "engine/step/restart_point.hpp"
#include "engine/step/solve_error.hpp"

namespace scree {

/// Minimum number of sweeps, equal to the default of runs with a fixed number. Particles at rest
/// need fewer, but no measurement predicts a sudden load, such as a gripper that closes.
inline constexpr std::int64_t kMinAutomaticSweeps = AutomaticSweepsState().sweeps;
/// Maximum number of sweeps if force_accuracy is not given. A lower max_sweeps has priority. A
/// shorter step is more useful than more sweeps: compressing a cell with up to 1000 sweeps took 14
/// times as long as with 20, and dissipated the same energy.
inline constexpr std::int64_t kMaxAutomaticSweeps = 100;
inline std::int64_t MaxAutomaticSweeps(const StepParameters& parameters) {
  const auto max = std::int64_t{std::max(parameters.solver.max_sweeps, 1)};
  return parameters.force_accuracy > 0.0 ? max : std::min(max, kMaxAutomaticSweeps);
}

/// The number of contacts under load in a step, and their median normal force. Both follow from
/// integer counts, so they do not depend on the ranks.
struct ContactLoads {
  std::int64_t loaded = 0;
  double median_force = 0.0;  // rounded down by up to a fifth [N]
};

/// Finds the loads of the step just solved. Collective.
/// @param contacts  each contact on one rank
ContactLoads FindContactLoads(const Communicator& communicator, const ContactSpan& contacts,
                              const ContactBatches& batches, double dt);
/// FindContactLoads is evaluated once in this number of steps.
inline constexpr std::int64_t kLoadsInterval = 8;

/// If the loads have changed since the last measurement (a heap has landed, a gate has opened),
/// plans a measurement of the next solve, and more frequent measurements after it.
void CheckLoads(const ContactLoads& loads, std::int64_t step, AutomaticSweepsState& state);

/// Whether the solve of a step has to be measured.
/// @param step  number of the step in the run, from 1 on
bool IsMeasurementDue(const StepParameters& parameters, std::int64_t step,
                      const AutomaticSweepsState& state);

/// The largest ratio of an error to its allowed value. The mean of normal impulses, the loads of
/// walls and the stress of a cell may have the relative error a = accuracy. The RMS of normal
/// impulses, and impulses in the L2 norm, may have force_accuracy, or 5 a if it is not given.
double MaxErrorRatio(const StepParameters& parameters, const SolveError& error);

/// Plans the sweeps of the next steps and the next measurement. An error above the allowed value
/// increases the number of sweeps, provided that force_accuracy is given or that twice the sweeps
/// would have reduced the error enough to justify their cost. An error far below it decreases the
/// number. Measurements stay frequent while the error or the number of sweeps changes much.
/// Otherwise the interval between measurements doubles.
/// @param step   number of the measured step in the run, from 1 on
void AdaptSweeps(const StepParameters& parameters, const SolveError& error, std::int64_t step,
                 const ContactLoads& loads, AutomaticSweepsState& state);

}  // namespace scree
