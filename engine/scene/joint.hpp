/// \file  Links and joints: machines whose parts the grains push back.
///
/// A link is a rigid body made of walls. A joint connects it to another link or to the ground, and
/// every link has one joint: links form trees. A free wall is a tree of its own with one joint.
#pragma once

#include <array>
#include <cstddef>
#include <limits>
#include <string>

#include "engine/scene/motion_table.hpp"
#include "solvers/base/types.hpp"

namespace scree {

/// Walls name the link that they are part of (Wall::link).
struct Link {
  std::string name;
  double mass = 0.0;            // > 0 [kg]
  Vec3 centre = Vec3::Zero();   // of mass, at time zero [m]
  Mat3 inertia = Mat3::Zero();  // about that, along the world's axes at time zero [kg m²]
};

enum class JointKind { kHinge, kSlider, kFixed };
/// The names in scenes, in the order of the enumeration.
constexpr std::array<const char*, 3> NamesOf(JointKind) { return {"hinge", "slider", "fixed"}; }

enum class JointDrive { kNone, kToSpeed, kToPosition };
constexpr std::array<const char*, 3> NamesOf(JointDrive) { return {"none", "speed", "position"}; }

/// Its position q is an angle [rad] or a travel [m], zero at time zero, and its forces are torques
/// or forces, along the axis or about it by the right hand.
struct Joint {
  static constexpr Index kGround = -1;

  std::string name;
  JointKind kind = JointKind::kHinge;
  Index parent = kGround;     // row of Scene::links, of which an earlier joint has the child
  Index child = 0;            // row of Scene::links
  Vec3 point = Vec3::Zero();  // of a hinge's axis, at time zero [m]
  Vec3 axis = Vec3::Zero();   // at time zero; unit vector
  double lower = -std::numeric_limits<double>::infinity();  // ≤ 0
  double upper = std::numeric_limits<double>::infinity();   // ≥ 0
  double force = 0.0;                                       // given
  double spring = 0.0;                                      // ≥ 0, per unit of q
  double rest = 0.0;                                        // position at which the spring is slack
  double damping = 0.0;                                     // ≥ 0, per unit of speed
  double friction = 0.0;                                    // ≥ 0, the largest

  // A motor gives what the speed or position takes, but no more than its largest force.
  JointDrive drive = JointDrive::kNone;
  double target = 0.0;     // speed or position, where there is no table
  MotionTable table = {};  // over the time since time zero
  double largest = 0.0;    // force or torque, > 0
  double largest_speed = std::numeric_limits<double>::infinity();  // of a position motor

  bool Turns() const { return kind == JointKind::kHinge; }
  bool IsFixed() const { return kind == JointKind::kFixed; }
  /// The component of the table that counts.
  int TableComponent() const { return Turns() ? 3 : 0; }
};

}  // namespace scree
