/// \file  Poses of links, and their motion by forces in a step.
#pragma once

#include <span>
#include <vector>

#include "engine/scene/wall_motion.hpp"

namespace scree {

/// Where a link is and how it moves at the beginning of a step.
struct LinkPose {
  Mat3 turn = Mat3::Identity();          // rotation since time zero
  Vec3 centre = Vec3::Zero();            // of mass [m]
  Vec3 velocity = Vec3::Zero();          // of the centre [m/s]
  Vec3 angular_velocity = Vec3::Zero();  // [rad/s]
};

/// One per link.
/// @param states  as for WallPoses
std::vector<LinkPose> LinkPoses(const Scene& scene, FreeWallStates states);

/// Maximum number of axes in a tree: WallPose::moved_by has one bit for each.
inline constexpr std::size_t kMaxAxes = 64;

/// Sets the poses of the walls of links from the positions of the joints.
/// @param begin, length  of the step [s]
/// @param states  as for WallPoses
/// @param[in,out] poses  of all walls
void PlaceLinks(const Scene& scene, double begin, double length, FreeWallStates states,
                std::vector<WallPose>& poses);

/// Target speed of a motor in a step.
/// @param position  of the joint at the beginning of the step
double SpeedOfMotor(const Joint& joint, double position, double begin, double length);

/// H of each joint alone with everything that it carries, at time zero [kg] or [kg m²]; 0: fixed.
std::vector<double> InertiaOfJoints(const Scene& scene);

}  // namespace scree
