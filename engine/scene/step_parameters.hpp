/// \file  User parameters of a time step.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>

#include "solvers/base/check.hpp"
#include "solvers/sweeps/solver_parameters.hpp"

namespace scree {

/// Largest gap of a closed contact, in units of the smallest radius. It is the 10 nm that the
/// paper of apps/scenes/channel.ini uses for spheres of radius 0.47 mm, and is small compared with
/// the slop (kSlopRadii).
inline constexpr double kClosedRadii = 1e-8 / 0.47e-3;
inline double ClosedGap(double smallest_radius) { return kClosedRadii * smallest_radius; }

/// Contacts with gaps up to this, in units of the smallest radius, count as touching. Their number
/// at an instant converges for short steps. The numbers of closed contacts, and of contacts that
/// carry a load in a step, do not: steps leave gaps and overlaps of up to (v dt)²/r, and bodies
/// separate and meet again within a step (engine/time_steps.md, Contacts per particle).
inline constexpr double kTouchingRadii = 0.01;
inline double GapOfTouching(double smallest_radius) { return kTouchingRadii * smallest_radius; }

/// Default base step (step/base_step.hpp), suitable for millimetre particles [s].
inline constexpr double kBaseStep = 1e-9;
/// A step later than the end of any run: no further event.
inline constexpr std::int64_t kNoEvent = std::int64_t{1} << 60;
/// Default relative accuracy of flow quantities.
inline constexpr double kAccuracy = 0.01;

/// A moment in messages: "step 77" or, for automatic steps, whose count has no meaning, "0.25 s".
/// @param base  length of a step, or of the base step of automatic steps [s]
inline std::string MomentText(bool is_automatic, double base, std::int64_t step) {
  if (!is_automatic) return Text("step ", step);
  return Text(base * static_cast<double>(step), " s");
}

/// Values of StepParameters::balance that are not a number of steps.
inline constexpr std::int64_t kNeverBalance = 0;
inline constexpr std::int64_t kBalanceWhenWorthwhile = -1;

struct StepParameters {
  double dt = 1e-5;          // length of a step, or of a base step if steps are automatic [s], > 0
  double accuracy = 0.0;     // > 0: relative accuracy of flow quantities, which limits the number
                             // of base steps in a step (adaptive_step.hpp); 0: one base step
  int position_sweeps = -1;  // of the position projection; 0: overlaps are removed through the
                             // velocities (Baumgarte stabilisation), for cold starts;
                             // < 0: automatic (PositionSweeps)
  double slop = -1.0;        // overlap that the projection leaves [m]; < 0: automatic
  double error_reduction = 0.8;        // fraction of an overlap removed in one step, 0..1 [-]
  double max_correction_speed = -1.0;  // limit of the correction speed [m/s]; < 0: automatic
  bool automatic_sweeps = false;       // the error sets the number of sweeps (automatic_sweeps.hpp)
  double force_accuracy = -1.0;        // error that automatic sweeps accept [-]; < 0: automatic
  bool warm_start = true;              // start from the impulses of the last step
  bool speculative = true;             // include open gaps that could close within the step
  double contact_threshold = -1.0;  // if not speculative: largest active gap [m]; < 0: the gap of
                                    // closed contacts (ClosedGap)
  double skin = -1.0;               // extra reach of the neighbour list [m]; < 0: automatic
  /// When subdomains are rebalanced by the recorded work (step/load_balance): never, when it pays,
  /// or every `balance` steps. Except with "never", they are also balanced at the start.
  std::int64_t balance = kNeverBalance;
  /// Ten sweeps with this heavy-ball term propagate an impulse about as far as forty without it
  /// (solvers/performance.md, A dense flow: momentum).
  SolverParameters solver = {.momentum = 0.85};

  /// @pre if steps are automatic, dt is the base step
  std::string Moment(std::int64_t step) const { return MomentText(accuracy > 0.0, dt, step); }
};

/// Default slop in radii. Overlaps of a pile at rest stay below twice the slop. The projection then
/// does not act, so that contacts stay closed. The slop is large compared with the overlap that ten
/// sweeps leave in tens of layers at rest, and small compared with the overlap that ten sweeps
/// leave in a flow.
inline constexpr double kSlopRadii = 3e-4;
inline double SlopOf(const StepParameters& parameters, double smallest_radius) {
  return parameters.slop >= 0.0 ? parameters.slop : kSlopRadii * smallest_radius;
}

/// Sweeps of the position projection. The default is 0.8 of the velocity sweeps, at least 1 and at
/// most 5 (10 without the heavy-ball term). In a dense flow eight sweeps would leave a fifth less
/// overlap than five, but a step would take a fortieth longer. The heavy-ball term reduces the
/// remaining overlap by a third (engine/performance.md, solvers/performance.md). Tall piles
/// oscillate with more position sweeps than velocity sweeps (solvers/README.md), or with two
/// position and five velocity sweeps.
inline int PositionSweeps(const StepParameters& parameters) {
  if (parameters.position_sweeps >= 0) return parameters.position_sweeps;
  const int max = parameters.solver.ActiveMomentum() > 0.0 ? 5 : 10;
  return std::clamp(8 * parameters.solver.sweeps / 10, 1, max);
}

}  // namespace scree
