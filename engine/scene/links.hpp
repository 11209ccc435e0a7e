/// \file  Where links are, and how forces move them in a step.
#pragma once

#include <span>
#include <vector>

#include "engine/scene/wall_motion.hpp"

namespace scree {

/// No tree has more axes: WallPose::moved_by has a bit for each.
inline constexpr std::size_t kMaxAxes = 64;

/// Puts the walls of links where their joints have them.
/// @param begin, length  of the step [s]
/// @param states  as WallPoses takes them
/// @param[in,out] poses  of all walls
void PlaceLinks(const Scene& scene, double begin, double length, FreeWallStates states,
                std::vector<WallPose>& poses);

/// The speed that a motor strives for in a step.
/// @param position  of the joint as it begins
double SpeedOfMotor(const Joint& joint, double position, double begin, double length);

/// H of each joint alone, with all that it carries, at time zero [kg] or [kg m²]; 0: fixed.
std::vector<double> InertiaOfJoints(const Scene& scene);

}  // namespace scree
