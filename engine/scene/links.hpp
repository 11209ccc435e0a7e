/// \file  Poses of links, and the properties that determine their motion in a step.
#pragma once

#include <span>
#include <vector>

#include "engine/scene/wall_motion.hpp"

namespace scree {

/// Pose and velocity of a link at the beginning of a step.
struct LinkPose {
  Mat3 rotation = Mat3::Identity();      // rotation since time zero
  Vec3 centre = Vec3::Zero();            // of mass [m]
  Vec3 velocity = Vec3::Zero();          // of the centre [m/s]
  Vec3 angular_velocity = Vec3::Zero();  // [rad/s]
};

/// The pose of each link.
/// @param states  as for WallPoses
std::vector<LinkPose> LinkPoses(const Scene& scene, FreeWallStates states);

/// Sets the poses of the walls of links from the positions of the joints.
/// @param begin, length  of the step [s]
/// @param states  as for WallPoses
/// @param[in,out] poses  of all walls
void PlaceLinks(const Scene& scene, double begin, double length, FreeWallStates states,
                std::vector<WallPose>& poses);

/// Sets mass, centre and inertia of a link that has a density, if all meshes of its walls are
/// loaded.
/// @pre the walls of the link are bounded solids
/// @throws InputError if solids overlap; the caller puts the message after the name of the key
void SetMassByDensity(Scene& scene, std::size_t number);

/// ½ s⋅H s of all links [J]
double KineticEnergyOfLinks(const Scene& scene, FreeWallStates states);

/// Inertia of each hinge and slider, with everything that it carries and drives through gears and
/// loops [kg] or [kg m²]; 0 for other joints, for a locked joint, and if a mesh is not loaded.
/// @param states  as for WallPoses
std::vector<double> InertiaOfJoints(const Scene& scene, FreeWallStates states);

/// Upper bound of the distance from the axis of each hinge of the points that it moves and that
/// particles can reach; if it drives other joints, the diagonal of the domain [m].
std::vector<double> ArmsOfJoints(const Scene& scene);

/// Speed of each hinge and slider per unit of impulse on it, if no other joint of its tree is held
/// [1/kg] or [1/(kg m²)]; 0 for other joints, for a locked joint, and if a mesh is not loaded.
/// @param states  as for WallPoses
std::vector<double> MobilityOfJoints(const Scene& scene, FreeWallStates states);

}  // namespace scree
