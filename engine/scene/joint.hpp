/// \file  Links and joints: mechanisms that are driven against the particles' forces.
///
/// A link is a rigid body made of walls. A joint connects it to another link or to the ground.
/// Every link has exactly one joint towards the ground, so that links form trees. A free wall is a
/// tree of one joint.
#pragma once

#include <array>
#include <cstddef>
#include <limits>
#include <string>

#include "engine/scene/motion_table.hpp"
#include "solvers/base/types.hpp"

namespace scree {

/// A rigid body. Wall::link names the walls that belong to it.
struct Link {
  std::string name;
  double mass = 0.0;            // > 0 [kg]
  Vec3 centre = Vec3::Zero();   // of mass, at time zero [m]
  Mat3 inertia = Mat3::Zero();  // about the centre of mass, in world axes at time zero [kg m²]
};

enum class JointKind { kHinge, kSlider, kFixed };
/// The names in scenes, in the order of the enumeration.
constexpr std::array<const char*, 3> NamesOf(JointKind) { return {"hinge", "slider", "fixed"}; }

enum class JointDrive { kNone, kToSpeed, kToPosition };
constexpr std::array<const char*, 3> NamesOf(JointDrive) { return {"none", "speed", "position"}; }

/// The position q of a joint is an angle [rad] or a travel [m] and is zero at time zero. Torques
/// are about the axis by the right-hand rule, and forces are along it.
struct Joint {
  static constexpr Index kGround = -1;

  std::string name;
  JointKind kind = JointKind::kHinge;
  Index parent = kGround;     // row of Scene::links; its own joint comes earlier
  Index child = 0;            // row of Scene::links
  Vec3 point = Vec3::Zero();  // on a hinge's axis, at time zero [m]
  Vec3 axis = Vec3::Zero();   // at time zero; unit vector
  double lower = -std::numeric_limits<double>::infinity();  // ≤ 0
  double upper = std::numeric_limits<double>::infinity();   // ≥ 0
  double force = 0.0;                                       // constant
  double spring = 0.0;                                      // ≥ 0, per unit of q
  double rest = 0.0;                                        // position at which the spring is slack
  double damping = 0.0;                                     // ≥ 0, per unit of speed
  double friction = 0.0;                                    // ≥ 0, maximum

  // A motor exerts the force that its speed or position requires, up to a maximum.
  JointDrive drive = JointDrive::kNone;
  double target = 0.0;     // speed or position, used without a table
  MotionTable table = {};  // over the time since time zero
  double largest = 0.0;    // maximum force or torque, > 0
  double largest_speed = std::numeric_limits<double>::infinity();  // of a position motor

  bool Turns() const { return kind == JointKind::kHinge; }
  bool IsFixed() const { return kind == JointKind::kFixed; }
  /// The component of the table that drives the joint.
  int TableComponent() const { return Turns() ? 3 : 0; }
};

}  // namespace scree
