/// \file  Describes the accuracy of a scene or run in words. Only this file has the limits of good
///        and doubtful values.
#pragma once

#include <string>
#include <vector>

#include "engine/scene/scene.hpp"
#include "engine/step/solve_error.hpp"

namespace scree {

/// Dimensionless quantities that bound the errors, with the smallest radius r. Unknown quantities
/// are zero.
struct AccuracyMeasures {
  double overlap = 0.0;        // largest overlap / r
  double overlap_time = -1.0;  // time of the first log line after this overlap [s]; < 0: unknown
  double travel = 0.0;         // largest v dt / r of particles that do not rebound
  double impacts = 0.0;        // largest v dt / r of particles that rebound
  double fall = 0.0;           // g dt² / r
  double strain = 0.0;         // γ dt in a sheared domain
  double masses = 0.0;         // heaviest over lightest particle; 0 without gravity
  double residual = 0.0;       // RMS residual of a step over max(g dt, largest speed)
  double step_accuracy = 0.0;  // time.accuracy that corresponds to the longest step
};

/// Up to `good`, a quantity causes errors no larger than those of the scheme itself. Above
/// `doubtful`, results may be meaningless.
struct AccuracyScale {
  const char* name;
  double AccuracyMeasures::*measure;
  double good, doubtful;
  const char* cure;
};

/// Advice if steps are too long.
inline constexpr const char* kShorterStep = "[time] step = auto, or a shorter step";

/// Path per step in radii. The scheme keeps the direction of contacts constant during a step. Above
/// `good`, too many contacts rotate and too many new pairs meet within a step. Up to `good`, rates
/// and energies of flows without rebounds are accurate to 1 % (engine/time_steps.md).
inline constexpr AccuracyScale kTravel = {"v dt / r", &AccuracyMeasures::travel, 0.5, 1.0,
                                          kShorterStep};
/// Bodies rebound at the beginning of a step, no matter when in the step their surfaces meet, so
/// their paths per step must be shorter.
inline constexpr AccuracyScale kTravelOfImpacts = {
    "v dt / r of rebounding bodies", &AccuracyMeasures::impacts, 0.05, 0.25, kShorterStep};
/// Above `good`, the weight alone presses resting particles visibly into each other in one step.
inline constexpr AccuracyScale kFall = {"g dt^2 / r", &AccuracyMeasures::fall, 4e-3, 3e-2,
                                        kShorterStep};
/// Overlaps in a dense sheared gas are 0.7 % of a radius at γ dt = 0.005, 4 % at 0.02 and 37 % at
/// 0.1. At 0.1, the normal stress is nearly three times that of small steps.
inline constexpr AccuracyScale kStrain = {"gamma dt", &AccuracyMeasures::strain, 0.005, 0.02,
                                          kShorterStep};
inline constexpr AccuracyScale kOverlap = {"overlap / r", &AccuracyMeasures::overlap, 0.05, 0.15,
                                           "a shorter [time] step, or with step = auto a smaller "
                                           "time.accuracy; more [solver] sweeps"};
/// The lighter the bodies below, the more sweeps it takes to stop a body on them. Spheres 100 and
/// 1000 times as heavy as those of their bed come to rest. At a mass ratio of 1e4, the force on the
/// floor scatters by 8 %. Above 1e6, grains may be thrown out (solvers/README.md, Heavy bodies).
inline constexpr AccuracyScale kMasses = {"heaviest / lightest", &AccuracyMeasures::masses, 9e3,
                                          1e6, "particles of more similar mass"};
/// Velocity error that a solve leaves; forces have about the same relative error.
inline constexpr AccuracyScale kResidual = {"residual / (g dt or v)", &AccuracyMeasures::residual,
                                            0.05, 0.2, "more [solver] sweeps"};

/// One or two lines: "good", "fair" or "DOUBTFUL", the reasons and the remedies. If not doubtful,
/// also the accuracy that corresponds to the step length, and the cost of half the step.
std::string AccuracyInWords(const AccuracyMeasures& measures);

/// Errors measured in single steps: "solve, against 10 times the sweeps in 5 steps: the force at
/// a contact in one step is off by 28 %, ...; loads of walls off by: floor 0.4 %. ...". Means over
/// time are more accurate, because the momentum balance determines them.
/// @pre error.steps > 0
std::string SolveErrorInWords(const Scene& scene, const SolveError& error);

/// Contribution of the step to an error bar, in units of the accuracy at which the length of the
/// step aims. The aim may be missed: of the ten scenes from which the limits were derived, nine
/// differ by up to 1.8 times the aim from runs with a quarter of the step, and one by 3.8 times
/// (engine/time_steps.md).
inline constexpr double kStepErrorFactor = 2.0;

/// Estimated errors of means over a run, in addition to their scatter.
struct ErrorBars {
  double step = 0.0;    // kStepErrorFactor times AccuracyMeasures::step_accuracy; not measured
  double solve = 0.0;   // SolveError::RelativeEnergyError; infinite: not known
  double stress = 0.0;  // SolveError::StressError; 0: there is no cell
  double energy = 0.0;  // largest term of the energy balance, to which errors of energies are
                        // relative; 0: not recorded [J]
};

/// "error bars of means: flow 4.1 % (2 % for the step, not measured; 2.1 % for the solve), ...".
/// Small terms of an energy balance are known only to a fraction of its largest term.
std::string ErrorBarsInWords(const ErrorBars& bars);

}  // namespace scree
