/// \file  Axis-aligned boxes and the simulated domain.
#pragma once

#include <array>
#include <cmath>

#include "solvers/base/types.hpp"

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

enum class CoordinateAxis { kX, kY, kZ };
constexpr std::array<const char*, 3> NamesOf(CoordinateAxis) { return {"x", "y", "z"}; }

/// Steady simple shear. The mean velocity along the axis `flow` grows by `rate` per length along
/// the axis `gradient`. Periodic images move with this mean flow (periodic_images). The domain must
/// be periodic along both axes.
struct Shear {
  double rate = 0.0;  // [1/s]; 0: no shear
  CoordinateAxis flow = CoordinateAxis::kX;
  CoordinateAxis gradient = CoordinateAxis::kZ;  // differs from `flow`

  bool IsActive() const { return rate != 0.0; }
  int Flow() const { return static_cast<int>(flow); }
  int Gradient() const { return static_cast<int>(gradient); }
};

/// The simulated region. Centres of particles may leave it through periodic faces and outflows. A
/// centre that leaves it elsewhere is an error.
struct Domain {
  Box box;
  std::array<bool, 3> periodic = {false, false, false};
  Shear shear = {};

  // The current state of a deforming cell (scene/cell.hpp).
  bool deforms = false;
  Vec3 stretch = Vec3::Zero();    // strain rates of the cell's edges [1/s]
  double image_offset = 0.0;      // of the next image up the gradient, along the flow [m]
  double velocity_quantum = 0.0;  // velocities are multiples of this; 0: not rounded [m/s]

  /// Whether there is a mean flow, so that periodic images move.
  bool HasMeanFlow() const { return shear.IsActive() || deforms; }
  /// Upper bound of the gradients of the mean velocity [1/s].
  double StrainRate() const { return std::abs(shear.rate) + stretch.cwiseAbs().maxCoeff(); }

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
      // Addition of the length may round up to the upper end, which is outside. Subtraction may
      // give a value just below the lower end. Both become the lower end.
      if (!(wrapped[axis] >= box.lower[axis] && wrapped[axis] < box.upper[axis])) {
        wrapped[axis] = box.lower[axis];
      }
    }
    return wrapped;
  }

  /// Mean velocity of shear and stretch at x, as if all of space were sheared and the centre of the
  /// domain were at rest [m/s].
  Vec3 MeanFlow(const Vec3& x) const {
    Vec3 velocity = Vec3::Zero();
    if (!HasMeanFlow()) return velocity;
    if (deforms) velocity = stretch.cwiseProduct(x - 0.5 * (box.lower + box.upper));
    const int axis = shear.Gradient();
    velocity[shear.Flow()] += shear.rate * (x[axis] - 0.5 * (box.lower[axis] + box.upper[axis]));
    return velocity;
  }
};

}  // namespace scree
