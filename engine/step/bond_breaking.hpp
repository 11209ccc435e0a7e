/// \file  Decides which bonds the solution of a step breaks.
///
/// A bond breaks at the end of a step in which its contact opens, or slides, or rolls or spins at
/// the limit of its moments. Two kinds of errors of velocities may look like a failure.
///
/// 1. Errors that the sweeps of this step leave. Let f be the velocity at which a bond opens or
/// slides. While a bond seems to fail, the sweeps of the step are continued in rounds, each of
/// which doubles their number. Let x be the factor by which the sweeps before the last two rounds
/// have reduced an error that decreases geometrically. Before, between and after these rounds the
/// error is C x, C x² and C x⁴. The changes d₁ and d₂ of f in the two rounds then give
///
///     q = d₂/d₁ = x (1 + x),   and the error of f,   e = d₂ x²/(1 − x²).
///
/// Before the error begins to decrease, the changes grow (q ≥ 1), and e is unknown. (With rounds of
/// equal length, slow convergence would look like a solution.) An error that is inversely
/// proportional to the number of sweeps equals d₂. The error is therefore taken as kMargin times
/// the larger of e and d₂.
///
/// 2. Errors that earlier steps left. Bodies held by intact bonds should have no relative velocity.
/// If they have one, stopping them may need more than the strength of the structure. A bond
/// therefore breaks only if f grows from its value in the last step, which does not include the
/// load by the turn of the bodies (bond_motion.hpp), by more than its error, and by more than
/// kUnrestFactor times the largest velocity at any bond that holds. Otherwise it waits: this step
/// is solved well and leaves velocities from which the next step can decide. A bond that would
/// continue to open for more than 1/kStopping steps breaks too, because a wall that pulls at a
/// constant speed makes no velocity grow.
///
/// The rounds may leave bonds undecided, as in impacts. Then a bond breaks if f grows in the step
/// by more than kClearGrowth times the velocity change by the bond's pull, and by more than kMargin
/// times the change of f in the last round. Structures that yield slowly, such as between plates
/// that move at a constant speed, may never show such growth, because many bonds are at their
/// limits and sweeps converge slowly. But their velocities are real: the body flows. An undecided
/// bond therefore also breaks
/// * when it has opened or slipped by kBreakingPath times the path on which its pull would move it
///   in a step, and is faster than all bonds that hold;
/// * when it has opened or slipped by kBreakingPathOfRounding times the rounding radius of its
///   bodies, because after a longer path their corners would overlap.
///
/// During continued sweeps, bonds do not close gaps that earlier steps have opened, because closing
/// takes strength from other bonds.
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

/// The contact by which a bond seems to fail.
struct BondFailure {
  BondContact contact;
  BondState state = BondState::kIntact;
  double velocity = 0.0;     // f [m/s]
  bool is_breaking = false;  // otherwise it waits
};

/// Result over all ranks.
struct FailureSearch {
  bool has_candidates = false;  // a bond seems to fail, or did before the continued sweeps
  bool is_undecided = false;    // the sweeps ended before all bonds were decided
};

/// Continues the sweeps of a solved step while bonds seem to fail, and decides which bonds fail.
/// Costs one reduction if no bond seems to fail. Collective.
/// @param is_alert  whether bonds seemed to fail recently. If so, sweeps are also continued while
///                  bonds that hold are not at rest.
/// @param[out] failures  one entry for each bond that seems to fail
FailureSearch FindBondFailures(const StepSetup& setup, const Particles& particles,
                               const StepContacts& contacts, Halo& halo, PhaseTimer& timer,
                               StepSolve& solve, const BondTable& bonds, bool is_alert,
                               std::vector<BondFailure>& failures);

/// Breaks the bonds that fail, and counts the waiting bonds. Collective.
/// @param warm_start  with the impulses of this step; null: none are stored
void BreakBonds(const StepSetup& setup, const Particles& particles, const StepContacts& contacts,
                const StepSolve& solve, const CandidateLists& lists,
                std::span<const BondFailure> failures, WarmStart* warm_start, BondTable& bonds);

}  // namespace scree
