/// \file  Walls that a program steers: how one moves from a moment on, in place of what its scene
///        says of later times.
///
/// A steered wall is again a prescribed one, whose way so far is one [motion] that has ended: so
/// poses, lists of neighbours, the energy balance and what is written of the scene need to know
/// nothing of it.
#pragma once

#include <string>

#include "engine/scene/scene.hpp"
#include "engine/scene/wall_motion.hpp"

namespace scree {

/// How a wall moves as a rigid body, about its centre.
struct WallVelocity {
  Vec3 of_centre = Vec3::Zero();  // [m/s]
  Vec3 angular = Vec3::Zero();    // [rad/s]
};

/// Why this wall cannot be given this motion; empty: it can. Forces, pistons, oscillations, tables
/// and [motion] sections have walls of their own; turns about different axes do not add up.
/// @param time    now [s]
/// @param length  of a step [s]
std::string DescribeUnsteerable(const Scene& scene, std::size_t w, double time, double length,
                                const WallVelocity& motion);

/// Lets the wall move so from now on.
/// @param now   where it is
/// @param time  now, a whole number of steps [s]
void Steer(const WallPose& now, double time, const WallVelocity& motion, Wall& wall);

}  // namespace scree
