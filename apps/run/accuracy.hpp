/// \file  Describes the accuracy of a scene or run in words. Only this file has the limits of good
///        and doubtful values.
#pragma once

#include <string>
#include <vector>

#include "engine/scene/scene.hpp"
#include "engine/step/solve_error.hpp"

namespace scree {

/// Dimensionless quantities that bound the errors; unknown ones stay zero. r is the smallest
/// radius.
struct AccuracyFigures {
  double overlap = 0.0;   // largest, over r
  double travel = 0.0;    // v dt / r of the fastest, without rebounds
  double impacts = 0.0;   // the same where bodies rebound
  double fall = 0.0;      // g dt² / r
  double strain = 0.0;    // γ dt of a sheared domain
  double masses = 0.0;    // heaviest over lightest particle, where there is a weight
  double residual = 0.0;  // RMS of a step's, over the greater of g dt and the largest speed
  double of_step = 0.0;   // time.accuracy of which the longest step is
};

/// A value up to `good` causes errors of the order of the scheme's own; above `doubtful` the
/// results may be meaningless.
struct AccuracyScale {
  const char* name;
  double AccuracyFigures::*figure;
  double good, doubtful;
  const char* cure;
};

/// Advice for steps that are too long.
inline constexpr const char* kShorterStep = "[time] step = auto or a shorter one";

/// Of a radius per step: above `good` contacts turn and pairs meet too much within one step for a
/// contact that is straight during it. Rates and energies of flows without rebounds are within a
/// hundredth up to there (engine/time_steps.md).
inline constexpr AccuracyScale kTravel = {"v dt / r", &AccuracyFigures::travel, 0.5, 1.0,
                                          kShorterStep};
/// Rebounds happen at the beginning of a step, wherever in it surfaces meet.
inline constexpr AccuracyScale kTravelOfImpacts = {
    "v dt / r of what rebounds", &AccuracyFigures::impacts, 0.05, 0.25, kShorterStep};
/// Above it a step's weight alone presses resting particles visibly into each other.
inline constexpr AccuracyScale kFall = {"g dt^2 / r", &AccuracyFigures::fall, 4e-3, 3e-2,
                                        kShorterStep};
/// With 0.02 overlaps of a dense sheared gas come to 4 % of a radius, with 0.005 to 0.7 %, with 0.1
/// to 37 %, and the normal stress to nearly three times that of small steps.
inline constexpr AccuracyScale kStrain = {"gamma dt", &AccuracyFigures::strain, 0.005, 0.02,
                                          kShorterStep};
inline constexpr AccuracyScale kOverlap = {"overlap / r", &AccuracyFigures::overlap, 0.05, 0.15,
                                           "a shorter [time] step or more [solver] sweeps"};
/// Sweeps bring a body to rest on lighter ones the more slowly the lighter these are. Spheres 100
/// and 1000 times as heavy as those of their bed rest; at 1e4 the force on the floor scatters by 8
/// %, and beyond 1e6 grains may be thrown out (solvers/README.md, Heavy bodies).
inline constexpr AccuracyScale kMasses = {"heaviest / lightest", &AccuracyFigures::masses, 9e3, 1e6,
                                          "particles nearer to each other in mass"};
/// Of velocities: what a solve left, forces are off by as much.
inline constexpr AccuracyScale kResidual = {"residual / (g dt or v)", &AccuracyFigures::residual,
                                            0.05, 0.2, "more [solver] sweeps"};

/// One or two lines: "good", "fair" or "DOUBTFUL", why, and what helps; of those that are not
/// doubtful, the accuracy at which the step aimed, and what half of it would cost.
std::string AccuracyInWords(const AccuracyFigures& figures);

/// What was measured of single steps: "solve, against 10 times the sweeps in 5 steps: impulses of
/// contacts are off by 28 %, ...; loads of walls off by: floor 0.4 %". Means over time are better:
/// balances of momentum fix them.
/// @pre error.steps > 0
std::string SolveErrorInWords(const Scene& scene, const SolveError& error);

}  // namespace scree
