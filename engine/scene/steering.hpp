/// \file  Walls and joints that a program steers: the motion or drive given by the program replaces
///        that of the scene.
///
/// A steered wall is an ordinary driven wall, whose previous motion becomes a [motion] that has
/// ended. Poses, neighbour lists, the energy balance and the output of the scene therefore need no
/// special treatment of steering.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "engine/scene/scene.hpp"
#include "engine/scene/wall_motion.hpp"

namespace scree {

/// Rigid-body motion of a wall about its centre.
struct WallVelocity {
  Vec3 linear = Vec3::Zero();   // [m/s]
  Vec3 angular = Vec3::Zero();  // [rad/s]
};

/// The reason why the wall cannot have this motion, or empty if it can. Pistons, walls that forces
/// move, and walls with oscillations, tables or [motion] sections cannot be steered. A wall that
/// has rotated can rotate only about the same axis.
/// @param w       row of Scene::walls
/// @param time    current time [s]
/// @param length  of a step [s]
std::string DescribeUnsteerable(const Scene& scene, std::size_t w, double time, double length,
                                const WallVelocity& motion);

/// Changes of a joint by a program. All other properties of the joint stay the same.
struct JointCommand {
  std::optional<JointDrive> drive;      // to `target`, instead of a table; none: the drive stays
  double target = 0.0;                  // speed or position [m/s], [rad/s], [m] or [rad]
  std::optional<double> largest;        // maximum force or torque of the motor [N] or [N m]
  std::optional<double> largest_speed;  // of a motor to a position [m/s] or [rad/s]
  std::optional<double> force;          // constant force [N] or torque [N m] in addition to a motor
};

/// The reason why the joint cannot be driven by this command, or empty if it can.
/// @param length  of a step [s]
std::string DescribeUndrivable(const Scene& scene, std::size_t joint, double length,
                               const JointCommand& command);

/// Drives the joint by this command from now on.
void Drive(const JointCommand& command, Joint& joint);

/// Gives the wall this motion from now on.
/// @param pose  the current pose of the wall
/// @param time  current time, a whole number of steps [s]
void Steer(const WallPose& pose, double time, const WallVelocity& motion, Wall& wall);

}  // namespace scree
