/// \file  The second stage of a step: overlaps are removed without touching the velocities
///        (solvers/sweeps/position_projection).
#pragma once

#include "engine/particles/particles.hpp"
#include "engine/ranks/body_exchange.hpp"
#include "engine/ranks/phase_timer.hpp"
#include "engine/step/candidate_lists.hpp"
#include "engine/step/step_contacts.hpp"
#include "engine/step/step_setup.hpp"
#include "engine/step/step_solve.hpp"
#include "solvers/sweeps/position_projection.hpp"

namespace scree {

struct StepProjection {
  PositionProjection positions;  // of the last step
  DisplacementBuffers buffers;   // scratch
};

/// Whether a step has this stage.
inline bool Projects(const StepSetup& setup) {
  return setup.projection.sweeps > 0 && setup.projection.share > 0.0;
}

/// Makes room for all candidates, so that the arrays need not grow until the next lists; after that
/// of the solve, whose batches it follows.
void Reserve(const StepSetup& setup, const Particles& particles, const StepSolve& solve,
             ExchangePlan& plan, StepProjection& projection);

/// Displacements of the bodies, none if no rank has an overlap beyond twice the slop: what is left
/// at rest is then not touched in every step. Collective.
/// @param deepest  greatest overlap of all ranks at the beginning of the step [m]
/// @param solve    solved; its bodies and batches are only read
/// @param projection  its positions have been told of the contacts (AssembleProblem)
void ProjectPositions(const StepSetup& setup, const Particles& particles, double deepest,
                      ExchangePlan& plan, PhaseTimer& timer, StepSolve& solve,
                      StepProjection& projection);

}  // namespace scree
