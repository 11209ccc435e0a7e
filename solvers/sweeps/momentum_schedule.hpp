/// \file  The momentum of each sweep (solvers/sweeps/momentum.hpp), chosen so that sweeps converge.
///
/// Contacts that open and slide make the problem nonsmooth, and a constant β of 0.85 ends in a
/// cycle instead of at the solution: in a step of the hopper's flow at a residual of 2e-5 m/s,
/// after some hundred sweeps. So β is reduced after a hundred sweeps, and measured sweeps also
/// halve it whenever they make no progress. Then sweeps converge like plain ones, with a fraction
/// of the sweeps.
#pragma once

#include <algorithm>
#include <limits>

namespace scree {

class MomentumSchedule {
 public:
  /// @param momentum  β of the first sweeps, in [0, 1)
  explicit MomentumSchedule(double momentum) : momentum_(momentum) {}

  /// β of a sweep, counted from 0. No other schedule that we tried beats the full β in the first
  /// kFastSweeps sweeps; in later sweeps the full β slows convergence.
  double MomentumOf(int sweep) const {
    constexpr int kFastSweeps = 100;
    constexpr double kLateMomentum = 0.7;
    if (sweep == 0) return 0.0;
    return kept_ * (sweep < kFastSweeps ? momentum_ : std::min(momentum_, kLateMomentum));
  }

  /// Halves β if the change has not fallen to half of the last level within 50 sweeps.
  /// @param change  maximum change of a relative velocity in the next measured sweep [m/s]
  void Record(double change) {
    constexpr int kPatience = 50;
    ++sweeps_;
    if (change <= 0.5 * level_) {
      level_ = change;
      level_sweep_ = sweeps_;
    } else if (sweeps_ - level_sweep_ >= kPatience) {
      kept_ *= 0.5;
      level_sweep_ = sweeps_;
    }
  }

  /// Whether sweeps are nearly plain, so that momentum cannot be the reason why they do not
  /// converge.
  bool IsLetGo() const { return momentum_ * kept_ < 0.1; }

 private:
  double momentum_;
  double kept_ = 1.0;                                       // factor of β
  double level_ = std::numeric_limits<double>::infinity();  // change that is to be halved [m/s]
  int sweeps_ = 0, level_sweep_ = 0;  // recorded; when level_ or kept_ changed
};

}  // namespace scree
