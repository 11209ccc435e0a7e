/// \file  How many sweeps a step has where that is left to the program (solver.sweeps = auto).
///
/// Now and then the problem of a step is solved on (solve_error.hpp), and the error that its sweeps
/// have left decides how many the next steps have. All ranks measure the same and decide the same.
#pragma once

#include <cstdint>

#include "engine/scene/step_parameters.hpp"
#include "engine/step/restart_point.hpp"
#include "engine/step/solve_error.hpp"

namespace scree {

/// The fewest that are chosen: what rebounds needs some (engine/README.md).
inline constexpr std::int64_t kMinAutomaticSweeps = 5;

/// Whether the solve of a step has to be measured.
/// @param step  number of the step in the run, from 1 on
bool AreSweepsDue(const StepParameters& parameters, std::int64_t step,
                  const AutomaticSweepsState& state);

/// The largest of the errors over what is allowed of it: a, the accuracy, for the mean of normal
/// impulses and the loads of walls, force_accuracy or 5 a for the L2 error of impulses and their
/// RMS.
double ErrorOverAllowed(const StepParameters& parameters, const SolveError& error);

/// Plans sweeps and the next measurement after this one.
void AdaptSweeps(const StepParameters& parameters, const SolveError& error,
                 AutomaticSweepsState& state);

}  // namespace scree
