/// \file  Axis-aligned boxes and the simulated domain.
#pragma once

#include <array>
#include <cmath>

#include "solvers/types.hpp"

namespace scree {

/// An axis-aligned box, half open: lower ≤ x < upper.
struct Box {
  Vec3 lower = Vec3::Zero();  // [m]
  Vec3 upper = Vec3::Zero();  // [m]

  bool Contains(const Vec3& x) const {
    return (x.array() >= lower.array()).all() && (x.array() < upper.array()).all();
  }
  Vec3 Extent() const { return upper - lower; }

  /// Distance of a point from the box, zero inside [m].
  double Distance(const Vec3& x) const {
    return (lower - x).cwiseMax(x - upper).cwiseMax(0.0).norm();
  }
};

/// The simulated region. A particle whose centre leaves it at a face that is neither periodic nor
/// an outflow is lost, which is an error.
struct Domain {
  Box box;
  std::array<bool, 3> periodic = {false, false, false};

  /// Moves a point by whole periods into the box.
  Vec3 Wrap(const Vec3& x) const {
    Vec3 wrapped = x;
    for (int axis = 0; axis < 3; ++axis) {
      if (!periodic[static_cast<std::size_t>(axis)]) continue;
      const double length = box.Extent()[axis];
      if (wrapped[axis] < box.lower[axis]) {
        wrapped[axis] += length * std::ceil((box.lower[axis] - wrapped[axis]) / length);
      }
      if (wrapped[axis] >= box.upper[axis]) {
        wrapped[axis] -= length * (1.0 + std::floor((wrapped[axis] - box.upper[axis]) / length));
      }
      // Adding the length may round up to the upper end, which is outside, and subtracting it may
      // round to just below the lower one.
      if (!(wrapped[axis] >= box.lower[axis] && wrapped[axis] < box.upper[axis])) {
        wrapped[axis] = box.lower[axis];
      }
    }
    return wrapped;
  }
};

}  // namespace scree
