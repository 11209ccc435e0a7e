/// \file  Where the periodic images of a domain stand at a moment, and how fast they move.
///
/// In a sheared domain the image that follows along the gradient moves along the flow with the
/// velocity U = γ̇ L, L being the length along the gradient (A. W. Lees, S. F. Edwards, J. Phys. C:
/// Solid State Phys. 5, 1921 (1972)). Lengths L, M along gradient and flow, n periods up:
///
///     +------+------+            x → x + n (U t) mod M      along the flow
///       |  1   |  1   |          x → x + n L                along the gradient
///     +------+------+            v → v + n U                along the flow
///     |  0   |  0   |
///     +------+------+            What crosses an end along the gradient comes back where its image
///                                was, with the velocity of the image.
///
/// A cell that deforms (scene/cell.hpp) says where its images are; those along an axis move by its
/// length times the stretch along it.
#pragma once

#include <array>
#include <cstdint>

#include "engine/geometry/box.hpp"
#include "solvers/base/types.hpp"

namespace scree {

/// A periodic image: how many domain lengths a copy is shifted along each axis.
using Image = std::array<std::int8_t, 3>;

class PeriodicImages {
 public:
  PeriodicImages() = default;
  /// @param time    since all images stood in line [s]
  /// @param listed  moment at which the images were numbered: from then on they keep their numbers,
  ///                ≤ time [s]
  PeriodicImages(const Domain& domain, double time, double listed);
  explicit PeriodicImages(const Domain& domain, double time = 0.0)
      : PeriodicImages(domain, time, time) {}

  bool Move() const { return speed_ != 0.0 || domain_.deforms; }

  /// From a particle to its image [m]. That of the opposite image is the opposite, to the bit.
  Vec3 Shift(const Image& image) const;
  /// Of an image against the particle [m/s].
  Vec3 Velocity(const Image& image) const;

  /// Moves a point by whole periods into the domain.
  Vec3 Wrap(const Vec3& x) const;
  /// The same with what moves there.
  void Wrap(Vec3& x, Vec3& v) const;
  /// Velocity that Wrap gives a particle at x besides its own [m/s].
  Vec3 VelocityOfWrap(const Vec3& x) const;

  /// Rounds a velocity so that those of images are added and subtracted without rounding: to 2⁻⁴⁵
  /// of U along the flow, as long as that is below 2⁷ U; in a cell that deforms to its grain. Then
  /// both sides of a contact see relative velocities that are equal and opposite to the bit.
  Vec3 Rounded(Vec3 v) const;

 private:
  /// Periods along the gradient by which a point is away from the domain.
  double PeriodsAway(const Vec3& x, const Vec3& wrapped) const;

  Domain domain_;
  Vec3 stretch_ = Vec3::Zero();  // of a cell: velocities of the next images along each axis [m/s]
  double speed_ = 0.0;           // U; 0: the images rest [m/s]
  double slip_ = 0.0;            // along the flow of the image above, at first within ± M/2 [m]
  double grain_ = 0.0;           // velocities along the flow are whole multiples [m/s]
};

}  // namespace scree
