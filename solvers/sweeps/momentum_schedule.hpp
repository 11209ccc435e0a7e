/// \file  The momentum of each sweep (solvers/sweeps/momentum.hpp), chosen so that sweeps converge.
///
/// Contacts that open and slide make the problem nonsmooth, and a constant momentum β of 0.85 ends
/// in a cycle instead of at the solution. (In a step of the hopper's flow this happens after
/// hundreds of sweeps, at a residual of 2e-5 m/s.) So β is reduced after a hundred sweeps. Solves
/// with a tolerance also halve β whenever they make no progress. They then converge as reliably as
/// without momentum, in a fraction of the sweeps.
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
    return fraction_ * (sweep < kFastSweeps ? momentum_ : std::min(momentum_, kLateMomentum));
  }

  /// Halves β if the last 50 sweeps have not halved the change. Called once per sweep.
  /// @param change  maximum change of a relative velocity in the sweep [m/s]
  void Record(double change) {
    constexpr int kPatience = 50;
    ++sweeps_;
    if (change <= 0.5 * level_) {
      level_ = change;
      level_sweep_ = sweeps_;
    } else if (sweeps_ - level_sweep_ >= kPatience) {
      fraction_ *= 0.5;
      level_sweep_ = sweeps_;
    }
  }

  /// Whether β is so small that momentum cannot be the reason if sweeps do not converge.
  bool IsNegligible() const { return momentum_ * fraction_ < 0.1; }

 private:
  double momentum_;
  double fraction_ = 1.0;                                   // fraction of β
  double level_ = std::numeric_limits<double>::infinity();  // change that is to be halved [m/s]
  int sweeps_ = 0;                                          // recorded sweeps
  int level_sweep_ = 0;  // sweep in which level_ or fraction_ last changed
};

}  // namespace scree
