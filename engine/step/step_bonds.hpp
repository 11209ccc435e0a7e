/// \file  Bonds in a step: their birth, and their contacts.
///
/// With p the impulse of a contact, S its area, σ_n and σ_t the strengths of its bond, the solver
/// finds p̃ = p + S σ_n dt n. p̃ obeys the same laws as the impulse of any contact, with μ = σ_t/σ_n:
/// p̃ₙ ≥ 0, the gap stays while p̃ₙ > 0, and ‖p̃_t‖ ≤ μ p̃ₙ. Therefore p pulls up to S σ_n dt and
/// shears up to S σ_t dt + μ pₙ. The shift is applied to the bodies before the sweeps, as for
/// cohesion (solvers/batches/cohesion.hpp). This is the law IQS_MOHR_DS_CLB of LMGC90 (F. Dubois,
/// M. Jean).
///
/// A bond with moments between two spheres has the radius r = √(S/π), and the rows of rolling and
/// spinning resistance (solvers/batches/rolling.hpp). With the effective radius R of the spheres,
/// the coefficients of these rows, which multiply p̃ₙ, are
///
///     μ_r = r/(4 R),   μ_s = r σ_t/(2 R σ_n).
///
/// Under the tension N the bond therefore bends at the moment M for which N/S + M r/I = σ_n, I = π
/// r⁴/4: the stress of a round section. Without N it bends at σ_n π r³/4 and twists off at σ_t π
/// r³/2.
///
/// A bond breaks at the end of a step in which its contact opens, or slides or rotates at its limit
/// (bond_breaking.hpp).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "engine/contacts/bond_table.hpp"
#include "engine/contacts/warm_start.hpp"
#include "engine/step/bond_breaking.hpp"
#include "engine/step/candidate_lists.hpp"
#include "engine/step/step_contacts.hpp"
#include "engine/step/step_setup.hpp"
#include "engine/step/step_solve.hpp"

namespace scree {

struct StepBonds {
  BondTable table;
  std::int64_t born_until = -1;            // base step at which births were last checked
  std::int64_t close_from = 0;             // bonds close gaps from this base step on
  bool is_undecided = false;               // the last step ended before all failures were decided
  std::vector<BondFailure> failures;       // of this step
  std::vector<std::uint8_t> absent_walls;  // 1 for each wall that was absent in the last step
};

/// FindContacts of step_contacts.hpp, with the contacts of bonds. The bonds of a rule are born in
/// the first step at or after its time. Collective in such a step.
/// @throws InputError on all ranks if a bond is wider than its bodies
void FindContacts(const StepSetup& setup, const ActivationRule& rule, std::int64_t step,
                  FreeWallStates free_walls, const Particles& particles,
                  std::span<const Vec3> velocities, CandidateLists& lists,
                  const WarmStart* warm_start, StepBonds& bonds, StepContacts& contacts);

/// Sets the data, bias and starting impulses of the contacts of bonds in an assembled problem.
void AssembleBonds(const StepSetup& setup, const Particles& particles, const StepContacts& contacts,
                   const WarmStart* warm_start, const StepBonds& bonds, StepSolve& solve);

/// Continues the sweeps after SolveProblem for bonds: SweepDamage, then FindBondFailures. If bonds
/// seem to fail, bonds close no gaps for some steps. Collective.
void SolveBonds(const StepSetup& setup, const Particles& particles, const StepContacts& contacts,
                Halo& halo, PhaseTimer& timer, StepSolve& solve, StepBonds& bonds);

/// Breaks and damages bonds after a solved step: BreakBonds, UpdateDamage. Collective.
/// @param warm_start  null: no stored impulses
/// @returns the change of the stored energy of the bonds whose contacts this rank owns [J]
double UpdateBonds(const StepSetup& setup, const Particles& particles, const StepContacts& contacts,
                   const StepSolve& solve, const CandidateLists& lists, WarmStart* warm_start,
                   StepBonds& bonds);

}  // namespace scree
