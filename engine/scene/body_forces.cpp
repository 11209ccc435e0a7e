#include "engine/scene/body_forces.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "engine/scene/scene.hpp"

namespace scree {

FrameStep::Rotation FrameStep::RotationInStep(const RotatingFrame& frame, double dt) {
  const double rate = frame.angular_velocity.norm();
  if (rate == 0.0) return {Mat3::Identity(), Mat3::Zero()};
  const Vec3 axis = frame.angular_velocity / rate;
  Mat3 cross;  // n ×
  cross << 0.0, -axis.z(), axis.y(), axis.z(), 0.0, -axis.x(), -axis.y(), axis.x(), 0.0;
  if (dt == 0.0) return {Mat3::Identity(), rate * cross};
  // 1 − Q = sin(Ω dt) n× − (1 − cos(Ω dt)) n×n×
  const double half = std::sin(0.5 * rate * dt);
  const Mat3 chord = std::sin(rate * dt) * cross - 2.0 * half * half * cross * cross;
  return {Mat3::Identity() - chord, chord / dt};
}

FrameStep::FrameStep(const RotatingFrame& frame, double last_dt, double dt)
    : centre_(frame.centre),
      last_(RotationInStep(frame, last_dt)),
      current_(RotationInStep(frame, dt)) {}

Vec3 FrameStep::KickAt(const Vec3& x, const Vec3& v) const {
  const Vec3 arm = x - centre_;
  const Vec3 inertial_velocity = last_.rotation * v + last_.chord * arm;  // V
  return current_.rotation * inertial_velocity - current_.chord * arm - v;
}

Vec3 VelocityOfLastStep(const RotatingFrame& frame, const Vec3& x, const Vec3& v, double last_dt) {
  return v + FrameStep(frame, 0.0, -last_dt).KickAt(x, v);  // backwards in time
}

Vec3 InstantaneousVelocity(const RotatingFrame& frame, const Vec3& x, const Vec3& v,
                           double last_dt) {
  return v + FrameStep(frame, last_dt, 0.0).KickAt(x, v);
}

double MaxBodyAcceleration(const Scene& scene) {
  double min_density = std::numeric_limits<double>::infinity();
  for (std::size_t m = 0; m < scene.materials.Size(); ++m) {
    min_density = std::min(min_density, scene.materials[static_cast<MaterialId>(m)].density);
  }
  const bool has_buoyancy = scene.fluid.Exists() && scene.fluid.buoyancy;
  double acceleration =
      scene.gravity.norm() *
      (has_buoyancy ? std::max(1.0, scene.fluid.density / min_density - 1.0) : 1.0);
  for (const ForceField& field : scene.fields) {
    acceleration += field.acceleration.norm() + field.table.MaxNorm() +
                    field.force_per_volume.norm() / min_density +
                    field.grid.MaxNorm() / (field.grid_is_per_volume ? min_density : 1.0);
  }
  double centrifugal = 0.0;
  const Box& box = scene.domain.box;
  for (int corner = 0; scene.frame.IsRotating() && corner < 8; ++corner) {
    const Vec3 x(((corner & 1) != 0 ? box.upper : box.lower).x(),
                 ((corner & 2) != 0 ? box.upper : box.lower).y(),
                 ((corner & 4) != 0 ? box.upper : box.lower).z());
    centrifugal = std::max(centrifugal, scene.frame.Centrifugal(x).norm());
  }
  return acceleration + centrifugal;
}

}  // namespace scree
