#include "engine/scene/link_motion.hpp"

#include <Eigen/Eigenvalues>
#include <Eigen/Geometry>
#include <algorithm>
#include <array>
#include <vector>

#include "engine/geometry/free_rotation.hpp"
#include "solvers/base/check.hpp"

namespace scree {
namespace {

/// A link and all links that are fixed to it, at time zero.
struct RigidGroup {
  double mass = 0.0;            // [kg]
  Vec3 centre = Vec3::Zero();   // of mass [m]
  Mat3 inertia = Mat3::Zero();  // about the centre [kg m²]
};

/// m (‖r‖² 1 − r rᵀ) of a mass at the arm r.
Mat3 InertiaOfPoint(double mass, const Vec3& arm) {
  return mass * (arm.squaredNorm() * Mat3::Identity() - arm * arm.transpose());
}

RigidGroup GroupOf(const Scene& scene, Index link) {
  std::vector<Index> members = {link};
  for (const Joint& joint : scene.joints) {
    if (joint.IsFixed() && std::ranges::count(members, joint.parent) > 0) {
      members.push_back(joint.child);
    }
  }
  // Sums are relative to the first centre, so that a single link keeps its centre exactly.
  const Vec3 first = scene.links[static_cast<std::size_t>(link)].centre;
  RigidGroup group;
  for (const Index member : members) {
    const Link& part = scene.links[static_cast<std::size_t>(member)];
    group.mass += part.mass;
    group.centre += part.mass * (part.centre - first);
  }
  // The mass is zero if a mesh is not loaded yet.
  group.centre = group.mass > 0.0 ? Vec3(first + group.centre / group.mass) : first;
  for (const Index member : members) {
    const Link& part = scene.links[static_cast<std::size_t>(member)];
    group.inertia += part.inertia + InertiaOfPoint(part.mass, part.centre - group.centre);
  }
  return group;
}

PrincipalInertia PrincipalOf(const Mat3& inertia) {
  const Eigen::SelfAdjointEigenSolver<Mat3> solver(inertia);
  Mat3 axes = solver.eigenvectors();
  if (axes.determinant() < 0.0) axes.col(0) *= -1.0;
  const Eigen::Quaterniond q(axes);
  return {solver.eigenvalues(), {q.w(), q.x(), q.y(), q.z()}};
}

/// Axes of a joint in space at time zero: the child moves along the first axes and rotates about
/// the others.
struct JointFrame {
  Vec3 point = Vec3::Zero();  // on all axes of rotation; moves along the first axes [m]
  std::array<Vec3, 6> axes = {};
  std::size_t translations = 0, rotations = 0;  // numbers of these axes
};

JointFrame FrameOf(const Scene& scene, const Joint& joint) {
  const Vec3 x = Vec3::UnitX(), y = Vec3::UnitY(), z = Vec3::UnitZ();
  switch (joint.kind) {
    case JointKind::kHinge:
      return {joint.point, {joint.axis}, 0, 1};
    case JointKind::kSlider:
      return {Vec3::Zero(), {joint.axis}, 1, 0};
    case JointKind::kFree:
      return {GroupOf(scene, joint.child).centre, {x, y, z, x, y, z}, 3, 3};
    case JointKind::kBall:
      return {joint.point, {x, y, z}, 0, 3};
    case JointKind::kPlanar:
      return {scene.links[static_cast<std::size_t>(joint.child)].centre,
              {joint.FirstPlaneAxis(), joint.axis.cross(joint.FirstPlaneAxis()), joint.axis},
              2,
              1};
    case JointKind::kFixed:
      break;
  }
  return {};
}

/// Component of a joint's position at which its rotation vector begins.
std::size_t RotationComponent(const Joint& joint) { return joint.IsFree() ? 3 : 0; }

/// The rotation of a free or a ball joint.
Quaternion OrientationOf(const Scene& scene, std::size_t joint,
                         std::span<const FreeWallState> states) {
  Vec3 travel;
  const std::size_t first = RotationComponent(scene.joints[joint]);
  for (std::size_t c = 0; c < 3; ++c) {
    travel[static_cast<Index>(c)] = states[scene.JointRow(joint, first + c)].travel;
  }
  return RotationBy(travel);
}

void SetOrientation(const Scene& scene, std::size_t joint, const Quaternion& orientation,
                    std::span<FreeWallState> states) {
  const Vec3 travel = RotationVector(orientation);
  const std::size_t first = RotationComponent(scene.joints[joint]);
  for (std::size_t c = 0; c < 3; ++c) {
    states[scene.JointRow(joint, first + c)].travel = travel[static_cast<Index>(c)];
  }
}

/// Inertia of the body that a free or a ball joint rotates, about the point of the joint.
Mat3 InertiaOfJoint(const Scene& scene, const Joint& joint) {
  const RigidGroup group = GroupOf(scene, joint.child);
  if (joint.IsFree()) return group.inertia;
  return group.inertia + InertiaOfPoint(group.mass, group.centre - joint.point);
}

}  // namespace

void PlaceByJoint(const Scene& scene, std::span<const FreeWallState> states, std::size_t joint,
                  const LinkMotion& parent, LinkMotion& child, FreeTree& tree) {
  const Joint& joint_spec = scene.joints[joint];
  const JointFrame frame = FrameOf(scene, joint_spec);
  const auto state = [&](std::size_t c) {
    return states.empty() ? FreeWallState() : states[scene.JointRow(joint, c)];
  };
  Vec3 point = parent.InSpace(frame.point);
  for (std::size_t c = 0; c < frame.translations; ++c) {
    point += state(c).travel * (parent.rotation * frame.axes[c]);
  }
  child.rotation = parent.rotation;
  if (frame.rotations == 1) {
    child.rotation *= Eigen::AngleAxisd(state(frame.translations).travel, joint_spec.axis).matrix();
  } else if (frame.rotations == 3 && !states.empty()) {
    child.rotation *= RotationMatrix(OrientationOf(scene, joint, states));
  }
  const Vec3& centre = scene.links[static_cast<std::size_t>(joint_spec.child)].centre;
  child.shift = point - child.rotation * frame.point;
  child.centre = point + child.rotation * (centre - frame.point);
  child.moved_by = parent.moved_by;
  if (frame.rotations == 3) tree.rotations.push_back(tree.axes.size() + frame.translations);
  for (std::size_t c = 0; c < frame.translations + frame.rotations; ++c) {
    SCREE_DEMAND(tree.axes.size() < kMaxAxes);
    child.moved_by |= std::uint64_t{1} << tree.axes.size();
    FreeAxis axis = {scene.JointRow(joint, c), c >= frame.translations,
                     parent.rotation * frame.axes[c], point, state(c).speed};
    axis.joint = static_cast<Index>(joint);
    tree.axes.push_back(axis);
  }
}

void MoveByJoint(std::size_t joint, std::span<const FreeAxis> axes, const LinkMotion& parent,
                 LinkMotion& child) {
  const Vec3& omega = parent.angular_velocity;
  child.velocity = parent.VelocityAt(child.centre);
  child.acceleration = parent.AccelerationAt(child.centre);
  child.angular_velocity = omega;
  child.angular_acceleration = parent.angular_acceleration;
  Vec3 slide = Vec3::Zero(), rate = Vec3::Zero(), arm = Vec3::Zero();
  for (const FreeAxis& axis : axes) {
    if (axis.joint != static_cast<Index>(joint)) continue;
    (axis.is_rotation ? rate : slide) += axis.speed * axis.axis;
    arm = child.centre - axis.point;
  }
  child.velocity += slide + rate.cross(arm);
  child.acceleration += 2.0 * omega.cross(slide);
  if (rate.isZero(0.0)) return;
  const Vec3 change = omega.cross(rate);
  child.angular_velocity += rate;
  child.angular_acceleration += change;
  child.acceleration += change.cross(arm) +
                        child.angular_velocity.cross(child.angular_velocity.cross(arm)) -
                        omega.cross(omega.cross(arm));
}

void RotateJoint(const Scene& scene, const FreeTree& tree, std::size_t first, const Vec3& omega,
                 const Vec3& projection, std::span<FreeWallState> states) {
  const auto joint = static_cast<std::size_t>(tree.axes[first].joint);
  Quaternion orientation = OrientationOf(scene, joint, states);
  Vec3 rates = omega;
  if (tree.has_free_rotation) {
    const PrincipalInertia inertia = PrincipalOf(InertiaOfJoint(scene, scene.joints[joint]));
    RotateFreely(inertia, tree.length, orientation, rates);
    if (!projection.isZero(0.0)) RotateInstantly(inertia, projection, orientation, rates);
  } else {
    orientation = RotationBy(tree.length * omega + projection) * orientation;
  }
  SetOrientation(scene, joint, orientation, states);
  for (std::size_t c = 0; c < 3; ++c) {
    states[tree.axes[first + c].row].speed = rates[static_cast<Index>(c)];
  }
}

void RotatePosition(const Scene& scene, const FreeTree& tree, std::size_t first,
                    const Vec3& rotation, std::span<FreeWallState> states) {
  const auto joint = static_cast<std::size_t>(tree.axes[first].joint);
  SetOrientation(scene, joint, RotationBy(rotation) * OrientationOf(scene, joint, states), states);
}

}  // namespace scree
