/// \file  Positions and velocities of the periodic images of a domain.
///
/// In a domain sheared at the rate γ̇ the next image along the gradient moves along the flow with
/// the velocity U = γ̇ L (A. W. Lees, S. F. Edwards, J. Phys. C: Solid State Phys. 5, 1921 (1972)).
/// L and M are the lengths of the domain along gradient and flow. The image n periods up has:
///
///     +------+------+            x → x + n (U t) mod M      along the flow
///       |  1   |  1   |          x → x + n L                along the gradient
///     +------+------+            v → v + n U                along the flow
///     |  0   |  0   |
///     +------+------+
///
/// A particle that crosses an end along the gradient continues at the position and with the
/// velocity of its image. In a deforming cell (scene/cell.hpp) the cell sets the offset of the
/// images. The next image along an axis then also moves along this axis, with the velocity given by
/// the strain rate times the length of the cell.
#pragma once

#include <array>
#include <cstdint>

#include "engine/geometry/box.hpp"
#include "solvers/base/types.hpp"

namespace scree {

/// A periodic image: shift along each axis in domain lengths.
using Image = std::array<std::int8_t, 3>;

class PeriodicImages {
 public:
  PeriodicImages() = default;
  /// @param time  since the images were aligned [s]
  /// @param numbering_time  when the images got their numbers, which they keep; ≤ `time` [s]
  PeriodicImages(const Domain& domain, double time, double numbering_time);
  explicit PeriodicImages(const Domain& domain, double time = 0.0)
      : PeriodicImages(domain, time, time) {}

  const Domain& GetDomain() const { return domain_; }
  bool AreMoving() const { return speed_ != 0.0 || domain_.deforms; }

  /// Shift from a particle to its image [m]. The opposite image has exactly the opposite shift.
  Vec3 Shift(const Image& image) const;
  /// Velocity of an image relative to the particle [m/s].
  Vec3 Velocity(const Image& image) const;

  /// Moves a point by whole periods into the domain.
  Vec3 Wrap(const Vec3& x) const;
  /// Moves a point into the domain and changes its velocity to that of the image.
  void Wrap(Vec3& x, Vec3& v) const;
  /// The velocity that Wrap adds for a point at x [m/s].
  Vec3 VelocityOfWrap(const Vec3& x) const;

  /// Rounds a velocity so that image velocities can be added to it and subtracted without rounding
  /// error, up to velocities of 2⁷ U. The component along the flow is rounded to 2⁻⁴⁵ U, in a
  /// deforming cell all components to Domain::velocity_quantum. Both sides of a contact then see
  /// relative velocities that are exactly opposite.
  Vec3 Rounded(Vec3 v) const;

 private:
  /// Number of periods along the gradient from a wrapped point to the point itself.
  double PeriodsAway(const Vec3& x, const Vec3& wrapped) const;

  Domain domain_;
  Vec3 stretch_ = Vec3::Zero();  // of a deforming cell: velocities of the next images [m/s]
  double speed_ = 0.0;           // U; 0: the images are at rest [m/s]
  // Of the next image up, along the flow; within ± M/2 when the images got their numbers [m].
  double image_offset_ = 0.0;
  double velocity_quantum_ = 0.0;  // velocities along the flow are multiples of this [m/s]
};

}  // namespace scree
