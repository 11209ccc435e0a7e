/// \file  The work against cohesion of two bodies that cross its range d within a step.
///
/// Cohesion (solvers/batches/cohesion.hpp) attracts with a constant force up to the gap d, so it
/// accelerates two bodies towards each other by a, and separates them only at the relative speed
/// √(2 a d) or more. The range may be shorter than the path of a step. With the full pull in each
/// step that begins within the range, bodies would cross the range without loss, or would have to
/// be faster than a dt. So the pull of a step in which two bodies enter or leave follows from the
/// work on their path: the normal velocity v becomes v', and the gap ξ > 0 becomes ξ' = ξ + dt v',
///
///     v'² = v² − 2 a (min(ξ', d) − min(ξ, d)).
///
/// This also holds for the later steps of bodies that are fast enough to leave. All other contacts
/// within the range get the full pull: a contact at rest opens if the force exceeds the attraction.
#pragma once

#include <algorithm>
#include <cmath>

namespace scree {

/// The attraction of the two bodies of a contact.
struct Attraction {
  double acceleration = 0.0;  // a: of the bodies towards each other within the range [m/s²], ≥ 0
  double range = 0.0;         // d [m], ≥ 0

  bool IsActive() const { return acceleration > 0.0; }

  /// 2 a min(ξ, d), twice the work per mass of the attraction from this gap to contact [m²/s²].
  double WorkFrom(double gap) const { return 2.0 * acceleration * std::clamp(gap, 0.0, range); }

  /// v' of bodies that separate from this gap with v² = square > 0 [m/s].
  double SpeedAfterSeparation(double square, double gap, double dt) const {
    const double escaped = square - (WorkFrom(range) - WorkFrom(gap));
    if (escaped > 0.0 && std::max(gap, 0.0) + dt * std::sqrt(escaped) >= range)
      return std::sqrt(escaped);
    const double full = acceleration * dt;
    return std::sqrt(square + full * full) - full;
  }

  /// v − v', the change of the normal velocity by the pull of a step [m/s], 0 to a dt.
  /// @param velocity       v at the beginning of the step, > 0 if the bodies separate
  /// @param is_under_load  whether the contact is at rest under a load, so that v is only the
  ///                       residual of the sweeps
  double ChangeInStep(double gap, double velocity, double dt, bool is_under_load) const {
    const double full = acceleration * dt, square = velocity * velocity;
    if (gap <= range) {
      const bool escapes = velocity > 0.0 && square > WorkFrom(range) - WorkFrom(gap);
      if (!escapes || is_under_load) return full;
      return velocity - SpeedAfterSeparation(square, gap, dt);
    }
    if (gap + dt * velocity >= range) return 0.0;
    const double entry = square + full * full - 2.0 * acceleration * (gap - range);
    return std::clamp(full + std::sqrt(std::max(entry, 0.0)) + velocity, 0.0, full);
  }
};

}  // namespace scree
