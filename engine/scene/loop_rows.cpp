#include "engine/scene/loop_rows.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace scree {
namespace {

/// A direction along which points of two links stay together, or about which the links do not
/// rotate relative to each other.
struct Restraint {
  bool is_rotation = false;
  Vec3 direction = Vec3::Zero();  // unit vector
  double error = 0.0;             // [m] or [rad]
  double change = 0.0;  // rate of direction⋅(velocity of child − parent) at constant joint speeds
};

/// Rotation vector of a small rotation.
Vec3 SmallRotation(const Mat3& rotation) {
  return 0.5 * Vec3(rotation(2, 1) - rotation(1, 2), rotation(0, 2) - rotation(2, 0),
                    rotation(1, 0) - rotation(0, 1));
}

/// @param child_point  current position of the loop's point on the child [m]
std::vector<Restraint> RestraintsOf(const LoopJoint& loop, const LinkMotion& parent,
                                    const LinkMotion& child, const Vec3& child_point) {
  std::vector<Restraint> found;
  const Vec3 separation = child_point - parent.InSpace(loop.point);
  const Vec3 normal = parent.rotation * loop.axis;
  const Vec3 across = normal.unitOrthogonal(), third = normal.cross(across);
  const Vec3& omega = parent.angular_velocity;
  const Vec3 speed = child.VelocityAt(child_point) - parent.VelocityAt(child_point);
  const Vec3 rate = child.angular_velocity - omega;
  const Vec3 acceleration = child.AccelerationAt(child_point) - parent.AccelerationAt(child_point);
  const Vec3 angular_acceleration = child.angular_acceleration - parent.angular_acceleration;
  const auto add_translation = [&](const Vec3& direction, const Vec3& change) {
    found.push_back({false, direction, direction.dot(separation), direction.dot(change)});
  };
  if (loop.kind == LoopKind::kSlider) {
    // The directions rotate with the parent.
    for (const Vec3& direction : {across, third})
      add_translation(direction, acceleration - 2.0 * omega.cross(speed));
    const Vec3 rotated = SmallRotation(child.rotation * parent.rotation.transpose());
    for (Index k = 0; k < 3; ++k)
      found.push_back({true, Vec3::Unit(k), rotated[k], angular_acceleration[k]});
    return found;
  }
  // Each point moves with its own link.
  const Vec3 difference =
      child.AccelerationAt(child_point) - parent.AccelerationAt(parent.InSpace(loop.point));
  for (Index k = 0; k < 3; ++k) add_translation(Vec3::Unit(k), difference);
  if (loop.kind == LoopKind::kBall) return found;
  const Vec3 rotated = child.rotation * loop.axis;
  const Vec3 change = angular_acceleration - omega.cross(rate);
  found.push_back({true, third, rotated.dot(across), third.dot(change)});
  found.push_back({true, across, -rotated.dot(third), across.dot(change)});
  return found;
}

}  // namespace

void AppendLoopRows(const LoopJoint& loop, const LinkMotion& parent, const LinkMotion& child,
                    std::span<const FreeAxis> axes, double size, std::vector<ConstraintRow>& rows) {
  // Entries below these limits are set to zero. They are rounding, or come from axes that are
  // parallel only to the few digits given in the scene. A plane mechanism then has redundant rows,
  // as it should.
  constexpr double kParallel = 1e-6, kNoArm = 1e-9;
  const Vec3 child_point = child.InSpace(loop.point),
             parent_joint_point = parent.InSpace(loop.point);
  // The point at which the velocity of the parent is evaluated.
  const Vec3& parent_point = loop.kind == LoopKind::kSlider ? child_point : parent_joint_point;
  for (const Restraint& restraint : RestraintsOf(loop, parent, child, child_point)) {
    ConstraintRow row = {Eigen::VectorXd::Zero(static_cast<Index>(axes.size())), restraint.error,
                         restraint.change};
    for (std::size_t k = 0; k < axes.size(); ++k) {
      const FreeAxis& axis = axes[k];
      Vec3 speed = Vec3::Zero();
      if (child.IsMovedBy(k))
        speed += restraint.is_rotation ? axis.AngularVelocity() : axis.VelocityAt(child_point);
      if (parent.IsMovedBy(k))
        speed -= restraint.is_rotation ? axis.AngularVelocity() : axis.VelocityAt(parent_point);
      const double entry = restraint.direction.dot(speed);
      const double arm = std::max((child_point - axis.point).norm(), kNoArm * size);
      if (std::abs(entry) >= kParallel * (axis.is_rotation && !restraint.is_rotation ? arm : 1.0)) {
        row.row[static_cast<Index>(k)] = entry;
      }
    }
    if (!row.row.isZero(0.0)) rows.push_back(std::move(row));
  }
}

}  // namespace scree
