#include "solvers/sweeps/sweep_control.hpp"

#include <algorithm>

namespace scree {

void SweepControl::RecordSweep(double change) {
  ++sweeps_;
  if (!Measures()) return;
  if (is_in_flight_) Check(sync_.FinishMax());
  is_in_flight_ = !ended_;
  if (is_in_flight_) sync_.StartMax(change);
}

void SweepControl::Check(double change) {
  ++measured_;
  converged_ = change <= parameters_.tolerance;
  min_change_ = std::min(min_change_, change);
  const bool may_stall = momentum_.IsNegligible();
  momentum_.Record(change);
  if (!may_stall) next_check_ = std::max(next_check_, 2 * measured_);
  if (measured_ == next_check_) {
    constexpr double kProgress = 0.99;
    stalled_ = !converged_ && !(min_change_ < kProgress * min_before_);
    min_before_ = min_change_;
    next_check_ *= 2;
  }
  ended_ = converged_ || stalled_;
}

SolveReport SweepControl::Report() {
  if (is_in_flight_) Check(sync_.FinishMax());
  is_in_flight_ = false;
  SolveReport report;
  report.sweeps = sweeps_;
  if (Measures()) report.converged = converged_;
  report.stalled = stalled_;
  return report;
}

}  // namespace scree
