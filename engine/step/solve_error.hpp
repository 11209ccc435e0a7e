/// \file  What the sweeps of a step leave of its contact problem: the difference to the same
/// problem
///        solved on, with many times the sweeps. A residual does not tell: it understates the error
///        of impulses up to 10 000 times, in long chains of contacts most.
#pragma once

#include <vector>

#include "engine/step/step_contacts.hpp"
#include "engine/step/step_solve.hpp"

namespace scree {

/// Sums over the contacts of all ranks and over the steps measured, λ of the step beside λ* of the
/// problem solved on.
struct SolveError {
  int steps = 0;                              // measured
  double squared_error = 0.0, squared = 0.0;  // Σ ‖λ − λ*‖², Σ ‖λ*‖² [N² s²]
  double normal_squares[2] = {}, normals[2] = {};  // Σ λₙ², Σ λₙ; of λ, of λ*
  std::vector<double> load_errors = {}, loads = {};  // of each wall ‖F − F*‖², ‖F*‖² [N²]

  /// ‖λ − λ*‖/‖λ*‖.
  double OfImpulses() const;
  /// RMS of λₙ over that of λ*ₙ, less 1.
  double OfNormalRms() const;
  /// The same of their mean.
  double OfNormalMean() const;
  /// ‖F − F*‖/‖F*‖ of a wall's load, root mean squares over the steps.
  double OfLoad(std::size_t wall) const;

  SolveError& operator+=(const SolveError& other);
};

/// How many times the sweeps of the step its problem is solved on with: at ten times an error of
/// 28 % is known to 4 % (a step of a hopper, 18 sweeps), and once in a thousand steps that costs a
/// hundredth of the time.
inline constexpr int kSweepsOfMeasurement = 10;
inline constexpr int kStepsPerMeasurement = 1000;

/// Of the step just solved, whose impulses and velocities stay as they are. Collective.
SolveError MeasureSolveError(const StepSetup& setup, const Particles& particles,
                             const StepContacts& contacts, Halo& halo, const StepSolve& solve);

}  // namespace scree
