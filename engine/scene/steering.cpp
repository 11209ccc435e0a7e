#include "engine/scene/steering.hpp"

#include <algorithm>
#include <limits>
#include <numbers>

#include "solvers/base/check.hpp"

namespace scree {
namespace {

std::string ElapsedMotionName(const Wall& wall) { return wall.name + "_so_far"; }

/// Angle by which the wall has rotated since time zero, along the axis [rad].
Vec3 TurnedSoFar(const Wall& wall, double time) {
  const double own = std::clamp(time, wall.moves_from, wall.moves_until) - wall.moves_from;
  Vec3 turned = own * wall.rotation.angular_velocity;
  for (const TimedMotion& way : wall.motions) turned += way.until * way.angular_velocity;
  return turned;
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
  const std::string so_far = ElapsedMotionName(wall);
  const auto is_other = [&](const TimedMotion& motion) { return motion.name != so_far; };
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
  if (!motion.of_centre.allFinite() || !motion.angular.allFinite()) {
    return describe("cannot have the velocity (", motion.of_centre.transpose(),
                    ") m/s and the angular velocity (", motion.angular.transpose(),
                    ") rad/s; expected finite numbers");
  }
  const double most = scene.domain.box.Extent().minCoeff();
  if (motion.of_centre.norm() * length > most ||
      motion.angular.norm() * length > std::numbers::pi) {
    return describe("would move ", motion.of_centre.norm() * length, " m and rotate ",
                    motion.angular.norm() * length, " rad in a step; expected at most ", most,
                    " m, the length of the domain, and half a rotation");
  }
  if (!AreAlongOneAxis(TurnedSoFar(wall, time), motion.angular)) {
    return describe(
        "has rotated about another axis so far; expected an angular velocity along that axis");
  }
  return {};
}

void Steer(const WallPose& now, double time, const WallVelocity& motion, Wall& wall) {
  const Vec3 turned = TurnedSoFar(wall, time);
  wall.motions.clear();
  if (time > 0.0 && !(now.displacement.isZero(0.0) && turned.isZero(0.0))) {
    wall.motions.push_back({.name = ElapsedMotionName(wall),
                            .until = time,
                            .velocity = now.displacement / time,
                            .angular_velocity = turned / time});
  }
  wall.velocity = motion.of_centre;
  wall.rotation.angular_velocity = motion.angular;
  wall.moves_from = wall.IsDriven() ? time : 0.0;
  wall.moves_until = std::numeric_limits<double>::infinity();
}

}  // namespace scree
