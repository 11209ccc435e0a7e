/// \file  Decides how many sweeps a solve does.
#pragma once

#include <limits>

#include "solvers/sweeps/momentum_schedule.hpp"
#include "solvers/sweeps/solve_report.hpp"
#include "solvers/sweeps/solver_parameters.hpp"
#include "solvers/sweeps/velocity_sync.hpp"

namespace scree {

/// Counts sweeps to a fixed number. With a tolerance, counts until the largest change of a relative
/// velocity in a sweep, over all ranks, is within the tolerance. The non-blocking all-reduce
/// overlaps with the next sweep: ranks do not wait for each other, but do one sweep more than
/// needed.
///
/// A solve has stalled, and ends, if momentum is negligible and the second half of the sweeps has
/// not reduced the smallest change by 1 %. The reason is rounding, or a problem without a solution.
/// This is tested after 800 sweeps or more, because squeezed spheres whose starting impulses are
/// those of a collapse make no progress for hundreds of sweeps before they converge.
class SweepControl {
 public:
  SweepControl(const SolverParameters& parameters, MaxSync& sync)
      : parameters_(parameters), sync_(sync) {}

  bool Measures() const { return parameters_.tolerance > 0.0; }

  bool NeedsSweep() const {
    return !ended_ && sweeps_ < (Measures() ? parameters_.max_sweeps : parameters_.sweeps);
  }

  /// @param change  this rank's largest change of a relative velocity in the sweep [m/s], if
  ///                measured
  void RecordSweep(double change);

  /// β of a sweep, counted from 0.
  double MomentumOf(int sweep) const { return momentum_.MomentumOf(sweep); }

  /// Call this after the last sweep. Sets sweeps, converged and stalled, but no residuals.
  SolveReport Report();

 private:
  void Check(double change);

  const SolverParameters& parameters_;
  MaxSync& sync_;
  int sweeps_ = 0;
  int measured_ = 0;           // sweeps whose maximum is known
  bool is_in_flight_ = false;  // whether the last all-reduce has yet to be finished
  bool ended_ = false;
  bool converged_ = false, stalled_ = false;
  double min_change_ = std::numeric_limits<double>::infinity();  // of all measured sweeps
  double min_before_ = std::numeric_limits<double>::infinity();  // min_change_ at the last check
  int next_check_ = 400;
  MomentumSchedule momentum_{parameters_.ActiveMomentum()};
};

}  // namespace scree
