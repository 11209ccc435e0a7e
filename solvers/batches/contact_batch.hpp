/// \file  A batch of eight contacts that share no moving body, and their bodies, one per lane.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "solvers/one_contact/contact.hpp"
#include "solvers/one_contact/sphere_contact.hpp"
#include "solvers/simd/simd.hpp"

namespace scree {

/// Offset of a body in the array of bodies, in bytes, so that its address needs no multiplication.
/// Enough for 67 million spheres, or 33 million rigid bodies.
using BodyOffset = std::uint32_t;

/// Eight contacts, one per lane. In a lane without a contact both bodies are the padding body, the
/// effective mass is zero, and the impulse stays zero.
struct ContactBatch {
  Double8 normal[3];       // n
  Double8 bias;            // b [m/s]
  Double8 effective_mass;  // 1/(κ Aₙₙ) [kg]
  Double8 friction;        // μ [-]
  Double8 impulse[3];      // λ [N s]
  std::array<BodyOffset, kLanes> a, b;
};

/// Additional data of a batch of rigid bodies, all zero in a lane without a contact.
struct ArmBatch {
  Double8 a[3], b[3];           // s_a, s_b [m]
  Double8 restitution_slip[3];  // friction acts on δvₜ minus this slip [m/s]
};

SCREE_INLINE Vector3<Double8> NormalOf(const ContactBatch& batch) {
  return {batch.normal[0], batch.normal[1], batch.normal[2]};
}
/// λ, or the impulse of another kind of batch.
template <class Batch>
SCREE_INLINE Vector3<Double8> ImpulseOf(const Batch& batch) {
  return {batch.impulse[0], batch.impulse[1], batch.impulse[2]};
}
template <class Batch>
SCREE_INLINE void SetImpulseOf(Batch& batch, const Vector3<Double8>& impulse) {
  batch.impulse[0] = impulse.x;
  batch.impulse[1] = impulse.y;
  batch.impulse[2] = impulse.z;
}

/// Eight sphere bodies, field by field: velocity v, inverse mass w, scaled angular velocity
/// u = r ω, radius r (SphereBody).
struct Bodies8 {
  Fields8 fields;

  Vector3<Double8> V() const { return {fields.field[0], fields.field[1], fields.field[2]}; }
  const Double8& W() const { return fields.field[3]; }
  Vector3<Double8> U() const { return {fields.field[4], fields.field[5], fields.field[6]}; }
  const Double8& Radius() const { return fields.field[7]; }

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
  /// Subtracts w times a torque (ScaledTorque) from u. The sign is the same for both bodies,
  /// because impulse and arm are both opposite for body b.
  SCREE_INLINE void Spin(const Vector3<Double8>& torque) {
    fields.field[4] = Fnma(W(), torque.x, fields.field[4]);
    fields.field[5] = Fnma(W(), torque.y, fields.field[5]);
    fields.field[6] = Fnma(W(), torque.z, fields.field[6]);
  }
  /// Adds 5/2 w R/r L to u, for the impulse L of the rolling law on body a.
  /// @param fraction  R/r; for body b, on which −L acts, −R/r
  SCREE_INLINE void Roll(const Double8& fraction, const Vector3<Double8>& impulse) {
    const Double8 mobility = kMassOverInertia * W() * fraction;
    fields.field[4] = Fma(mobility, impulse.x, fields.field[4]);
    fields.field[5] = Fma(mobility, impulse.y, fields.field[5]);
    fields.field[6] = Fma(mobility, impulse.z, fields.field[6]);
  }
};

SCREE_INLINE Vector3<Double8> Minus(const Vector3<Double8>& a, const Vector3<Double8>& b) {
  return {a.x - b.x, a.y - b.y, a.z - b.z};
}

/// 5/2 n × λ. This vector times w is subtracted from u of both spheres.
template <class Real>
SCREE_INLINE Vector3<Real> ScaledTorque(const Vector3<Real>& n, const Vector3<Real>& impulse) {
  const Vector3<Real> lever = {kMassOverInertia * n.x, kMassOverInertia * n.y,
                               kMassOverInertia * n.z};
  return Cross(lever, impulse);
}

/// Sets `lines` to the addresses of the bodies of a batch.
template <class Body>
SCREE_INLINE void FindLines(const std::array<BodyOffset, kLanes>& offsets, Body* bodies,
                            double* (&lines)[kLanes]) {
  for (std::size_t lane = 0; lane < kLanes; ++lane) {
    lines[lane] = reinterpret_cast<double*>(reinterpret_cast<std::byte*>(bodies) + offsets[lane]);
  }
}

}  // namespace scree
