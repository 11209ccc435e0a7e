#include "engine/step/integration.hpp"

#include <cmath>

#include "engine/contacts/contact_assembly.hpp"

namespace scree {

Quaternion Rotate(const Quaternion& q, const Vec3& omega, double dt) {
  const Vec3 h = 0.5 * dt * omega;
  const Quaternion r = {
      q.w - h.x() * q.x - h.y() * q.y - h.z() * q.z, q.x + h.x() * q.w + h.y() * q.z - h.z() * q.y,
      q.y + h.y() * q.w + h.z() * q.x - h.x() * q.z, q.z + h.z() * q.w + h.x() * q.y - h.y() * q.x};
  const double scale = 1.0 / std::sqrt(r.w * r.w + r.x * r.x + r.y * r.y + r.z * r.z);
  return {scale * r.w, scale * r.x, scale * r.y, scale * r.z};
}

namespace {

void Displace(std::span<const Displacement> displacements, Particles& particles) {
  for (std::size_t i = 0; i < (displacements.empty() ? 0 : particles.Size()); ++i) {
    particles.position[i] += displacements[i].d;
  }
}

}  // namespace

void Integrate(std::span<const RigidBody> bodies, std::span<const Displacement> displacements,
               double dt, std::span<const double> inverse_masses,
               std::span<const ClumpShape> clumps, Particles& particles) {
  for (std::size_t i = 0; i < particles.Size(); ++i) {
    const RigidBody& body = bodies[i];
    particles.velocity_change[i] = (body.v - particles.velocity[i]).norm();
    particles.velocity[i] = body.v;
    particles.angular_velocity[i] = body.omega;
    particles.position[i] += dt * body.v;
    if (particles.shape[i] != kSphereShape) {
      RotateFreely(InertiaOf(particles, i, inverse_masses[i], clumps), dt, particles.orientation[i],
                   particles.angular_velocity[i]);
    } else if (i < particles.owned) {
      particles.orientation[i] = Rotate(particles.orientation[i], body.omega, dt);
    }
  }
  Displace(displacements, particles);
}

void Integrate(std::span<const SphereBody> bodies, std::span<const Displacement> displacements,
               double dt, Particles& particles) {
  for (std::size_t i = 0; i < particles.Size(); ++i) {
    const SphereBody& body = bodies[i];
    particles.velocity_change[i] = (body.v - particles.velocity[i]).norm();
    particles.velocity[i] = body.v;
    particles.angular_velocity[i] = body.u / body.radius;
    particles.position[i] += dt * body.v;
  }
  Displace(displacements, particles);
  for (std::size_t i = 0; i < particles.owned; ++i) {
    particles.orientation[i] = Rotate(particles.orientation[i], particles.angular_velocity[i], dt);
  }
}

}  // namespace scree
