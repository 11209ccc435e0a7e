/// \file  Which gaps take part in a step's contact problem: speculative contacts and their margin.
#pragma once

#include <algorithm>
#include <limits>

#include "engine/scene/scene.hpp"
#include "engine/scene/step_parameters.hpp"
#include "solvers/simd/simd.hpp"

namespace scree {

/// Which gaps take part (engine/README.md, The step: speculative contacts).
struct ActivationRule {
  double dt = 0.0;      // [s]
  double margin = 0.0;  // gaps that the step would leave smaller take part [m]
  bool speculative = true;
  double threshold = 0.0;                                    // if not speculative [m]
  double closed = 0.0;                                       // gaps up to this take part always [m]
  double parting = std::numeric_limits<double>::infinity();  // what separates faster than this does
                                                             // not once more [m/s]
  double look_ahead = 0.0;   // by which changes of velocity widen the margin [s], ...
  double most_margin = 0.0;  // ... up to here [m]

  /// The margin of a pair, or of eight.
  /// @param change  sum of both bodies' Particles::velocity_change [m/s]
  template <class Real>
  Real MarginOf(const Real& change) const {
    const Real wanted = look_ahead * change, least = Real{} + margin, most = Real{} + most_margin;
    const Real capped = Select(wanted < most, wanted, most);
    return Select(capped > least, capped, least);
  }
  /// For one gap, or for eight.
  /// @param change    as of MarginOf
  /// @param approach  approach() is min(m, δvₙ) of the normal velocities before and after the
  ///                  forces [m/s]; asked for only if contacts are speculative
  /// @returns what a comparison of such numbers gives
  template <class Real, class Approach>
  auto IsActive(const Real& gap, const Real& change, Approach&& approach) const {
    using Answer = decltype(gap <= gap);
    if (!speculative) return Answer(gap <= threshold);
    return Answer((gap <= closed) | (gap + dt * approach() < MarginOf(change)));
  }
  /// Whether a gap takes part once more if it carried an impulse: it would if two bodies at this
  /// speed against each other met head-on.
  /// @param opening  m [m/s]
  template <class Real>
  auto StaysActive(const Real& gap, const Real& change, const Real& speed,
                   const Real& opening) const {
    const Real reach = MarginOf(change) + dt * speed;
    return (gap <= (speculative ? reach : Real{} + threshold)) & (opening <= Real{} + parting);
  }
  /// Gaps beyond this cannot take part when no two bodies approach faster than `speed` [m].
  template <class Real>
  Real MaxActiveGap(const Real& speed) const {
    return speculative ? std::max(margin, most_margin) + dt * speed : Real{} + threshold;
  }
};

/// The margin is 5 g dt² (with less a resting pile jitters), or 0.4 % of the
/// smallest radius if that is more: the solve pushes particles together that did not approach each
/// other before it, and only contacts that take part can resist. Where some pair rebounds it is the
/// gap that counts as none (TouchingGap), with and without gravity: what touches takes part in the
/// impacts of its neighbours, and what does not is for the next step, with its own restitution. A
/// contact that carried an impulse and now separates faster than v_thr takes no part there: it is
/// open, and would only take energy from what comes after. Particles whose velocities have just
/// changed will be pushed again, to where no velocity points yet: their pairs have a margin of 4 dt
/// times the sum of both changes, up to 4 % of the smallest radius. (With Baumgarte stabilisation
/// they have no more than the others.)
/// @param rebounds  some pair does
ActivationRule MakeParticipationRule(const Scene& scene, const StepParameters& parameters,
                                     double smallest_radius, bool rebounds);

/// The same rule where surfaces attract each other over gaps of up to `range` [m]: they take part
/// even while they move apart.
ActivationRule WithAttraction(ActivationRule rule, double range);

}  // namespace scree
