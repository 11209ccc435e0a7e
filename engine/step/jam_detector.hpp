/// \file  Detects particles jammed by driven walls: the contact problem has no solution.
///
/// A driven wall cannot yield. It may press a particle against another wall while friction or the
/// packing keeps the particle from moving. Then no impulses are compatible with the wall's speed,
/// and sweeps and warm starts add up impulses without limit. Positions need not show this, because
/// they are projected without friction. Momentum distinguishes a jam from a load that builds up: a
/// wall can transfer to movable particles at most their mass times their speed. Let C be the
/// particles that are connected to a contact with the wall through contacts with at least a tenth
/// of the wall contact's impulse. They are jammed if
///
///     −Σ_C λₙ (δvₙ + b) > kJamEnergy ½ Σ_C m (|v_free| + V)²,   and > kJamShare Σ_walls λₙ V
///
/// The first sum is over the contacts of C, the second over its particles, and the third over its
/// contacts with walls. V is the speed of the wall towards the particle. If both hold, stopping the
/// remaining approach would take far more energy than particles moving at V have. In a solvable
/// problem contacts have no remaining approach, whatever their load. If C includes a contact with a
/// free wall, that wall yields and nothing is jammed. (After a restart the detection starts again.)
///
/// A rank sees only its part of C. If C extends to another rank, a test of one part is not enough
/// to end a run. The step is then stored as suspected.
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

inline constexpr double kJamEnergy = 10.0, kJamShare = 0.1;  // factors of the conditions above [-]
/// A jam ends the run when the wall has moved by this number of particle radii since the jam began,
/// because a particle that is pinched only briefly gets free.
inline constexpr double kJamRadii = 0.1;
/// Number of steps between two checks.
inline constexpr std::int64_t kJamCheckInterval = 4;

class JamDetector {
 public:
  /// Checks the solution of a step on this rank.
  /// @param solve  unchanged on return
  /// @returns a description of the jam that ends the run, with a remedy; empty: no such jam
  std::string Check(const StepSetup& setup, const Particles& particles,
                    const StepContacts& contacts, StepSolve& solve);
  /// The jam that this rank found at its last check, even if the wall has hardly moved since or the
  /// jam extends to another rank; empty: none. Automatic steps get so short in a jam
  /// that a run can end for another reason before the wall has moved by kJamRadii; this text then
  /// explains it.
  const std::string& LastJam() const { return last_jam_; }
  /// The last step in which a part of C on this rank seemed jammed but C extends to other ranks;
  /// −1: none.
  std::int64_t Suspected() const { return suspected_; }

 private:
  struct WallPress {
    std::size_t contact = 0;
    double impulse = 0.0;  // λₙ [N s]
    double speed = 0.0;    // of the wall towards the particle [m/s]
  };
  WallPress StrongestWallPress(const StepSetup& setup, const Particles& particles,
                               const StepContacts& contacts, const StepSolve& solve) const;
  bool MarkReached(const WallPress& press, const Particles& particles, const StepContacts& contacts,
                   const StepSolve& solve);
  template <class Body>
  bool IsJammed(const WallPress& press, const StepSetup& setup, const Particles& particles,
                const StepContacts& contacts, StepSolve& solve, std::vector<Body>& bodies);
  std::string Describe(const WallPress& press, const StepSetup& setup, const Particles& particles,
                       const StepContacts& contacts) const;
  Index WallOf(const WallPress& press, const ContactBodies& bodies,
               const StepContacts& contacts) const;

  std::int64_t steps_ = 0;    // steps since the start
  double elapsed_ = 0.0;      // time since the last check [s]
  Index wall_ = -1;           // wall that causes the present jam; -1: none
  double travel_ = 0.0;       // path of wall_ since the jam began [m]
  Index opposite_wall_ = -1;  // wall of C's most loaded contact with another wall; -1: none
  bool is_shared_ = false;    // whether C extends to another rank
  std::int64_t suspected_ = -1;
  std::string last_jam_;
  std::vector<Index> loaded_;  // scratch: contacts with a tenth of the wall contact's impulse
  std::vector<std::uint8_t> reached_;  // scratch: 1 for each particle of C
};

}  // namespace scree
