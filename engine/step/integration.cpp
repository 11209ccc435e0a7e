#include "engine/step/integration.hpp"

#include <algorithm>
#include <cstddef>

#include "engine/contacts/contact_assembly.hpp"
#include "solvers/simd.hpp"

namespace scree {

namespace {

/// q + dt/2 (0, ω) q
Quaternion Turned(const Quaternion& q, const Vec3& omega, double dt) {
  const Vec3 h = 0.5 * dt * omega;
  return {
      q.w - h.x() * q.x - h.y() * q.y - h.z() * q.z, q.x + h.x() * q.w + h.y() * q.z - h.z() * q.y,
      q.y + h.y() * q.w + h.z() * q.x - h.x() * q.z, q.z + h.z() * q.w + h.x() * q.y - h.y() * q.x};
}

/// @param displacements  empty: nothing is displaced
void Displace(std::span<const Displacement> displacements, std::size_t first, std::size_t last,
              Particles& particles) {
  for (std::size_t i = first; i < (displacements.empty() ? first : last); ++i) {
    particles.position[i] += displacements[i].d;
  }
}

// Roots and divisions of spheres are taken for eight at once.

void Move(std::span<const SphereBody> bodies, double dt, std::size_t first, std::size_t last,
          Particles& particles) {
  Double8 change = {};
  for (std::size_t i = first; i < last; ++i) {
    const SphereBody& body = bodies[i];
    change[i - first] = (body.v - particles.velocity[i]).squaredNorm();
    particles.velocity[i] = body.v;
    particles.angular_velocity[i] = body.u / body.radius;
    particles.position[i] += dt * body.v;
  }
  change = Sqrt(change);
  for (std::size_t i = first; i < last; ++i) particles.velocity_change[i] = change[i - first];
}

void Rotate(double dt, std::size_t first, std::size_t last, Particles& particles) {
  Quaternion turned[kLanes];
  Double8 squared = Double8{} + 1.0;
  for (std::size_t i = first; i < last; ++i) {
    Quaternion& q = turned[i - first];
    q = Turned(particles.orientation[i], particles.angular_velocity[i], dt);
    squared[i - first] = q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z;
  }
  const Double8 scale = 1.0 / Sqrt(squared);
  for (std::size_t i = first; i < last; ++i) {
    const Quaternion& q = turned[i - first];
    const double its = scale[i - first];
    particles.orientation[i] = {its * q.w, its * q.x, its * q.y, its * q.z};
  }
}

}  // namespace

Quaternion Rotate(const Quaternion& q, const Vec3& omega, double dt) {
  return Normalized(Turned(q, omega, dt));
}

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
  Displace(displacements, 0, particles.Size(), particles);
}

void Integrate(std::span<const SphereBody> bodies, std::span<const Displacement> displacements,
               double dt, Particles& particles) {
  for (std::size_t first = 0; first < particles.Size(); first += kLanes) {
    const std::size_t last = std::min<std::size_t>(first + kLanes, particles.Size());
    Move(bodies, dt, first, last, particles);
    Displace(displacements, first, last, particles);
    Rotate(dt, first, std::min(last, particles.owned), particles);
  }
}

}  // namespace scree
