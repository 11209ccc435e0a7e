#include "solvers/sweeps/sweep_control.hpp"

#include <algorithm>

namespace scree {

void SweepControl::RecordSweep(double change) {
  ++sweeps_;
  if (!Measures()) return;
  if (travels_) Judge(sync_.TakeMax());
  travels_ = !ended_;
  if (travels_) sync_.SendMax(change);
}

void SweepControl::Judge(double change) {
  ++judged_;
  converged_ = change <= parameters_.tolerance;
  least_ = std::min(least_, change);
  const bool may_stall = momentum_.IsLetGo();
  momentum_.Record(change);
  if (!may_stall) next_check_ = std::max(next_check_, 2 * judged_);
  if (judged_ == next_check_) {
    constexpr double kProgress = 0.99;
    stalled_ = !converged_ && !(least_ < kProgress * least_before_);
    least_before_ = least_;
    next_check_ *= 2;
  }
  ended_ = converged_ || stalled_;
}

SolveReport SweepControl::Report() {
  if (travels_) Judge(sync_.TakeMax());
  travels_ = false;
  SolveReport report;
  report.sweeps = sweeps_;
  if (Measures()) report.converged = converged_;
  report.stalled = stalled_;
  return report;
}

}  // namespace scree
