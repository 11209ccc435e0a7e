/// \file  Decides which gaps between bodies are active contacts in a step (speculative contacts).
#pragma once

#include <algorithm>
#include <limits>

#include "engine/scene/scene.hpp"
#include "engine/scene/step_parameters.hpp"
#include "solvers/simd/simd.hpp"

namespace scree {

/// See engine/README.md, The step: speculative contacts.
struct ActivationRule {
  double dt = 0.0;      // [s]
  double margin = 0.0;  // a gap is active if it would be smaller than this after the step [m]
  bool speculative = true;
  double threshold = 0.0;          // the largest active gap if not speculative [m]
  double always_active_gap = 0.0;  // gaps up to this are always active if speculative [m]
  // Contacts with a stored impulse stay active only up to this speed of separation [m/s].
  double max_separation_speed = std::numeric_limits<double>::infinity();
  double prediction_time = 0.0;  // the margin is widened to this times the velocity change [s]
  double max_margin = 0.0;       // upper limit of the widened margin [m]
  // All contact points of two faces are active. Otherwise at most four are (ReduceManifold).
  bool whole_manifolds = false;

  /// The margin of a pair, or the margins of a packet of eight pairs.
  /// @param change  sum of both bodies' Particles::velocity_change [m/s]
  template <class Real>
  Real MarginOf(const Real& change) const {
    const Real predicted = prediction_time * change;
    const Real min = Real{} + margin, max = Real{} + max_margin;
    const Real capped = Select(predicted < max, predicted, max);
    return Select(capped > min, capped, min);
  }
  /// Whether a gap is active; for a packet of eight gaps, one answer per lane.
  /// @param change    as in MarginOf
  /// @param approach  approach() returns the smaller of the normal velocities before and after the
  ///                  forces [m/s]; it is called only if contacts are speculative
  /// @returns the result type of a comparison of two Real
  template <class Real, class Approach>
  auto IsActive(const Real& gap, const Real& change, Approach&& approach) const {
    using Answer = decltype(gap <= gap);
    if (!speculative) return Answer(gap <= threshold);
    return Answer((gap <= always_active_gap) | (gap + dt * approach() < MarginOf(change)));
  }
  /// Whether a contact that carried an impulse in the last step stays active: an approach at
  /// `speed` would bring the gap below the margin within the step (not speculative: the gap is at
  /// most the threshold), and the bodies do not separate too fast.
  /// @param speed    relative speed of the bodies, whatever its direction [m/s]
  /// @param opening  normal velocity before the forces, > 0 if the bodies separate [m/s]
  template <class Real>
  auto StaysActive(const Real& gap, const Real& change, const Real& speed,
                   const Real& opening) const {
    const Real reach = MarginOf(change) + dt * speed;
    return (gap <= (speculative ? reach : Real{} + threshold)) &
           (opening <= Real{} + max_separation_speed);
  }
  /// The largest gap that can be active if no two bodies approach faster than `speed` [m].
  template <class Real>
  Real MaxActiveGap(const Real& speed) const {
    return speculative ? std::max(margin, max_margin) + dt * speed : Real{} + threshold;
  }
};

/// The margin is the larger of 5 g dt² and 0.4 % of the smallest radius. With a smaller margin a
/// resting pile jitters: the solve presses particles together that did not approach each other
/// before, and only active contacts can resist.
///
/// If some pair rebounds, the margin is TouchingGap, with and without gravity. Touching particles
/// are then active in the impacts of their neighbours. A pair with a wider gap collides in a later
/// step, with its own restitution. A contact that carried an impulse and now separates faster than
/// v_thr (restitution.hpp) is not active, because it would only dissipate energy of later impacts.
///
/// Particles whose velocities have just changed will probably be accelerated again, in an unknown
/// direction. The margin of their pairs is therefore widened to 4 dt times the sum of both changes,
/// but to at most 4 % of the smallest radius. (It is not widened if some pair rebounds, or with
/// Baumgarte stabilisation.)
/// @param rebounds  whether some pair rebounds
ActivationRule MakeActivationRule(const Scene& scene, const StepParameters& parameters,
                                  double smallest_radius, bool rebounds);

/// The rule for surfaces that attract each other over gaps of up to `range` [m]. Their contacts are
/// active even while the surfaces separate.
ActivationRule WithAttraction(ActivationRule rule, double range);

/// The rule for bodies that may get bonds across gaps of up to `gap` [m]. All such contacts are
/// active. The neighbour lists reach slightly beyond the largest gap of an intact bond.
ActivationRule WithBonds(ActivationRule rule, double gap, double smallest_radius);

}  // namespace scree
