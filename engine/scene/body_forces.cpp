#include "engine/scene/body_forces.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <Eigen/Geometry>

#include "engine/scene/scene.hpp"

namespace scree {
namespace {

Eigen::AngleAxisd Turn(const RotatingFrame& frame, double dt) {
  const double rate = frame.angular_velocity.norm();
  return Eigen::AngleAxisd(-rate * dt, frame.angular_velocity / rate);
}

}  // namespace

Vec3 PushOfFrame(const RotatingFrame& frame, const Vec3& x, const Vec3& v, double dt) {
  const Eigen::AngleAxisd q = Turn(frame, dt);
  const Vec3 axis = q.axis(), arm = x - frame.centre;
  const double sine = 2.0 * std::sin(0.5 * q.angle());
  return sine * sine / dt * (q * Vec3(arm - arm.dot(axis) * axis)) + (q * (q * v) - v);
}

Vec3 TurnOfFrame(const RotatingFrame& frame, const Vec3& omega, double dt) {
  return Turn(frame, dt) * omega - omega;
}

double GreatestPull(const Scene& scene) {
  double least_density = std::numeric_limits<double>::infinity();
  for (std::size_t m = 0; m < scene.materials.Size(); ++m) {
    least_density = std::min(least_density, scene.materials[static_cast<MaterialId>(m)].density);
  }
  double pull = scene.gravity.norm();
  for (const ForceField& field : scene.fields) {
    pull += field.acceleration.norm() + field.table.Greatest() +
            field.force_per_volume.norm() / least_density +
            field.grid.Greatest() / (field.grid_is_per_volume ? least_density : 1.0);
  }
  double centrifugal = 0.0;
  const Box& box = scene.domain.box;
  for (int corner = 0; scene.frame.Turns() && corner < 8; ++corner) {
    const Vec3 x(((corner & 1) != 0 ? box.upper : box.lower).x(),
                 ((corner & 2) != 0 ? box.upper : box.lower).y(),
                 ((corner & 4) != 0 ? box.upper : box.lower).z());
    centrifugal = std::max(centrifugal, scene.frame.Centrifugal(x).norm());
  }
  return pull + centrifugal;
}

}  // namespace scree
