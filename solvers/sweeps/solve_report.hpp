/// \file  What a solve says about itself. Not converging is a result, not an error.
#pragma once

#include <cstdint>
#include <optional>

namespace scree {

/// The residual is in velocity units (solvers/sweeps/residual.hpp) and global over the ranks.
struct SolveReport {
  int sweeps = 0;                 // done in this solve
  double residual_max = 0.0;      // [m/s]
  double residual_rms = 0.0;      // [m/s]
  std::optional<bool> converged;  // empty when no tolerance was asked for
  bool stalled = false;           // further sweeps would not have helped
  std::int64_t one_by_one = 0;    // relaxations of this rank that general kernels for eight left
                                  // to those for one contact
};

}  // namespace scree
