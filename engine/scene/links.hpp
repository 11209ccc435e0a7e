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

/// The tree of each joint, numbered in the order of the joints. Gears and loops between joints of
/// two trees make these one tree.
std::vector<std::size_t> TreesOfJoints(const std::vector<Joint>& joints,
                                       std::span<const LoopHinge> loop_hinges);

/// Degrees of freedom of each tree at time zero: its axes less the rank of its constraints.
std::vector<std::size_t> FreedomsOfTrees(const Scene& scene);

/// Returns gears and loop hinges to their exact positions after a step, by Newton's method in the
/// metric of H.
/// @throws SimulationError if that does not converge
void CloseLoops(const Scene& scene, std::span<FreeWallState> states);

/// Maximum number of axes in a tree: WallPose::moved_by has one bit for each.
inline constexpr std::size_t kMaxAxes = 64;

/// Sets the poses of the walls of links from the positions of the joints.
/// @param begin, length  of the step [s]
/// @param states  as for WallPoses
/// @param[in,out] poses  of all walls
void PlaceLinks(const Scene& scene, double begin, double length, FreeWallStates states,
                std::vector<WallPose>& poses);

/// Sets mass, centre and inertia of a link that has a density, if all meshes of its walls are
/// loaded.
/// @pre its walls are bounded solids
/// @throws InputError with a sentence that continues after the name of the key: solids overlap
void SetMassByDensity(Scene& scene, std::size_t number);

/// Target speed of a motor in a step.
/// @param position  of the joint at the beginning of the step
double SpeedOfMotor(const Joint& joint, double position, double begin, double length);

/// Rotates the free joint of a tree through a step: at constant angular momentum if it carries a
/// single rigid body, else at constant angular velocity.
/// @param omega  angular velocity in the solve [rad/s]
/// @param moved  rotation vector by the projection of positions [rad]
/// @param[in,out] states  rotation and angular velocity of the joint
void RotateFreeJoint(const Scene& scene, const FreeTree& tree, const Vec3& omega, const Vec3& moved,
                     std::span<FreeWallState> states);

/// ½ s⋅H s of all links [J]
double KineticEnergyOfLinks(const Scene& scene, FreeWallStates states);

/// H of each joint alone with everything that it carries and drives through gears and loops, at
/// time zero [kg] or [kg m²]; 0: fixed or free.
std::vector<double> InertiaOfJoints(const Scene& scene);

}  // namespace scree
