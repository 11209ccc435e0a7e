/// \file  Who does how much of a step's work, and when the subdomains are cut anew for that.
///
/// Work is counted, never timed: equal runs stay equal. In nanoseconds of one core, roughly
/// (engine/performance.md):
///
///     work = c₁ particles + c₂ candidates + contacts (c₃ + c₄ sweeps + c₅ position sweeps)
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "engine/particles/particles.hpp"
#include "engine/ranks/bisection.hpp"
#include "engine/ranks/communicator.hpp"
#include "engine/step/candidate_lists.hpp"
#include "engine/step/restart_point.hpp"
#include "engine/step/state.hpp"
#include "engine/step/step_contacts.hpp"
#include "engine/step/step_setup.hpp"

namespace scree {

/// Greatest over mean of the ranks' shares; 1: all have the same.
struct LoadImbalance {
  double particles = 1.0;
  double contacts = 1.0;
  double work = 1.0;
};

/// Of the last step, over all ranks. Collective.
/// @param sweeps  that it did
LoadImbalance MeasureImbalance(const StepSetup& setup, const Particles& particles,
                               const CandidateLists& lists, const StepContacts& contacts,
                               int sweeps);

/// The work of the last step, by places.
std::vector<WorkItem> WorkOfStep(const StepSetup& setup, const Particles& particles,
                                 const CandidateLists& lists, const StepContacts& contacts,
                                 int sweeps);

/// Cuts for this work, for so many ranks, which need not be there. Collective.
/// @param before  the cuts that there are
Bisection BisectWork(const StepSetup& setup, int ranks, std::vector<WorkItem> items,
                     const std::vector<Cut>& before);

/// How often ranks look at the imbalance though no new lists are due [steps].
inline constexpr std::int64_t kBalanceCheckInterval = 5;

/// Adds the steps since the last look to the book.
/// @param balance        StepParameters::balance, not never
/// @param lists_are_due  at this step: a move costs less then
/// @returns whether to look for better cuts
bool IsTimeToBalance(std::int64_t balance, std::int64_t step, double imbalance, bool lists_are_due,
                     LoadBalanceState& book);

/// Whether to take the cuts that were found; the book begins anew.
bool IsRebalanceWorthwhile(std::int64_t balance, double imbalance, const Bisection& found,
                           LoadBalanceState& book);

/// Subdomains for particles that may be anywhere, if they follow the work. Collective.
/// @param impulses  that the particles remember
void CutByParticles(StepSetup& setup, const Particles& particles,
                    std::span<const StoredImpulse> impulses);
/// Once more, now that the contacts of a first step can be counted. Collective.
void CutByContacts(StepSetup& setup, const State& state, const CandidateLists& lists);

/// New subdomains after a step, if they pay. Collective.
/// @param steps_done  since the start of the run
/// @param sweeps      that the last one did
/// @returns whether there are any: new lists are due, with which particles and what they remember
///          travel
/// @throws SimulationError on all ranks if the state is no longer valid
bool Balance(StepSetup& setup, const State& state, std::int64_t steps_done,
             const CandidateLists& lists, const StepContacts& contacts, int sweeps,
             LoadBalanceState& book);

}  // namespace scree
