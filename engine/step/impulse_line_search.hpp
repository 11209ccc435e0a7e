/// \file  A line search along the impulses of a step: takes back loads that act like springs, and
///        builds up those that heavy bodies need.
///
/// Along λ the energy of the step is a parabola,
///
///     E(s) = s c⋅λ + ½ s² ‖Wλ‖²,   c = Wᵀ v_free + b,
///     ‖Wλ‖² = Σ m |v' − v_free|² + I |ω' − ω_free|²
///
/// with its minimum at s* = 1 − λ⋅(δv' + b)/‖Wλ‖², which is 1 at a solution without slip. Loads
/// that are scaled by it and swept once more are those that the step asks for. Cones hold, and
/// v' = v_free + M⁻¹ W λ does (solvers/README.md).
///
/// Springs: a warm start begins with the loads of the last step, and a few sweeps cannot take them
/// back where they are no longer asked for: bodies leave with the work that is stored in them.
/// Contacts give no energy, E ≤ 0, for s* ≥ ½; below that loads are scaled. In a flow and at rest
/// s* is not below: nothing is changed.
///
/// Heavy bodies: a relaxation of a contact of masses M and m ≪ M takes of the heavy body's momentum
/// what the light one can take up, so that a sweep solves a share of about m/M of its motion, and
/// its loads would be built up over thousands of steps. As long as the contacts of heavy bodies are
/// off by more than a tolerance, all loads are scaled and swept again. Slip stays out of s* there.
#pragma once

#include <optional>
#include <vector>

#include "engine/particles/particles.hpp"
#include "engine/step/step_contacts.hpp"
#include "engine/step/step_setup.hpp"
#include "engine/step/step_solve.hpp"

namespace scree {

/// One solve's. All calls but Scale are collective.
/// @tparam Body  SphereBody or RigidBody
template <class Body>
class ImpulseLineSearch {
 public:
  /// @param bodies  with the velocities that the impulses give, whenever the search is asked; room
  ///                for one more
  ImpulseLineSearch(const StepSetup& setup, const Particles& particles,
                    const StepContacts& contacts, StepSolve& solve, std::vector<Body>& bodies);

  /// By what loads have to be scaled, and swept again, for heavy bodies; 1 if these are carried.
  double HeavyBodyScale();
  /// By what loads have to be scaled so that contacts give no energy; 1 if they give none. More
  /// than 1 under heavy free walls, of which the other search does not take care.
  double EnergyGainScale();
  /// Scales the loads, and lets own bodies follow; others are stale afterwards.
  void Scale(double factor);

 private:
  struct Slope {
    double work = 0.0;  // λ⋅(δv' + b) [J]
    double norm = 0.0;  // ‖Wλ‖² [J]
    double Best() const;
  };
  /// What a body of a particle has before the contacts act.
  struct MotionBefore {
    Vec3 v, spin;
  };

  MotionBefore Before(std::size_t i) const;
  template <class Look>
  void ForEachBody(Look&& look) const;
  template <class Add>
  void AddNorms(Add&& add) const;
  template <class Add>
  void AddEnergies(Add&& add) const;
  template <class Add>
  void AddWorkOfWalls(Add&& add) const;
  bool MayGiveEnergy() const;
  Slope FindSlope() const;
  Slope FindExactSlope() const;

  const StepSetup& setup_;
  const Particles& particles_;
  const StepContacts& contacts_;
  StepSolve& solve_;
  std::vector<Body>& bodies_;
  BodyKicks kicks_;
  double tolerance_;            // of the contacts of heavy bodies; 0: none is looked for [m/s]
  bool builds_up_;              // walls that are free and heavy, though tolerance_ is 0
  double grown_ = 1.0;          // product of the factors for heavy bodies
  int scalings_ = 0;            // for these
  std::optional<Slope> slope_;  // of the loads as they are, if it is known
};

}  // namespace scree
