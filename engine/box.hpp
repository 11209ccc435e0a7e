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
};

}  // namespace scree
