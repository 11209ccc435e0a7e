/// \file  How far particles moved in a step besides dt v', with the velocity v' after the step.
#pragma once

#include <cstddef>
#include <span>

#include "solvers/base/types.hpp"
#include "solvers/sweeps/position_projection.hpp"

namespace scree {

/// One entry per local particle; empty: zeros.
struct PositionCorrections {
  std::span<const Displacement> projection;  // against overlaps
  std::span<const Vec3> shifts_of_impacts;   // from the order of impacts within the step [m]

  /// The sum for local particle i [m].
  Vec3 Of(std::size_t i) const {
    Vec3 sum = Vec3::Zero();
    if (!projection.empty()) sum += projection[i].d;
    if (!shifts_of_impacts.empty()) sum += shifts_of_impacts[i];
    return sum;
  }
};

}  // namespace scree
