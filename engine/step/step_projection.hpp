/// \file  The second stage of a step: removes overlaps without changing the velocities
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

inline bool HasProjection(const StepSetup& setup) {
  return setup.projection.sweeps > 0 && setup.projection.fraction > 0.0;
}

/// Reserves memory that suffices until the next lists. Reads the capacity of the batches, so the
/// Reserve of the solve must come first.
void Reserve(const StepSetup& setup, const Particles& particles, const StepSolve& solve,
             ExchangePlan& plan, StepProjection& projection);

/// Computes the displacements of the bodies. They are zero if no rank has an overlap of more than
/// twice the slop, so that particles at rest do not move in every step. Collective.
/// @param deepest     largest overlap of all ranks at the beginning of the step [m]
/// @param solve       solved; its bodies and batches are only read
/// @param projection  its positions have the contacts (set by AssembleProblem)
void ProjectPositions(const StepSetup& setup, const Particles& particles, double deepest,
                      ExchangePlan& plan, PhaseTimer& timer, StepSolve& solve,
                      StepProjection& projection);

}  // namespace scree
