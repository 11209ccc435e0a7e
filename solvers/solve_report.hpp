/// \file  What a solve says about itself. Not converging is a result, not an error.
#pragma once

#include <optional>

namespace scree {

/// The residual is in velocity units (solvers/residual.hpp) and global over the ranks.
struct SolveReport {
  int sweeps = 0;                 // done in this solve
  double residual_max = 0.0;      // [m/s]
  double residual_rms = 0.0;      // [m/s]
  std::optional<bool> converged;  // empty when no tolerance was asked for
  bool stalled = false;           // further sweeps would not have helped
};

}  // namespace scree
