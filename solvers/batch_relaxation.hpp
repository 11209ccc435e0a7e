/// \file  One batch of eight contacts and its bodies in registers: what all sweeps are made of.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>

#include "solvers/contact_batches.hpp"
#include "solvers/rolling.hpp"
#include "solvers/simd.hpp"
#include "solvers/sphere_contact.hpp"

namespace scree {

/// Body lines as the eight fields of SphereBody: v, w, u, r.
struct Bodies8 {
  Fields8 fields;

  Vector3<Double8> V() const { return {fields.field[0], fields.field[1], fields.field[2]}; }
  const Double8& W() const { return fields.field[3]; }
  Vector3<Double8> U() const { return {fields.field[4], fields.field[5], fields.field[6]}; }

  SCREE_INLINE void Accelerate(const Vector3<Double8>& impulse) {
    fields.field[0] = Fma(W(), impulse.x, fields.field[0]);
    fields.field[1] = Fma(W(), impulse.y, fields.field[1]);
    fields.field[2] = Fma(W(), impulse.z, fields.field[2]);
  }
  SCREE_INLINE void Decelerate(const Vector3<Double8>& impulse) {
    fields.field[0] = Fnma(W(), impulse.x, fields.field[0]);
    fields.field[1] = Fnma(W(), impulse.y, fields.field[1]);
    fields.field[2] = Fnma(W(), impulse.z, fields.field[2]);
  }
  /// The torque has the same sign for both bodies.
  SCREE_INLINE void Spin(const Vector3<Double8>& torque) {
    fields.field[4] = Fnma(W(), torque.x, fields.field[4]);
    fields.field[5] = Fnma(W(), torque.y, fields.field[5]);
    fields.field[6] = Fnma(W(), torque.z, fields.field[6]);
  }
  /// By L against a share of the inertia, 5/2 w R/r L; the other body's has the opposite sign.
  SCREE_INLINE void Roll(const Double8& share, const Vector3<Double8>& impulse) {
    const Double8 mobility = kMassOverInertia * W() * share;
    fields.field[4] = Fma(mobility, impulse.x, fields.field[4]);
    fields.field[5] = Fma(mobility, impulse.y, fields.field[5]);
    fields.field[6] = Fma(mobility, impulse.z, fields.field[6]);
  }
};

SCREE_INLINE Vector3<Double8> Minus(const Vector3<Double8>& a, const Vector3<Double8>& b) {
  return {a.x - b.x, a.y - b.y, a.z - b.z};
}

/// The lines of a batch's bodies.
SCREE_INLINE void Point(const std::array<BodyOffset, kLanes>& offsets, SphereBody* bodies,
                        double* (&lines)[kLanes]) {
  for (std::size_t lane = 0; lane < kLanes; ++lane) {
    lines[lane] = reinterpret_cast<double*>(reinterpret_cast<std::byte*>(bodies) + offsets[lane]);
  }
}

/// Replaces the impulses of a batch by their solution at these velocities.
/// @returns their change; changing over a and b, and with them the signs of normals and impulses,
///          changes its sign and no bit more
SCREE_INLINE Vector3<Double8> SolveBatch(ContactBatch& batch, const Bodies8& a, const Bodies8& b) {
  const Vector3<Double8> n = {batch.normal[0], batch.normal[1], batch.normal[2]};
  const Vector3<Double8> impulse = {batch.impulse[0], batch.impulse[1], batch.impulse[2]};
  const Vector3<Double8> u_a = a.U(), u_b = b.U();
  const Vector3<Double8> u_sum = {u_a.x + u_b.x, u_a.y + u_b.y, u_a.z + u_b.z};
  const Vector3<Double8> delta_v = Minus(Minus(a.V(), b.V()), Cross(u_sum, n));
  const Vector3<Double8> solved =
      SolveSphereContact(n, batch.effective_mass, batch.friction, impulse, delta_v, batch.bias);
  batch.impulse[0] = solved.x;
  batch.impulse[1] = solved.y;
  batch.impulse[2] = solved.z;
  return Minus(solved, impulse);
}

/// The same for L, with λ as it is now.
SCREE_INLINE Vector3<Double8> SolveRollingBatch(const ContactBatch& batch, RollingBatch& rolling,
                                                const Bodies8& a, const Bodies8& b) {
  const Vector3<Double8> n = {batch.normal[0], batch.normal[1], batch.normal[2]};
  const Vector3<Double8> lambda = {batch.impulse[0], batch.impulse[1], batch.impulse[2]};
  const Vector3<Double8> impulse = {rolling.impulse[0], rolling.impulse[1], rolling.impulse[2]};
  const Vector3<Double8> u_a = a.U(), u_b = b.U();
  // Products are rounded before the difference: it must not matter which body is a.
  const Vector3<Double8> delta_w = {rolling.share_a * u_a.x - rolling.share_b * u_b.x,
                                    rolling.share_a * u_a.y - rolling.share_b * u_b.y,
                                    rolling.share_a * u_a.z - rolling.share_b * u_b.z};
  const Vector3<Double8> solved = SolveRolling(n, Dot(lambda, n), rolling.rolling, rolling.spinning,
                                               rolling.effective_mass, impulse, delta_w);
  rolling.impulse[0] = solved.x;
  rolling.impulse[1] = solved.y;
  rolling.impulse[2] = solved.z;
  return Minus(solved, impulse);
}

/// The greater of `greatest` and, lane by lane, the square of the relative velocity that a change
/// of the impulses makes with the step of each contact,
///
///     ‖(Δλₙ, 7/2 Δλₜ)‖² (κ Aₙₙ)²:
///
/// what the residual would say at the velocities that the relaxation saw (solvers/residual), but
/// for shortened steps, which it makes up for.
SCREE_INLINE Double8 GreaterChange(const ContactBatch& batch, const Vector3<Double8>& change,
                                   const Double8& greatest) {
  const Vector3<Double8> n = {batch.normal[0], batch.normal[1], batch.normal[2]};
  const Double8 normal = Dot(change, n);
  const Double8 all = Dot(change, change);
  constexpr double kSquare = kTangentOverNormal * kTangentOverNormal;
  const Double8 squared = Fma(kSquare - Double8{}, all, (1.0 - kSquare) * normal * normal);
  const Double8 velocity = squared / (batch.effective_mass * batch.effective_mass);
  return Select(velocity > greatest, velocity, greatest);  // false for lanes without a contact
}

/// The same for rolling velocities: ‖ΔL‖² (κ A_w)².
SCREE_INLINE Double8 GreaterChange(const RollingBatch& rolling, const Vector3<Double8>& change,
                                   const Double8& greatest) {
  const Double8 velocity = Dot(change, change) / (rolling.effective_mass * rolling.effective_mass);
  return Select(velocity > greatest, velocity, greatest);
}

/// The same over the lanes, as a velocity [m/s].
inline double GreatestOf(const Double8& squares) {
  double greatest = 0.0;
  for (std::size_t lane = 0; lane < kLanes; ++lane) greatest = std::max(greatest, squares[lane]);
  return std::sqrt(greatest);
}

/// The same for one contact.
inline double ChangeOfVelocity(const Contact& contact, const Vec3& change) {
  const double normal = change.dot(contact.normal);
  const double tangent = kTangentOverNormal * (change - normal * contact.normal).norm();
  return std::hypot(normal, tangent) / contact.effective_mass;
}

/// 5/2 n × λ: what w takes away from u of both bodies.
SCREE_INLINE Vector3<Double8> ScaledTorque(const ContactBatch& batch,
                                           const Vector3<Double8>& impulse) {
  const Vector3<Double8> lever = {kMassOverInertia * batch.normal[0],
                                  kMassOverInertia * batch.normal[1],
                                  kMassOverInertia * batch.normal[2]};
  return Cross(lever, impulse);
}

}  // namespace scree
