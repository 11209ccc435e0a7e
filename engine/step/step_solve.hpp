/// \file  The contact problem of one step, and its solution by sweeps.
#pragma once

#include <cstdint>
#include <vector>

#include "engine/contacts/contact_counts.hpp"
#include "engine/contacts/warm_start.hpp"
#include "engine/particles/particles.hpp"
#include "engine/ranks/communicator.hpp"
#include "engine/ranks/phase_timer.hpp"
#include "engine/step/candidate_lists.hpp"
#include "engine/step/free_walls.hpp"
#include "engine/step/step_bodies.hpp"
#include "engine/step/step_cell.hpp"
#include "engine/step/step_contacts.hpp"
#include "engine/step/step_forces.hpp"
#include "engine/step/step_setup.hpp"
#include "solvers/batches/contact_batches.hpp"
#include "solvers/sweeps/coarse_correction.hpp"
#include "solvers/sweeps/scheme.hpp"
#include "solvers/sweeps/solve_report.hpp"

namespace scree {

struct StepSolve {
  explicit StepSolve(const StepSetup& setup) : bodies(BodiesFor(setup)) {}

  // Of local particles, then of wall bodies: 0, but for patches of free walls [1/kg].
  std::vector<double> inverse_masses;
  StepForces forces;           // other than of contacts
  StepBodies bodies;           // at the velocities of the sweeps
  ContactBatches batches;      // StepContacts::treated, then mirrors
  std::vector<Index> impacts;  // numbers of the treated that have to rebound, ascending
  FreeWalls free_walls;
  StepCell cell;
  SolveReport report;  // without residuals
  bool keeps_guess = false;
  std::vector<Vec3> guess;  // λ of the treated contacts as the sweeps begin, if it is kept [N s]
  Traffic sent;             // by this rank in the sweeps of the velocities and their correction

  // Scratch.
  ContactCounts counts;
  std::vector<std::int64_t> keys;
  SchemeScratch scheme;
  CoarseCorrection coarse;
  std::vector<double> heights;  // levels of bodies
};

/// Makes room for all candidates, so that the arrays need not grow until the next lists.
void Reserve(const StepSetup& setup, const CandidateLists& lists, const Particles& particles,
             StepSolve& solve);

/// Bodies at their free velocities, contacts, and the additional laws of these. Collective over the
/// peers of the halo, in scenes with free walls over all ranks.
/// @param contacts    bodies of free walls are completed
/// @param warm_start  impulses to start with; null: zero
/// @param positions   told of the contacts; null: no projection follows
void AssembleProblem(const StepSetup& setup, const Particles& particles, StepContacts& contacts,
                     const WarmStart* warm_start, CandidateLists& lists, StepSolve& solve,
                     PositionProjection* positions);

/// Impulses, and the velocities that they leave the bodies with. Collective.
/// @param timer  gets the time of sweeps and messages
void SolveProblem(const StepSetup& setup, const Particles& particles, const StepContacts& contacts,
                  Halo& halo, PhaseTimer& timer, StepSolve& solve);

/// Continues a solved step with more sweeps, without the load searches. Collective.
void ContinueSweeps(const StepSetup& setup, const Particles& particles, Halo& halo, int sweeps,
                    StepSolve& solve);

/// What the scheme asks for besides the velocities of the bodies.
SchemeInput InputOfScheme(const Particles& particles, const StepSolve& solve);

/// λ of the treated contacts [N s].
std::vector<Vec3> ImpulsesOf(const StepContacts& contacts, const StepSolve& solve);

/// What the additional laws add to λ on body a, of the treated contacts [N s]; empty where none
/// acts.
std::vector<Vec3> LawImpulsesOf(const StepContacts& contacts, const StepSolve& solve);

/// How well the problem was solved, over all ranks. Collective.
SolveReport ReportOf(const StepSetup& setup, const StepContacts& contacts, const StepSolve& solve);

}  // namespace scree
