/// \file  Motion that joints give to links, at one moment.
#pragma once

#include <cstdint>
#include <span>

#include "engine/scene/free_tree.hpp"
#include "engine/scene/scene.hpp"

namespace scree {

/// Motion of a link at the beginning of a step. The point that was at x at time zero is now at
/// rotation * x + shift.
struct LinkMotion {
  Mat3 rotation = Mat3::Identity();
  Vec3 shift = Vec3::Zero();             // [m]
  Vec3 centre = Vec3::Zero();            // current centre of mass [m]
  Vec3 velocity = Vec3::Zero();          // of the centre [m/s]
  Vec3 angular_velocity = Vec3::Zero();  // [rad/s]
  // Accelerations if the speeds of the joints were constant.
  Vec3 acceleration = Vec3::Zero();          // of the centre [m/s²]
  Vec3 angular_acceleration = Vec3::Zero();  // [rad/s²]
  Index tree = -1;                           // number of the tree
  std::uint64_t moved_by = 0;                // bit set of the axes of the tree that move the link

  bool IsMovedBy(std::size_t axis) const { return (moved_by >> axis & 1) != 0; }
  Vec3 InSpace(const Vec3& at_time_zero) const { return rotation * at_time_zero + shift; }
  /// Velocity of the material point that is now at x [m/s].
  Vec3 VelocityAt(const Vec3& x) const { return velocity + angular_velocity.cross(x - centre); }
  /// Acceleration of this point if the speeds of the joints were constant [m/s²].
  Vec3 AccelerationAt(const Vec3& x) const {
    const Vec3 arm = x - centre;
    return acceleration + angular_acceleration.cross(arm) +
           angular_velocity.cross(angular_velocity.cross(arm));
  }
};

/// Places the child of a joint and adds the axes of the joint to the tree.
/// @param states  see Scene::JointRow; empty: all joints are at rest at their position zero
/// @param[in,out] child  LinkMotion::tree must be set
/// @param[in,out] tree   to which the child belongs
void PlaceByJoint(const Scene& scene, std::span<const FreeWallState> states, std::size_t joint,
                  const LinkMotion& parent, LinkMotion& child, FreeTree& tree);

/// Sets velocities and accelerations of the child of a joint.
/// @param axes  of the child's tree
/// @pre PlaceByJoint has placed the child
void MoveByJoint(std::size_t joint, std::span<const FreeAxis> axes, const LinkMotion& parent,
                 LinkMotion& child);

/// Rotates a free or a ball joint through a step: at constant angular momentum if it moves a single
/// rigid body, else at constant angular velocity relative to its parent.
/// @param first       first of the three axes of rotation of the joint, in the tree
/// @param omega       angular velocity after the solve [rad/s]
/// @param projection  rotation vector of the position projection [rad]
/// @param[in,out] states  rotation and angular velocity of the joint
void RotateJoint(const Scene& scene, const FreeTree& tree, std::size_t first, const Vec3& omega,
                 const Vec3& projection, std::span<FreeWallState> states);

/// Rotates only the position of a free or a ball joint, not its speed.
/// @param rotation  rotation vector [rad]
void RotatePosition(const Scene& scene, const FreeTree& tree, std::size_t first,
                    const Vec3& rotation, std::span<FreeWallState> states);

}  // namespace scree
