#include "engine/step/integration.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <utility>

#include "engine/contacts/contact_assembly.hpp"
#include "solvers/simd/simd.hpp"

namespace scree {

namespace {

/// q + (0, h) q of one quaternion, or of a packet of eight, as w, x, y, z.
template <class Real>
SCREE_INLINE std::array<Real, 4> RotatedBy(const std::array<Real, 4>& q,
                                           const std::array<Real, 3>& h) {
  const auto& [w, x, y, z] = q;
  return {w - h[0] * x - h[1] * y - h[2] * z, x + h[0] * w + h[1] * z - h[2] * y,
          y + h[1] * w + h[2] * x - h[0] * z, z + h[2] * w + h[0] * y - h[1] * x};
}

/// Adds the displacements of the projection; empty if there are none.
void Displace(std::span<const Displacement> displacements, std::size_t first, std::size_t end,
              Particles& particles) {
  for (std::size_t i = first; i < (displacements.empty() ? first : end); ++i) {
    particles.position[i] += displacements[i].d;
  }
}

/// Moves at most eight spheres.
void Move(std::span<const SphereBody> bodies, double dt, std::size_t first, std::size_t end,
          Particles& particles) {
  Double8 change = {};
  for (std::size_t i = first; i < end; ++i) {
    const SphereBody& body = bodies[i];
    change[i - first] = (body.v - particles.velocity[i]).squaredNorm();
    particles.velocity[i] = body.v;
    particles.angular_velocity[i] = body.u / body.radius;
    particles.position[i] += dt * body.v;
  }
  change = Sqrt(change);
  for (std::size_t i = first; i < end; ++i) particles.velocity_change[i] = change[i - first];
}

/// Four numbers with the alignment of orientations, which is smaller than the alignment of
/// Eigen's vectors.
using FourNumbers = double __attribute__((vector_size(32), aligned(8), may_alias));

void RotateEight(double dt, const Vec3* angular_velocities, Quaternion* orientations) {
  Double4 half[kLanes];
  Double8 q[4], omega[4];
  for (std::size_t k = 0; k < kLanes; ++k) {
    half[k] = *reinterpret_cast<const FourNumbers*>(&orientations[k]);
  }
  TransposeHalves(half, q);
  for (std::size_t k = 0; k < kLanes; ++k) {
    const Vec3& spin = angular_velocities[k];
    half[k] = Double4{spin.x(), spin.y(), spin.z(), 0.0};
  }
  TransposeHalves(half, omega);
  const double half_step = 0.5 * dt;
  const auto [w, x, y, z] = RotatedBy<Double8>(
      {q[0], q[1], q[2], q[3]}, {half_step * omega[0], half_step * omega[1], half_step * omega[2]});
  const Double8 scale = 1.0 / Sqrt(w * w + x * x + y * y + z * z);
  const Double8 rotated[4] = {scale * w, scale * x, scale * y, scale * z};
  TransposeHalves(rotated, half);
  for (std::size_t k = 0; k < kLanes; ++k) {
    *reinterpret_cast<FourNumbers*>(&orientations[k]) = half[k];
  }
}

/// Rotates at most eight spheres.
void Rotate(double dt, std::size_t first, std::size_t end, Particles& particles) {
  if (end == first + kLanes) {
    RotateEight(dt, &particles.angular_velocity[first], &particles.orientation[first]);
    return;
  }
  for (std::size_t i = first; i < end; ++i) {
    particles.orientation[i] = Rotate(particles.orientation[i], particles.angular_velocity[i], dt);
  }
}

/// Whether contacts have changed ω only by rounding.
bool IsUntouched(const RotatingFrame& frame, const Vec3& free, const Vec3& omega) {
  constexpr double kRounding = 1e-12;
  return (omega - free).norm() <= kRounding * (omega.norm() + frame.angular_velocity.norm());
}

/// Rotates a body freely in the inertial frame whose axes coincide with the rotating frame at the
/// beginning of the step.
void RotateInFrame(const RotatingFrame& frame, const PrincipalInertia& inertia, double dt,
                   Quaternion& orientation, Vec3& omega) {
  omega += frame.angular_velocity;
  RotateFreely(inertia, dt, orientation, omega);
  const Quaternion back = RotationBy(-dt * frame.angular_velocity);
  orientation = Normalized(back * orientation);
  omega = RotationMatrix(back) * omega - frame.angular_velocity;
}

}  // namespace

Quaternion Rotate(const Quaternion& q, const Vec3& omega, double dt) {
  const Vec3 h = 0.5 * dt * omega;
  const auto [w, x, y, z] = RotatedBy<double>({q.w, q.x, q.y, q.z}, {h.x(), h.y(), h.z()});
  return Normalized({w, x, y, z});
}

void Integrate(std::span<const RigidBody> bodies, std::span<const Displacement> displacements,
               std::span<const RigidBody> rotated, double dt,
               std::span<const double> inverse_masses, std::span<const ClumpShape> clumps,
               Particles& particles, const RotatingFrame& frame, std::span<const BodyKick> kicks) {
  for (std::size_t i = 0; i < particles.Size(); ++i) {
    const RigidBody& body = bodies[i];
    particles.velocity_change[i] = (body.v - particles.velocity[i]).norm();
    particles.velocity[i] = body.v;
    particles.position[i] += dt * body.v;
    const Vec3 before = std::exchange(particles.angular_velocity[i], body.omega);
    if (particles.shape[i] != kSphereShape) {
      const PrincipalInertia inertia = InertiaOf(particles, i, inverse_masses[i], clumps);
      Quaternion& orientation = particles.orientation[i];
      Vec3& omega = particles.angular_velocity[i];
      if (frame.IsRotating() && IsUntouched(frame, before + kicks[i].omega, omega)) {
        omega -= SpinKickOfFrame(frame, inertia, orientation, before, dt);
        RotateInFrame(frame, inertia, dt, orientation, omega);
      } else {
        RotateFreely(inertia, dt, orientation, omega);
      }
      if (!rotated.empty()) RotateInstantly(inertia, rotated[i].omega, orientation, omega);
    } else if (i < particles.owned) {
      particles.orientation[i] = Rotate(particles.orientation[i], body.omega, dt);
    }
  }
  Displace(displacements, 0, particles.Size(), particles);
}

void Integrate(std::span<const SphereBody> bodies, std::span<const Displacement> displacements,
               double dt, Particles& particles) {
  for (std::size_t first = 0; first < particles.Size(); first += kLanes) {
    const std::size_t end = std::min<std::size_t>(first + kLanes, particles.Size());
    Move(bodies, dt, first, end, particles);
    Displace(displacements, first, end, particles);
    Rotate(dt, first, std::min(end, particles.owned), particles);
  }
}

ShiftEnergy ShiftFlights(const Vec3& gravity, std::span<const Flight> flights, double last_length,
                         double next_length, std::span<const double> inverse_masses,
                         Particles& particles) {
  constexpr double kHit = 5.0;      // times the kick of all forces: larger changes are impacts
  constexpr double kSteady = 0.05;  // forces change by at most this fraction in a step
  const Flight free_fall = {gravity, last_length * gravity.norm()};
  const double change_of_drift = 0.5 * (last_length - next_length);
  ShiftEnergy energy;
  SCREE_ASSERT(inverse_masses.size() >= particles.owned);
  for (std::size_t i = 0; i < particles.Size(); ++i) {
    const Flight& flight = flights.empty() ? free_fall : flights[i];
    const double change = particles.velocity_change[i], kick = flight.kick;
    if (particles.id[i] == kRemovedId || kick == 0.0) continue;
    const bool is_in_flight =
        flights.empty() ? IsInFreeFall(change, kick) : std::abs(change - kick) < kSteady * kick;
    if (!is_in_flight && change < kHit * kick) continue;
    Vec3& v = particles.velocity[i];
    const Vec3 shift = change_of_drift * flight.acceleration;
    if (i < particles.owned) {
      const Vec3 momentum = (v + 0.5 * shift) / inverse_masses[i];
      const double weight_energy = change_of_drift * gravity.dot(momentum);
      energy.of_weight += weight_energy;
      if (!flights.empty()) energy.of_body_forces += shift.dot(momentum) - weight_energy;
    }
    v += shift;
  }
  return energy;
}

void MoveParticles(const StepSetup& setup, const StepSolve& solve,
                   const PositionProjection& projection, Particles& particles) {
  const double dt = setup.parameters.dt;
  const std::span<const Displacement> displacements = projection.Displacements();
  VisitBodies(solve.bodies, [&]<class Body>(const BodiesOf<Body>& typed) {
    if constexpr (std::is_same_v<Body, SphereBody>) {
      Integrate(typed.all, displacements, dt, particles);
    } else {
      Integrate(typed.all, displacements, projection.RotatedBodies(), dt, solve.inverse_masses,
                setup.scene.clumps, particles, setup.scene.frame, solve.forces.kicks);
    }
  });
  const std::span<const Vec3> shifts = solve.impact_order.Shifts();
  for (std::size_t i = 0; i < shifts.size(); ++i) particles.position[i] += shifts[i];
}

}  // namespace scree
