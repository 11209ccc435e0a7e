/// \file  Links and joints: mechanisms that are driven against the particles' forces.
///
/// A link is a rigid body made of walls. A joint connects it to another link or to the ground.
/// Every link has exactly one joint towards the ground, so that links form trees. Gears couple
/// joints, and additional joints close loops. A free wall is a tree of one joint.
#pragma once

#include <array>
#include <cstddef>
#include <limits>
#include <string>

#include "engine/scene/motion_table.hpp"
#include "engine/scene/vector_table.hpp"
#include "solvers/base/types.hpp"

namespace scree {

/// A rigid body, made of the walls that have it as Wall::link.
struct Link {
  std::string name;
  // > 0: mass, centre and inertia are those of the solids of the walls (SetMassByDensity); 0: mass,
  // centre and inertia are prescribed.
  double density = 0.0;         // [kg/m³]
  double mass = 0.0;            // > 0; 0: not yet known, because a mesh is not loaded [kg]
  Vec3 centre = Vec3::Zero();   // of mass, at time zero [m]
  Mat3 inertia = Mat3::Zero();  // about the centre of mass, in world axes at time zero [kg m²]
};

enum class JointKind { kHinge, kSlider, kFixed, kFree, kBall, kPlanar };
/// The names in scenes, in the order of the enumeration.
constexpr std::array<const char*, 6> NamesOf(JointKind) {
  return {"hinge", "slider", "fixed", "free", "ball", "planar"};
}

/// kByTorque is for hinges, kByForce for sliders.
enum class JointDrive { kNone, kToSpeed, kToPosition, kByTorque, kByForce };
constexpr std::array<const char*, 5> NamesOf(JointDrive) {
  return {"none", "speed", "position", "torque", "force"};
}

/// The position q of a joint is an angle [rad] or a travel [m] and is zero at time zero. Torques
/// are about the axis by the right-hand rule, and forces are along it.
///
/// A free joint gives its child all six degrees of freedom. The position is the displacement of the
/// centre of mass and the rotation vector since time zero; the speed is the velocity of the centre
/// and the angular velocity. All are in world axes. The parent of a free joint is the ground.
///
/// A ball joint keeps a point of the child at a point of the parent. The position is the rotation
/// vector since time zero relative to the parent, and the speed is the relative angular velocity.
/// Both are in axes that rotate with the parent and are the world axes at time zero. A planar joint
/// keeps the centre of mass of the child in a plane of the parent, and an axis of the child
/// perpendicular to this plane. Its position is two displacements and the angle about the axis.
struct Joint {
  static constexpr Index kGround = -1;

  std::string name;
  JointKind kind = JointKind::kHinge;
  Index parent = kGround;     // row of Scene::links; the joint of the parent comes earlier
  Index child = 0;            // row of Scene::links
  Vec3 point = Vec3::Zero();  // on the axis of a hinge, centre of a ball joint, at time zero [m]
  Vec3 axis = Vec3::Zero();   // at time zero; unit vector; of a planar joint: normal of its plane
  double lower = -std::numeric_limits<double>::infinity();  // ≤ 0
  double upper = std::numeric_limits<double>::infinity();   // ≥ 0
  double force = 0.0;                                       // constant
  double spring = 0.0;                                      // ≥ 0, per unit of q
  double rest = 0.0;                                        // position at which the spring is slack
  double damping = 0.0;                                     // ≥ 0, per unit of speed
  double friction = 0.0;                                    // maximum friction, ≥ 0

  // A motor exerts the force that its target speed or position requires, up to a maximum, or the
  // force given by a table.
  JointDrive drive = JointDrive::kNone;
  double target = 0.0;      // speed or position, used if `table` is empty
  MotionTable table = {};   // target as a function of the time since time zero
  VectorTable forces = {};  // x: force [N] or torque [N m] of a motor at this time
  double largest = 0.0;     // maximum force or torque, > 0
  double largest_speed = std::numeric_limits<double>::infinity();  // of a position motor

  // A gear keeps the position of a hinge or slider at a ratio to that of another hinge or slider.
  Index geared_to = -1;  // row of Scene::joints; -1: none
  double ratio = 0.0;    // not zero; of a slider geared to a hinge: travel per revolution [m]

  bool IsHinge() const { return kind == JointKind::kHinge; }
  bool IsFixed() const { return kind == JointKind::kFixed; }
  bool IsFree() const { return kind == JointKind::kFree; }
  /// Whether motors, springs, limits and gears can act on the joint.
  bool HasOneAxis() const { return kind == JointKind::kHinge || kind == JointKind::kSlider; }
  /// Degrees of freedom.
  std::size_t Axes() const {
    constexpr std::array<std::size_t, 6> kAxes = {1, 1, 0, 6, 3, 3};  // in the order of the kinds
    return kAxes[static_cast<std::size_t>(kind)];
  }
  /// The first direction of displacements of a planar joint.
  Vec3 FirstPlaneAxis() const { return axis.unitOrthogonal(); }
  bool HasGear() const { return geared_to >= 0; }
  bool HasLimitedMotor() const {
    return drive == JointDrive::kToSpeed || drive == JointDrive::kToPosition;
  }
  /// Prescribed force or torque: the constant one plus that of a motor's table.
  double ForceAt(double time) const {
    return force + (forces.IsEmpty() ? 0.0 : forces.At(time).x());
  }
  /// The component of the table that drives the joint.
  int TableComponent() const { return IsHinge() ? 3 : 0; }
};

enum class LoopKind { kHinge, kSlider, kBall };
constexpr std::array<const char*, 3> NamesOf(LoopKind) { return {"hinge", "slider", "ball"}; }

/// A joint that closes a loop of links. A hinge keeps points and axes of two links together, a ball
/// joint only points. A slider allows only displacements along its axis.
struct LoopJoint {
  std::string name;
  Index parent = Joint::kGround;  // row of Scene::links
  Index child = 0;                // row of Scene::links
  Vec3 point = Vec3::Zero();  // on the axis of a hinge, centre of a ball joint, at time zero [m]
  Vec3 axis = Vec3::Zero();   // of a hinge or slider, at time zero; unit vector
  LoopKind kind = LoopKind::kHinge;
};

}  // namespace scree
