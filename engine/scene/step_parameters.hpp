/// \file  What the user chooses about one time step.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>

#include "solvers/base/check.hpp"
#include "solvers/sweeps/solver_parameters.hpp"

namespace scree {

/// A gap of at most this many of the smallest radii is closed, the literature's "touching": the
/// 10 nm of the channel paper for its spheres of 0.47 mm, small against the slop (kSlopRadii).
inline constexpr double kClosedRadii = 1e-8 / 0.47e-3;
inline double ClosedGap(double smallest_radius) { return kClosedRadii * smallest_radius; }

/// Bodies touch where their gap at an instant is at most this many of the smallest radii. Unlike
/// closed contacts, and those that carry a load in a step, their number has a limit for short
/// steps: steps leave gaps and overlaps of up to (v dt)²/r, and bodies part and meet again within a
/// step (engine/time_steps.md, Contacts per particle).
inline constexpr double kTouchingRadii = 0.01;
inline double GapOfTouching(double smallest_radius) { return kTouchingRadii * smallest_radius; }

/// The base step (step/base_step.hpp) of millimetre grains, and of runs that do not say theirs [s].
inline constexpr double kBaseStep = 1e-9;
/// When nothing happens any more, in steps: later than any run.
inline constexpr std::int64_t kNoEvent = std::int64_t{1} << 60;
/// Of figures of flows, unless another is asked for.
inline constexpr double kAccuracy = 0.01;

/// A moment for readers: "step 77", or of automatic steps, whose count tells nothing, "0.25 s".
/// @param base  length of a step, or of the base step of automatic ones [s]
inline std::string MomentText(bool is_automatic, double base, std::int64_t step) {
  if (!is_automatic) return Text("step ", step);
  return Text(base * static_cast<double>(step), " s");
}

/// StepParameters::balance, if it is no number of steps.
inline constexpr std::int64_t kNeverBalance = 0;
inline constexpr std::int64_t kBalanceWhenItPays = -1;

struct StepParameters {
  double dt = 1e-5;          // time step, or the base step in which time is counted [s], > 0
  double accuracy = 0.0;     // > 0: a step takes as many base steps as figures good to this share
                             // allow (adaptive_step.hpp); 0: each takes one
  int position_sweeps = -1;  // of the projection of positions; 0: overlaps are removed through the
                             // velocities (Baumgarte stabilisation), for cold starts;
                             // < 0: automatic (PositionSweeps)
  double slop = -1.0;        // an overlap that the projection leaves [m]; < 0: automatic
  double error_reduction = 0.8;        // share of an overlap removed in one step, 0..1 [-]
  double max_correction_speed = -1.0;  // cap on the speed of that [m/s]; < 0: automatic
  bool automatic_sweeps = false;       // by the measured error of solves (automatic_sweeps.hpp)
  double force_accuracy = -1.0;        // that these aim at, of impulses [-]; < 0: automatic
  bool warm_start = true;              // begin with the impulses of the last step
  bool speculative = true;             // include open gaps that would close within the step
  double contact_threshold = -1.0;  // if not speculative: gaps up to this take part [m]; < 0: those
                                    // that are closed (ClosedGap)
  double skin = -1.0;               // extra reach of the neighbour list [m]; < 0: automatic
  /// When the subdomains are cut anew by the work that was counted (step/load_balance): never, when
  /// it pays, or every so many steps. Where not never, also at the start.
  std::int64_t balance = kNeverBalance;
  /// Ten sweeps with momentum carry a push as far as nearly forty plain ones
  /// (solvers/performance.md, A dense flow and its limit).
  SolverParameters solver = {.momentum = 0.85};

  /// @pre dt is the base step of automatic steps
  std::string Moment(std::int64_t step) const { return MomentText(accuracy > 0.0, dt, step); }
};

/// The slop, unless given, in radii. Overlaps of a pile at rest stay below twice as much, so that
/// its contacts are closed for good; large against what ten sweeps leave in tens of layers at rest,
/// small against what they leave in a flow.
inline constexpr double kSlopRadii = 3e-4;
inline double SlopOf(const StepParameters& parameters, double smallest_radius) {
  return parameters.slop >= 0.0 ? parameters.slop : kSlopRadii * smallest_radius;
}

/// Sweeps of the projection of positions: unless given, eight tenths of those of the velocities, 1
/// to 5, or to 10 where these are plain. In a dense flow eight leave a fifth less overlap than
/// five, for a fortieth of the time, and sweeps with momentum leave a third less than plain ones
/// (engine/performance.md, solvers/performance.md); more than of the velocities make tall piles
/// ring (solvers/README.md), and so do two with five.
inline int PositionSweeps(const StepParameters& parameters) {
  if (parameters.position_sweeps >= 0) return parameters.position_sweeps;
  const int most = parameters.solver.ActingMomentum() > 0.0 ? 5 : 10;
  return std::clamp(8 * parameters.solver.sweeps / 10, 1, most);
}

}  // namespace scree
