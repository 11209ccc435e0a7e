/// \file  Finds grains that walls have wedged: problems that have no solution.
///
/// A wall that moves as prescribed cannot yield. Where it presses a grain against another wall and
/// friction, or the packing, lets the grain go nowhere, no impulses meet its speed; sweeps and warm
/// starts then add up impulses without end, of which positions, which are projected without
/// friction, need show nothing. Such a jam is told from a load that builds up by momentum: what a
/// wall gives grains that make room is at most their mass times their speed. Let C be the grains
/// that a contact with the wall reaches through contacts with a tenth of its load or more. They are
/// jammed if
///
///     −Σ_C λₙ (δvₙ + b) > kJamEnergy ½ Σ_C m (|v_free| + V)²,   and > kJamShare Σ_walls λₙ V
///
/// V being the speed at which the wall presses: the approach that the contacts leave undone would
/// take far more energy than grains have that move at V. Loads of any size that are carried leave
/// nothing undone. A free wall among them yields. (After a restart a jam is found anew.)
///
/// A rank sees its own part of C. Where C goes on to another rank its part is judged alone, which
/// does not do to end a run: it is remembered as suspected.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "engine/contacts/contact_partner.hpp"
#include "engine/particles/particles.hpp"
#include "engine/step/step_contacts.hpp"
#include "engine/step/step_setup.hpp"
#include "engine/step/step_solve.hpp"

namespace scree {

inline constexpr double kJamEnergy = 10.0, kJamShare = 0.1;  // [-]
/// A jam ends the run when the wall has gone on for so many radii of the grain: what is pinched for
/// a moment gets out of the way.
inline constexpr double kJamRadii = 0.1;
/// A jam is looked for in every so many steps.
inline constexpr std::int64_t kJamCheckInterval = 4;

class JamDetector {
 public:
  /// Looks at the solution of a step, on this rank.
  /// @returns what is jammed for good, and what would be right; empty: nothing
  /// @param solve  left as it is
  std::string Look(const StepSetup& setup, const Particles& particles, const StepContacts& contacts,
                   StepSolve& solve);
  /// What this rank saw jammed when it last looked, however short its wall's way since then and
  /// whether or not it goes on to another rank; empty: nothing. For runs that end anyway: automatic
  /// steps get ever shorter in a jam, in which the wall then moves no farther.
  const std::string& Seen() const { return seen_; }
  /// The last step in which grains of this rank and of others together seemed jammed; −1: none.
  std::int64_t Suspected() const { return suspected_; }

 private:
  struct WallPress {
    std::size_t contact = 0;
    double impulse = 0.0;  // λₙ [N s]
    double speed = 0.0;    // of the wall against the grain [m/s]
  };
  WallPress StrongestWallPress(const StepSetup& setup, const Particles& particles,
                               const StepContacts& contacts, const StepSolve& solve) const;
  bool Reach(const WallPress& push, const Particles& particles, const StepContacts& contacts,
             const StepSolve& solve);
  template <class Body>
  bool IsJammed(const WallPress& push, const StepSetup& setup, const Particles& particles,
                const StepContacts& contacts, StepSolve& solve, std::vector<Body>& bodies);
  std::string Describe(const WallPress& push, const StepSetup& setup, const Particles& particles,
                       const StepContacts& contacts) const;
  Index WallOf(const WallPress& push, const ContactBodies& bodies,
               const StepContacts& contacts) const;

  std::int64_t steps_ = 0;  // that it has seen
  double passed_ = 0.0;     // time since it last looked [s]
  Index wall_ = -1;         // that jams; -1: none
  double travel_ = 0.0;     // of it since it does [m]
  Index other_ = -1;        // the wall that bears most of what is jammed; -1: none
  bool goes_on_ = false;    // C, to another rank
  std::int64_t suspected_ = -1;
  std::string seen_;
  std::vector<Index> loaded_;          // scratch: contacts with a tenth of the push or more
  std::vector<std::uint8_t> reached_;  // scratch: 1 for each particle of C
};

}  // namespace scree
