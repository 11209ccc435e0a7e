/// \file  Sweeps, residual and convergence of a solve. A solve that does not converge is a result,
///        not an error.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

namespace scree {

/// Relative errors of a step's solve, compared with the solution of its problem after more sweeps.
struct MeasuredSolveError {
  std::int64_t step = 0;      // steps done, including the measured one
  double impulses = 0.0;      // L2 error of the contacts' impulses
  double normal_rms = 0.0;    // error of the RMS of normal impulses; > 0: too large
  double normal_mean = 0.0;   // error of the mean normal impulse; > 0: too large
  std::vector<double> loads;  // error of each wall's force, ≥ 0
};

/// The residual is in velocity units (solvers/sweeps/residual.hpp) and global over the ranks.
struct SolveReport {
  int sweeps = 0;                       // number of sweeps done
  double residual_max = 0.0;            // [m/s]
  double residual_rms = 0.0;            // [m/s]
  std::optional<bool> converged;        // empty without a tolerance
  bool stalled = false;                 // ended because sweeps made no progress
  std::int64_t scalar_relaxations = 0;  // relaxations of this rank that packet kernels left to the
                                        // one-contact kernels
  std::optional<MeasuredSolveError> measured;  // the last error measured in the run
};

}  // namespace scree
