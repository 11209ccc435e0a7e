/// \file  A line search along the impulses of a step. It reduces impulses that act like springs,
///        and increases impulses that are too small for heavy bodies.
///
/// With the impulses scaled to s λ, the energy of the step is a parabola,
///
///     E(s) = s c⋅λ + ½ s² ‖Wλ‖²,   c = Wᵀ v_free + b,
///     ‖Wλ‖² = Σ m |v' − v_free|² + I |ω' − ω_free|²
///
/// with its minimum at s* = 1 − λ⋅(δv' + b)/‖Wλ‖², which is 1 at a solution without slip. The
/// impulses are scaled by s* and swept again. After scaling they are still in their cones, and v' =
/// v_free + M⁻¹ W λ still holds (solvers/README.md).
///
/// Springs: a warm start begins with the impulses of the last step. A few sweeps cannot remove
/// impulses that are no longer needed, and these drive bodies apart like springs. Without
/// restitution contacts add no energy (E ≤ 0) if s* ≥ ½. Impulses are therefore scaled only if s*
/// is smaller, which does not happen in a flow or at rest.
///
/// Rebounds: unconverged impulses of bodies that meet at many points at once may add energy though
/// s* > ½. At s* they add none: with one e ≤ 1 and without friction the kinetic energy changes by
/// −(1 − e²)/2 (v⋅Wλ)²/‖Wλ‖².
///
/// Heavy bodies: the relaxation of a contact of masses M and m ≪ M transfers only as much momentum
/// of the heavy body as the light body can take up. A sweep therefore stops a fraction of about m/M
/// of the motion of the heavy body, and impulses would need thousands of steps to build up. All
/// impulses are scaled and swept again until the contacts of heavy bodies have an error below a
/// tolerance. For heavy bodies s* ignores slip.
#pragma once

#include <optional>
#include <vector>

#include "engine/particles/particles.hpp"
#include "engine/step/step_contacts.hpp"
#include "engine/step/step_setup.hpp"
#include "engine/step/step_solve.hpp"

namespace scree {

/// The line search of one solve. All calls except Scale are collective.
/// @tparam Body  SphereBody or RigidBody
template <class Body>
class ImpulseLineSearch {
 public:
  /// @param bodies  must have the velocities of the present impulses at each call, and capacity
  ///                for one more body
  ImpulseLineSearch(const StepSetup& setup, const Particles& particles,
                    const StepContacts& contacts, StepSolve& solve, std::vector<Body>& bodies);

  /// Factor by which impulses must be scaled for heavy bodies before the next sweeps; 1 if the
  /// contacts already bear the heavy bodies.
  double HeavyBodyScale();
  /// Factor by which impulses must be scaled so that contacts add no energy; 1 if they add none.
  /// With heavy free walls it may exceed 1, but only where HeavyBodyScale is always 1.
  double EnergyGainScale();
  /// Scales the impulses and updates the owned bodies. Ghosts and patches are out of date
  /// afterwards.
  void Scale(double factor);

 private:
  struct Slope {
    double work = 0.0;  // λ⋅(δv' + b) [J]
    double norm = 0.0;  // ‖Wλ‖² [J]
    double OptimalFactor() const;
  };
  enum class AddedEnergy { kNone, kSome, kUnknown };
  /// The velocities of a particle's body before the contacts act.
  struct MotionBefore {
    Vec3 v, spin;
  };

  MotionBefore MotionBeforeContacts(std::size_t i) const;
  template <class Visit>
  void ForEachBody(Visit&& visit) const;
  template <class Add>
  void AddNorms(Add&& add) const;
  template <class Add>
  void AddEnergies(Add&& add) const;
  template <class Add>
  void AddWorkOfWalls(Add&& add) const;
  AddedEnergy FindAddedEnergy() const;
  Slope FindSlope() const;
  Slope FindExactSlope() const;

  const StepSetup& setup_;
  const Particles& particles_;
  const StepContacts& contacts_;
  StepSolve& solve_;
  std::vector<Body>& bodies_;
  BodyKicks kicks_;
  double tolerance_;            // for contacts of heavy bodies; 0: HeavyBodyScale is 1 [m/s]
  bool has_heavy_walls_;        // there are heavy free walls, and tolerance_ is 0
  double growth_ = 1.0;         // product of the factors for heavy bodies
  int scalings_ = 0;            // number of these factors
  std::optional<Slope> slope_;  // of the present impulses, if known
};

}  // namespace scree
