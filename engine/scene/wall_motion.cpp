#include "engine/scene/wall_motion.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "solvers/check.hpp"

namespace scree {
namespace {

Vec3 Corner(const Box& box, int number) {
  return {(number & 1 ? box.upper : box.lower).x(), (number & 2 ? box.upper : box.lower).y(),
          (number & 4 ? box.upper : box.lower).z()};
}

double FarthestFrom(const Vec3& x, const Box& box) {
  double farthest = 0.0;
  for (int k = 0; k < 8; ++k) farthest = std::max(farthest, (Corner(box, k) - x).norm());
  return farthest;
}

Vec3 Swing(const Oscillation& oscillation, double time) {
  const double turn = 2.0 * std::numbers::pi * oscillation.frequency * time;
  return (std::sin(turn + oscillation.phase) - std::sin(oscillation.phase)) * oscillation.amplitude;
}

/// @param steps  since the wall was where its shape says
WallPose Pose(const Wall& wall, double dt, std::int64_t steps) {
  const double time = dt * static_cast<double>(steps);
  WallPose pose;
  pose.displacement = wall.velocity * time;
  pose.velocity = wall.velocity;
  if (!wall.oscillation.amplitude.isZero(0.0)) {
    // The mean velocity takes the wall exactly to its next place.
    const Vec3 now = Swing(wall.oscillation, time);
    const Vec3 next = Swing(wall.oscillation, dt * static_cast<double>(steps + 1));
    pose.displacement += now;
    pose.velocity += (next - now) / dt;
  }
  const Rotation& rotation = wall.rotation;
  pose.centre = rotation.centre;
  pose.angular_velocity = rotation.angular_velocity;
  if (pose.Rotates() && !IsRoundAbout(wall.shape, rotation.centre, rotation.angular_velocity)) {
    const double rate = rotation.angular_velocity.norm();
    pose.turns = true;
    pose.turn = Eigen::AngleAxisd(rate * time, rotation.angular_velocity / rate).matrix();
  }
  pose.is_there = steps < std::llround(std::min(wall.removed_at / dt, 1e18));
  return pose;
}

}  // namespace

std::int64_t StepsPerLayer(const Scene& scene, const Inflow& inflow, double dt) {
  const double diameter = 2.0 * inflow.grain.sizes.largest;
  const double per_step = dt * scene.walls[inflow.piston].velocity.norm();
  constexpr double kRounding = 1e-9;  // of a step: 0.94 mm / (1 m/s 10 us) is not quite 94
  return static_cast<std::int64_t>(std::ceil(diameter / per_step - kRounding));
}

void WallPoses(const Scene& scene, double dt, std::int64_t step, std::vector<WallPose>& poses) {
  poses.clear();
  for (std::size_t w = 0; w < scene.walls.size(); ++w) {
    const auto inflow = std::ranges::find(scene.pistons, w, &Inflow::piston);
    const bool is_piston = inflow != scene.pistons.end();
    poses.push_back(
        Pose(scene.walls[w], dt, is_piston ? step % StepsPerLayer(scene, *inflow, dt) : step));
  }
}

double GreatestTravel(const WallPose& from, const WallPose& to, const Box& extent) {
  if (!from.turns) return (to.displacement - from.displacement).norm();
  // The way is an affine function of the place, so it is longest at a corner.
  double longest = 0.0;
  for (int k = 0; k < 8; ++k) {
    const Vec3 corner = Corner(extent, k);
    longest = std::max(longest, (to.InSpace(corner) - from.InSpace(corner)).norm());
  }
  return longest;
}

Box ReachableExtent(const Shape& shape, const WallPose& pose, const Box& region) {
  Box extent{Vec3::Constant(HUGE_VAL), Vec3::Constant(-HUGE_VAL)};
  for (int k = 0; k < 8; ++k) {
    const Vec3 corner = pose.InShape(Corner(region, k));
    extent.lower = extent.lower.cwiseMin(corner);
    extent.upper = extent.upper.cwiseMax(corner);
  }
  const Box bounds = BoundingBox(shape);
  for (int axis = 0; axis < 3; ++axis) {
    // Where they miss each other the nearest end of the region serves.
    extent.lower[axis] =
        std::min(std::max(extent.lower[axis], bounds.lower[axis]), extent.upper[axis]);
    extent.upper[axis] =
        std::max(std::min(extent.upper[axis], bounds.upper[axis]), extent.lower[axis]);
  }
  return extent;
}

double GreatestWallSpeed(const Scene& scene, double dt, std::int64_t step, double beyond) {
  const Vec3 margin = Vec3::Constant(beyond);
  const Box region{scene.domain.box.lower - margin, scene.domain.box.upper + margin};
  const std::vector<WallPose> poses = WallPoses(scene, dt, step);
  double greatest = 0.0;
  for (std::size_t w = 0; w < poses.size(); ++w) {
    const Wall& wall = scene.walls[w];
    const double swing =
        2.0 * std::numbers::pi * wall.oscillation.frequency * wall.oscillation.amplitude.norm();
    double speed = wall.velocity.norm() + swing;
    if (poses[w].Rotates()) {
      speed += wall.rotation.angular_velocity.norm() * FarthestFrom(poses[w].CentreNow(), region);
    }
    greatest = std::max(greatest, speed);
  }
  return greatest;
}

}  // namespace scree
