/// \file  Motion between impacts: integrates y' = f(y, t) until a watched quantity becomes
///        negative.
#pragma once

#include <functional>
#include <span>
#include <vector>

namespace scree::impact {

using MotionState = std::vector<double>;

/// Writes y' = f(y, t).
using MotionLaw = std::function<void(const MotionState& y, MotionState& derivative, double t)>;
using MotionQuantity = std::function<double(double t, const MotionState& y)>;
using MotionObserver = std::function<void(double t, const MotionState& y)>;

/// Ends the motion when `value` passes from ≥ 0 to < 0. With its time derivative `rate`, a dip
/// below zero and back within one step is found, and a motion that starts at zero ends there only
/// if the value falls.
struct MotionWatch {
  MotionQuantity value;
  MotionQuantity rate;     // may be empty: dips within a step are then not found
  double tolerance = 0.0;  // a dip within one step is a passage if it goes below −tolerance
};

struct MotionControl {
  double tolerance = 1e-13;   // relative and absolute error per step of Dormand-Prince 5(4)
  double first_step = 1e-4;   // [s]
  double longest_step = 0.1;  // [s]; a step may miss a force that acts for less time
  /// If above 0: uses the classical Runge-Kutta method of order 4 with this step [s]. Zero
  /// crossings and samples are then interpolated linearly between steps, and dips within a step are
  /// not found.
  double fixed_step = 0.0;
  /// The observer is called at whole multiples of this [s]; 0: at the end of each step.
  double sample_step = 0.0;
};

struct MotionEnd {
  double t = 0.0;
  MotionState y;
  int watch = -1;  // number of the watch whose value became negative; −1: none until `end`
};

/// Follows the motion from (t, y) until `end` or the first zero crossing. The dense output of the
/// method locates the crossing up to rounding of t. With a fixed step, linear interpolation
/// locates it.
/// @param observer  receives the samples strictly between start and end; may be empty
/// @throws SimulationError if the state is no longer finite, or steps become too short to continue
MotionEnd FollowMotion(const MotionLaw& law, double t, MotionState y, double end,
                       std::span<const MotionWatch> watches, const MotionControl& control,
                       const MotionObserver& observer);

}  // namespace scree::impact
