/// \file  The contact problem of one step and its solution by sweeps.
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
#include "engine/step/impact_order.hpp"
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

  // Local particles, then wall bodies (0 except for patches of free walls) [1/kg].
  std::vector<double> inverse_masses;
  double last_dt = 0.0;    // length of the step over which the velocities are means; 0: none [s]
  StepForces forces;       // forces other than contact forces
  StepBodies bodies;       // with the velocities of the last sweep
  ContactBatches batches;  // the contacts of StepContacts: owned, then ghosts
  std::vector<Index> impacts;  // numbers of the owned contacts that have to rebound, ascending
  ImpactOrder impact_order;
  FreeWalls free_walls;
  StepCell cell;
  SolveReport report;  // without residuals, which ReportOf adds
  bool keeps_guess = false;
  std::vector<Vec3> guess;  // λ of the owned contacts before the sweeps, if keeps_guess [N s]
  Traffic sent;             // by this rank in all velocity solves since the start

  // Scratch.
  ContactCounts counts;
  std::vector<std::int64_t> keys;
  SchemeScratch scheme;
  CoarseCorrection coarse;
  std::vector<double> heights;  // of bodies, for the levels of the coarse correction
};

/// Reserves memory that suffices until the next lists.
void Reserve(const StepSetup& setup, const CandidateLists& lists, const Particles& particles,
             StepSolve& solve);

/// Assembles bodies at their free velocities, contacts, and the additional laws of contacts.
/// Collective over the peers of the halo; in scenes with free walls, over all ranks.
/// @param contacts    its wall bodies get the data of free walls; updates `deepest`
/// @param warm_start  starting impulses; null: zero
/// @param positions   gets the contacts; null: no projection follows
void AssembleProblem(const StepSetup& setup, const Particles& particles, StepContacts& contacts,
                     const WarmStart* warm_start, CandidateLists& lists, StepSolve& solve,
                     PositionProjection* positions);

/// Computes the impulses and the resulting velocities of the bodies. Collective.
/// @param timer  records the time of sweeps and messages
void SolveProblem(const StepSetup& setup, const Particles& particles, const StepContacts& contacts,
                  Halo& halo, PhaseTimer& timer, StepSolve& solve);

/// Adds sweeps to the solution of the step, without the line searches. Collective.
void AddSweeps(const StepSetup& setup, const Particles& particles, Halo& halo, int sweeps,
               PhaseTimer& timer, StepSolve& solve);

/// Continues the sweeps of a copy of a solved step, to measure its error. Collective.
void ContinueSweeps(const StepSetup& setup, const Particles& particles, Halo& halo, int sweeps,
                    StepSolve& solve);

/// The input of the scheme, without the velocities of the bodies.
SchemeInput InputOfScheme(const Particles& particles, const StepSolve& solve);

/// λ of the owned contacts [N s].
std::vector<Vec3> ImpulsesOf(const StepContacts& contacts, const StepSolve& solve);

/// Impulses of the additional laws on body a of each owned contact, in addition to λ [N s]; empty
/// if no law is active.
std::vector<Vec3> LawImpulsesOf(const StepContacts& contacts, const StepSolve& solve);

/// The residual r_j of contact j (solvers/sweeps/residual.hpp) [m/s].
double ResidualAt(const StepSetup& setup, const StepSolve& solve, std::size_t j);

/// Accuracy of the solution, over all ranks. Collective.
SolveReport ReportOf(const StepSetup& setup, const StepContacts& contacts, const StepSolve& solve);

}  // namespace scree
