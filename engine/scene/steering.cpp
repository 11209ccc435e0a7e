#include "engine/scene/steering.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <utility>

#include "solvers/base/check.hpp"

namespace scree {
namespace {

std::string ElapsedMotionName(const Wall& wall) { return wall.name + "_so_far"; }

/// Rotation vector of the wall since time zero [rad].
Vec3 ElapsedRotation(const Wall& wall, double time) {
  const double duration = std::clamp(time, wall.moves_from, wall.moves_until) - wall.moves_from;
  Vec3 rotation = duration * wall.rotation.angular_velocity;
  for (const TimedMotion& motion : wall.motions) rotation += motion.until * motion.angular_velocity;
  return rotation;
}

bool AreAlongOneAxis(const Vec3& a, const Vec3& b) {
  constexpr double kRounding = 1e-12;
  return a.cross(b).norm() <= kRounding * a.norm() * b.norm();
}

const char* DescribeOtherDrive(const Scene& scene, std::size_t w) {
  const Wall& wall = scene.walls[w];
  if (wall.IsFree()) return "forces move it";
  if (wall.IsPartOfLink()) return "it is part of a [link]";
  if (std::ranges::count(scene.pistons, w, &Inflow::piston) > 0)
    return "it is a piston of [inflow]";
  if (!wall.table.IsEmpty()) return "a table of motion moves it";
  if (!wall.oscillation.amplitude.isZero(0.0)) return "it oscillates";
  const std::string elapsed_name = ElapsedMotionName(wall);
  const auto is_other = [&](const TimedMotion& motion) { return motion.name != elapsed_name; };
  return std::ranges::any_of(wall.motions, is_other) ? "a [motion] moves it" : nullptr;
}

}  // namespace

std::string DescribeUnsteerable(const Scene& scene, std::size_t w, double time, double length,
                                const WallVelocity& motion) {
  const Wall& wall = scene.walls[w];
  const auto describe = [&](const auto&... parts) {
    return Text("[wall.", wall.name, "] ", parts...);
  };
  if (const char* const mover = DescribeOtherDrive(scene, w)) {
    return describe("cannot be steered: ", mover,
                    "; expected a wall at rest, or with a constant velocity and angular_velocity");
  }
  if (!motion.linear.allFinite() || !motion.angular.allFinite()) {
    return describe("cannot have the velocity (", motion.linear.transpose(),
                    ") m/s and the angular velocity (", motion.angular.transpose(),
                    ") rad/s; expected finite numbers");
  }
  const double max = scene.domain.box.Extent().minCoeff();
  if (motion.linear.norm() * length > max || motion.angular.norm() * length > std::numbers::pi) {
    return describe("would move ", motion.linear.norm() * length, " m and rotate ",
                    motion.angular.norm() * length, " rad in a step; expected at most ", max,
                    " m, the length of the domain, and half a rotation");
  }
  if (!AreAlongOneAxis(ElapsedRotation(wall, time), motion.angular)) {
    return describe(
        "has rotated about another axis so far; expected an angular velocity along that axis");
  }
  return {};
}

std::string DescribeUndrivable(const Scene& scene, std::size_t j, double length,
                               const JointCommand& command) {
  const Joint& joint = scene.joints[j];
  const auto describe = [&](const auto&... parts) {
    return Text("[joint.", joint.name, "] ", parts...);
  };
  const bool is_hinge = joint.kind == JointKind::kHinge;
  if (!is_hinge && joint.kind != JointKind::kSlider) {
    const auto kind = static_cast<std::size_t>(joint.kind);
    return describe("is a ", NamesOf(JointKind{})[kind], " joint and has no motor; expected a ",
                    "hinge or a slider");
  }
  const char* const effort = is_hinge ? "torque" : "force";
  const bool is_speed = command.drive == JointDrive::kToSpeed;
  if (command.drive && !std::isfinite(command.target)) {
    return describe("cannot have the ", is_speed ? "speed " : "position ", command.target,
                    "; expected a finite number");
  }
  if (command.force && !std::isfinite(*command.force)) {
    return describe("cannot have the ", effort, " ", *command.force, "; expected a finite number");
  }
  for (const auto& [name, value] :
       {std::pair(effort, command.largest), std::pair("speed", command.largest_speed)}) {
    if (!value || *value > 0.0) continue;
    return describe("cannot have the largest ", name, " ", *value, "; expected more than 0");
  }
  const JointDrive drive = command.drive.value_or(joint.drive);
  const bool has_motor = drive == JointDrive::kToSpeed || drive == JointDrive::kToPosition;
  if (has_motor && !(command.largest.value_or(joint.largest) > 0.0)) {
    return describe("has a motor without a largest ", effort,
                    ", at which it stalls; expected largest > 0");
  }
  const double max = is_hinge ? std::numbers::pi : scene.domain.box.Extent().minCoeff();
  if (is_speed && std::abs(command.target) * length > max) {
    return describe("would move by ", std::abs(command.target) * length, is_hinge ? " rad" : " m",
                    " in a step; expected at most ", max);
  }
  return {};
}

void Drive(const JointCommand& command, Joint& joint) {
  if (command.drive) {
    joint.drive = *command.drive;
    joint.target = command.target;
    joint.table = {};
  }
  joint.largest = command.largest.value_or(joint.largest);
  joint.largest_speed = command.largest_speed.value_or(joint.largest_speed);
  if (command.force) {
    joint.force = *command.force;
    joint.forces = {};  // replaces the table of the scene
  }
}

void Steer(const WallPose& pose, double time, const WallVelocity& motion, Wall& wall) {
  const Vec3 rotation = ElapsedRotation(wall, time);
  wall.motions.clear();
  if (time > 0.0 && !(pose.displacement.isZero(0.0) && rotation.isZero(0.0))) {
    wall.motions.push_back({.name = ElapsedMotionName(wall),
                            .until = time,
                            .velocity = pose.displacement / time,
                            .angular_velocity = rotation / time});
  }
  wall.velocity = motion.linear;
  wall.rotation.angular_velocity = motion.angular;
  wall.moves_from = wall.IsDriven() ? time : 0.0;
  wall.moves_until = std::numeric_limits<double>::infinity();
}

}  // namespace scree
