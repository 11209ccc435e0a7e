/// \file  Decides which bonds the solution of a step breaks.
///
/// A bond breaks at the end of a step in which its contact opens, or slides, or rolls or spins at
/// the limit of its moments. What sweeps leave unsolved may look like that, in two ways.
///
/// The velocities that this step's sweeps leave: let f be the velocity at which a bond opens or
/// slides. While a bond seems to fail, the sweeps of the step are continued in rounds, each of
/// which doubles their number. An error that sweeps reduce geometrically is C, C x, C x², C x⁴, ...
/// after the rounds, so from the changes d₁ and d₂ of f in the last two rounds follow
///
///     q = d₂/d₁ = x (1 + x),   and the error of f,   e = d₂ x²/(1 − x²).
///
/// Before the error begins to decrease the changes double, q ≥ 1, and nothing is known of e. (With
/// rounds of equal length slow convergence would look like a solution.) If it decreases as slowly
/// as the inverse number of sweeps, it is d₂. So the error is taken to be kMargin times the larger
/// of e and d₂.
///
/// The velocities that earlier steps left: bodies that intact bonds hold have no relative velocity.
/// If they have, the structure moves though it should not, and stopping it may need more than its
/// strength. So a bond breaks if f grows in the step by more than its error and the largest
/// velocity before the step at any bond that holds. It waits otherwise, and the step, solved well,
/// leaves velocities from which the next one can decide. A bond that would go on opening for more
/// than 1/kStopping steps breaks too: a wall that pulls at a constant speed makes nothing grow.
///
/// If the rounds do not settle all that seems to fail, as in impacts, a bond breaks if f grows by
/// kClear of the change of velocity by its pull, and by more than its change in the last round.
/// Structures that yield slowly, as between plates that move at a constant speed, may never show
/// such a growth: many bonds are at their limits, and sweeps converge slowly. Meanwhile the
/// velocities that sweeps leave are real, so that the body flows. So a bond that stays undecided
/// also breaks once it has opened or slipped by kMoved of the path on which its pull would move it
/// in a step, and goes on faster than all that hold; or by kMovedOfRounding of the rounding of its
/// bodies, before their corners overlap.
///
/// In steps that are continued, bonds do not close the gaps that were left since their birth, which
/// needs forces.
#pragma once

#include <span>
#include <vector>

#include "engine/contacts/bond_table.hpp"
#include "engine/contacts/warm_start.hpp"
#include "engine/ranks/phase_timer.hpp"
#include "engine/step/candidate_lists.hpp"
#include "engine/step/step_contacts.hpp"
#include "engine/step/step_setup.hpp"
#include "engine/step/step_solve.hpp"

namespace scree {

/// A bond whose contact opens or slides, at its fastest point.
struct BondFailure {
  BondContact contact;
  BondState state = BondState::kIntact;
  double velocity = 0.0;  // f [m/s]
  bool breaks = false;    // otherwise it waits
};

/// Of all ranks.
struct FailureSearch {
  bool any = false;           // a bond seems to fail, or did before the sweeps were continued
  bool is_undecided = false;  // the sweeps ended before all was decided
};

/// Continues the sweeps of a solved step while bonds seem to fail, and decides which do. Costs one
/// reduction if none does. Collective.
/// @param is_alert  whether bonds seemed to fail not long ago. If so, sweeps are also continued
///                  while bonds that hold are not at rest.
/// @param failures  one of each bond that fails
FailureSearch FindBondFailures(const StepSetup& setup, const Particles& particles,
                               const StepContacts& contacts, Halo& halo, PhaseTimer& timer,
                               StepSolve& solve, const BondTable& bonds, bool is_alert,
                               std::vector<BondFailure>& failures);

/// Breaks the bonds that fail, and counts those that wait. Collective.
/// @param warm_start  with the impulses of this step; null: none are stored
void BreakBonds(const StepSetup& setup, const Particles& particles, const StepContacts& contacts,
                const StepSolve& solve, const CandidateLists& lists,
                std::span<const BondFailure> failures, WarmStart* warm_start, BondTable& bonds);

}  // namespace scree
