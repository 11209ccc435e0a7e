/// \file  Measures the work of each rank in a step, and decides when to rebalance the subdomains.
///
/// Work is counted, never timed, so that equal runs stay equal. The work in nanoseconds on one core
/// (engine/performance.md) is about
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

/// Load imbalance (maximum over mean of the ranks); 1: equal on all ranks.
struct LoadImbalance {
  double particles = 1.0;
  double contacts = 1.0;
  double work = 1.0;
};

/// The imbalance of the last step, over all ranks. Collective.
/// @param sweeps  number of sweeps in that step
LoadImbalance MeasureImbalance(const StepSetup& setup, const Particles& particles,
                               const CandidateLists& lists, const StepContacts& contacts,
                               int sweeps);

/// The work of this rank in the last step, as items at positions.
std::vector<WorkItem> WorkOfStep(const StepSetup& setup, const Particles& particles,
                                 const CandidateLists& lists, const StepContacts& contacts,
                                 int sweeps);

/// Computes cuts for this work and a number of ranks, which may differ from the actual number.
/// Collective.
/// @param old_cuts  the existing cuts
Bisection BisectWork(const StepSetup& setup, int ranks, std::vector<WorkItem> items,
                     const std::vector<Cut>& old_cuts);

/// Interval of the checks of the imbalance if no new lists are due [steps].
inline constexpr std::int64_t kBalanceCheckInterval = 5;

/// Adds to the record the delay that imbalance has caused in the steps since the last check.
/// @param balance        StepParameters::balance, not kNeverBalance
/// @param lists_are_due  whether new lists are due at this step, which makes rebalancing cheaper
/// @returns whether to search for better cuts
bool RecordImbalance(std::int64_t balance, std::int64_t step, double imbalance, bool lists_are_due,
                     LoadBalanceState& record);

/// Decides whether to use the new cuts, resets the delay, adapts the patience and counts
/// rebalances.
/// @returns whether to use the cuts
bool DecideRebalance(std::int64_t balance, double imbalance, const Bisection& bisection,
                     LoadBalanceState& record);

/// Cuts the domain by the work that particles and their stored impulses predict, if
/// StepSetup::IsBalanced. The particles may be on any rank. Collective.
/// @param impulses  stored impulses of the particles
void CutByParticles(StepSetup& setup, const Particles& particles,
                    std::span<const StoredImpulse> impulses);
/// Cuts the domain again, by the work of the contacts of the first step. Collective.
void CutByContacts(StepSetup& setup, const State& state, const CandidateLists& lists);

/// Rebalances the subdomains after a step if that is worthwhile. Collective.
/// @param steps_done  since the start of the run
/// @param sweeps      number of sweeps in the last step
/// @returns whether the subdomains have changed. If so, new lists are due, and the particles and
///          their stored impulses migrate with them.
/// @throws SimulationError on all ranks if the state is no longer valid
bool Balance(StepSetup& setup, const State& state, std::int64_t steps_done,
             const CandidateLists& lists, const StepContacts& contacts, int sweeps,
             LoadBalanceState& record);

}  // namespace scree
