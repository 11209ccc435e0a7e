/// \file  The pull of cohesion on two bodies that enter its range d, cross it or leave it.
///
/// Cohesion (solvers/batches/cohesion.hpp) attracts with a constant force up to the gap d, so it
/// accelerates two bodies towards each other by a, and separates them only at the relative speed
/// √(2 a d) or more. The range may be shorter than the path of a step. With the full pull in each
/// step that begins within the range, bodies would cross the range without loss, or would have to
/// be faster than a dt. So the pull of a step in which two bodies enter or leave follows from the
/// work on their path: the normal velocity v becomes v', and the gap ξ > 0 becomes ξ' = ξ + dt v',
///
///     v'² = v² − 2 a (min(ξ', d) − min(ξ, d)),
///
/// where v and v' belong to ξ and ξ'. Within the range, velocities are those of the middle of a
/// step (leapfrog), and bodies that move freely get the full pull a dt. They have v − H at ξ, with
///
///     H = min(a dt/2, (d − ξ)/dt) for 0 < ξ ≤ d,   H = 0 at contact and outside,
///
/// and dt of the last step. A passage in any number of steps then keeps the energy. H vanishes at
/// d, because with a dt/2 up to d no v' would conserve the energy in some of the steps in which
/// bodies cross d. The pull of such a step is −1/2 to 3/2 of a dt.
///
/// Contacts that touch by the end of the step and cannot leave get the full pull: a contact at rest
/// opens if the force exceeds the attraction.
#pragma once

#include <algorithm>
#include <cmath>

namespace scree {

/// The attraction of the two bodies of a contact.
struct Attraction {
  double acceleration = 0.0;  // a: of the bodies towards each other within the range [m/s²], ≥ 0
  double range = 0.0;         // d [m], ≥ 0
  double last_dt = 0.0;  // length of the last step; 0: the velocities are those at the gaps [s]

  bool IsActive() const { return acceleration > 0.0; }

  /// 2 a min(ξ, d), twice the work per mass of the attraction from this gap to contact [m²/s²].
  double WorkFrom(double gap) const { return 2.0 * acceleration * std::clamp(gap, 0.0, range); }

  /// H, by which v differs from the velocity at the gap [m/s].
  double LagAt(double gap) const {
    constexpr double kTouching = 1e-6;  // of the range: gaps of contacts that are open by rounding
    if (gap <= kTouching * range || gap > range) return 0.0;
    return std::min(0.5 * acceleration * last_dt, (range - gap) / last_dt);
  }

  /// v' of bodies that separate from this gap. There their speed is √square > 0 [m/s].
  double SpeedAfterSeparation(double square, double gap, double dt) const {
    const double escaped = square - (WorkFrom(range) - WorkFrom(gap));
    if (escaped > 0.0 && std::max(gap, 0.0) + dt * std::sqrt(escaped) >= range)
      return std::sqrt(escaped);
    const double half = 0.5 * acceleration * dt, path = (range - std::max(gap, 0.0)) / dt;
    const double root = RootNearRange(escaped, path, half);
    // They end the step near d, on their way out or before they turn back.
    if (root >= std::max(half, path - half)) return 0.5 * (path - half + root);
    return std::sqrt(square) - half;
  }

  /// v of the bodies for ChangeInStep: if they enter, the forces of the step act before the pull,
  /// so that v' leads to ξ'. Bodies slower than the kick may rest on others.
  /// @param start  normal velocity at the beginning of the step [m/s]
  /// @param kick   its change by forces other than the attraction and contacts [m/s]
  double VelocityBefore(double gap, double start, double kick) const {
    return gap > range && start < -std::abs(kick) ? start + kick : start;
  }

  /// v − v', the change of the normal velocity by the pull of a step [m/s].
  /// @param velocity       v = VelocityBefore, > 0 if the bodies separate
  /// @param is_under_load  whether the contact is at rest under a load, so that v is only the
  ///                       residual of the sweeps
  double ChangeInStep(double gap, double velocity, double dt, bool is_under_load) const {
    if (gap > range) {
      return gap + dt * velocity >= range ? 0.0 : velocity - VelocityOnEntry(velocity, gap, dt);
    }
    const double full = acceleration * dt, lag = LagAt(gap), start = velocity - lag;
    const bool touches = gap + dt * (velocity - full) <= 0.0;
    const bool escapes = start > 0.0 && start * start > WorkFrom(range) - WorkFrom(gap);
    if (is_under_load || (touches && !escapes)) return full;
    if (start > 0.0) return velocity - SpeedAfterSeparation(start * start, gap, dt);
    // Bodies that have entered approach at H or faster. Others may be held at this gap.
    return velocity <= -lag ? 0.5 * full + lag : full;
  }

 private:
  /// Where H is (d − ξ)/dt at the end of the step, v' = (path − half ± root)/2 conserves the
  /// energy.
  /// @param square  square of the speed at d [m²/s²]
  /// @param path    (d − ξ)/dt at the beginning of the step [m/s]
  /// @param half    a dt/2 [m/s]
  static double RootNearRange(double square, double path, double half) {
    return std::sqrt(std::max(half * (half + 2.0 * path) + square, 0.0));
  }

  /// v' of bodies that reach the range in the step, with the velocity v < 0 [m/s].
  double VelocityOnEntry(double velocity, double gap, double dt) const {
    const double half = 0.5 * acceleration * dt, path = (range - gap) / dt;
    const double square = velocity * velocity;
    if (square <= path * (path - 4.0 * half))
      return 0.5 * (path - half - RootNearRange(square, path, half));
    return -half - std::sqrt(square + 4.0 * half * path);
  }
};

}  // namespace scree
