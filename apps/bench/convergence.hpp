/// \file  Convergence of the sweeps on the contact problem of one step: residual against sweeps and
///        seconds.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "apps/bench/case.hpp"

namespace scree {

/// One step from the state after the warm-up, over all ranks.
struct ConvergenceRow {
  std::string variant;  // SolverVariant::name
  int sweeps = 0;       // requested number; the number done if the variant has a tolerance
  std::int64_t contacts = 0;
  double residual_max = 0.0;  // after the last sweep [m/s]
  double residual_rms = 0.0;  // [m/s]
  double seconds = 0.0;       // in sweeps and their messages; slowest rank, median of the repeats
  double penetration = 0.0;   // largest overlap after the step [m]
};

/// Does the warm-up steps, then one step for each variant and number of sweeps. Each of these
/// steps starts from the same particles and impulses with its own neighbour list. Collective.
/// @throws InputError, SimulationError on all ranks
std::vector<ConvergenceRow> RunConvergence(const Communicator& communicator, BenchCase& bench,
                                           const BenchOptions& options);

/// A CSV table with a line for each row. Lines with the settings, which begin with #, precede it.
std::string ConvergenceTable(const BenchCase& bench, const BenchOptions& options,
                             const std::vector<ConvergenceRow>& rows);

}  // namespace scree
