/// \file  Sweeps, residual and convergence of a solve. A solve that does not converge is a result,
///        not an error.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

namespace scree {

/// Error of a step's solve, against the same problem after more sweeps: relative numbers.
struct MeasuredSolveError {
  std::int64_t step = 0;      // steps done after it
  double impulses = 0.0;      // of the contacts, L2
  double normal_rms = 0.0;    // of the RMS of normal impulses; > 0: too large
  double normal_mean = 0.0;   // of their mean, likewise
  std::vector<double> loads;  // of each wall's force, ≥ 0
};

/// The residual is in velocity units (solvers/sweeps/residual.hpp) and global over the ranks.
struct SolveReport {
  int sweeps = 0;                       // done in this solve
  double residual_max = 0.0;            // [m/s]
  double residual_rms = 0.0;            // [m/s]
  std::optional<bool> converged;        // empty without a tolerance
  bool stalled = false;                 // further sweeps would not have helped
  std::int64_t scalar_relaxations = 0;  // relaxations of this rank that general kernels for eight
                                        // left to those for one contact
  std::optional<MeasuredSolveError> measured;  // the last one that was measured in the run
};

}  // namespace scree
