#include "engine/scene/loop_rows.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace scree {
namespace {

/// A direction in which points of two links stay together, or about which they do not rotate
/// against each other.
struct Restraint {
  bool is_rotation = false;
  Vec3 direction = Vec3::Zero();  // unit vector
  double error = 0.0;             // [m] or [rad]
  double change = 0.0;            // of along⋅(velocity of child − parent), at constant speeds
};

/// A rotation that is small, as a vector.
Vec3 SmallRotation(const Mat3& turn) {
  return 0.5 * Vec3(turn(2, 1) - turn(1, 2), turn(0, 2) - turn(2, 0), turn(1, 0) - turn(0, 1));
}

/// @param to  the current point of the child
std::vector<Restraint> RestraintsOf(const LoopJoint& loop, const LinkMotion& parent,
                                    const LinkMotion& child, const Vec3& to) {
  std::vector<Restraint> found;
  const Vec3 apart = to - parent.InSpace(loop.point);
  const Vec3 normal = parent.rotation * loop.axis;
  const Vec3 across = normal.unitOrthogonal(), third = normal.cross(across);
  const Vec3& omega = parent.angular_velocity;
  const Vec3 speed = child.VelocityAt(to) - parent.VelocityAt(to);
  const Vec3 rate = child.angular_velocity - omega;
  const Vec3 pull = child.AccelerationAt(to) - parent.AccelerationAt(to);
  const Vec3 twist = child.angular_acceleration - parent.angular_acceleration;
  const auto stay_together = [&](const Vec3& direction, const Vec3& change) {
    found.push_back({false, direction, direction.dot(apart), direction.dot(change)});
  };
  if (loop.kind == LoopKind::kSlider) {
    // The directions rotate with the parent.
    for (const Vec3& direction : {across, third})
      stay_together(direction, pull - 2.0 * omega.cross(speed));
    const Vec3 rotated = SmallRotation(child.rotation * parent.rotation.transpose());
    for (Index k = 0; k < 3; ++k) found.push_back({true, Vec3::Unit(k), rotated[k], twist[k]});
    return found;
  }
  // Both points lie on their links.
  const Vec3 difference =
      child.AccelerationAt(to) - parent.AccelerationAt(parent.InSpace(loop.point));
  for (Index k = 0; k < 3; ++k) stay_together(Vec3::Unit(k), difference);
  if (loop.kind == LoopKind::kBall) return found;
  const Vec3 rotated = child.rotation * loop.axis;
  const Vec3 change = twist - omega.cross(rate);
  found.push_back({true, third, rotated.dot(across), third.dot(change)});
  found.push_back({true, across, -rotated.dot(third), across.dot(change)});
  return found;
}

}  // namespace

void AppendLoopRows(const LoopJoint& loop, const LinkMotion& parent, const LinkMotion& child,
                    std::span<const FreeAxis> axes, double size, std::vector<ConstraintRow>& rows) {
  // Smaller entries are zero: they are rounding, or differences between axes that the scene gives
  // as parallel with a few digits. So a plane mechanism has redundant rows, as it should.
  constexpr double kParallel = 1e-6, kNoArm = 1e-9;
  const Vec3 to = child.InSpace(loop.point), from = parent.InSpace(loop.point);
  // The point at which the velocity of the parent is evaluated.
  const Vec3& of_parent = loop.kind == LoopKind::kSlider ? to : from;
  for (const Restraint& restraint : RestraintsOf(loop, parent, child, to)) {
    ConstraintRow row = {Eigen::VectorXd::Zero(static_cast<Index>(axes.size())), restraint.error,
                         restraint.change};
    for (std::size_t k = 0; k < axes.size(); ++k) {
      const FreeAxis& axis = axes[k];
      Vec3 speed = Vec3::Zero();
      if (child.IsMovedBy(k)) speed += restraint.is_rotation ? axis.Rate() : axis.VelocityAt(to);
      if (parent.IsMovedBy(k))
        speed -= restraint.is_rotation ? axis.Rate() : axis.VelocityAt(of_parent);
      const double entry = restraint.direction.dot(speed);
      const double arm = std::max((to - axis.point).norm(), kNoArm * size);
      if (std::abs(entry) >= kParallel * (axis.is_rotation && !restraint.is_rotation ? arm : 1.0)) {
        row.row[static_cast<Index>(k)] = entry;
      }
    }
    if (!row.row.isZero(0.0)) rows.push_back(std::move(row));
  }
}

}  // namespace scree
