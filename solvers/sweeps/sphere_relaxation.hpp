/// \file  Relaxes one batch of eight contacts with its bodies in registers: the kernel of all
///        sweeps of spheres.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "solvers/batches/batch_bodies.hpp"
#include "solvers/batches/contact_batch.hpp"
#include "solvers/one_contact/sphere_contact.hpp"
#include "solvers/simd/simd.hpp"

namespace scree {

/// Replaces the impulses of a batch of spheres by their solution at these relative velocities.
/// @returns the change. If a and b are exchanged, and normals and impulses change their signs, only
///          the sign of the change differs
SCREE_INLINE Vector3<Double8> SolveBatch(ContactBatch& batch, const Vector3<Double8>& delta_v) {
  const Vector3<Double8> n = NormalOf(batch);
  const Vector3<Double8> impulse = ImpulseOf(batch);
  const Vector3<Double8> solved =
      SolveSphereContact(n, batch.effective_mass, batch.friction, impulse, delta_v, batch.bias);
  SetImpulseOf(batch, solved);
  return Minus(solved, impulse);
}

/// In each lane the maximum of `largest` and the squared change of relative velocity,
///
///     ‖(Δλₙ, 7/2 Δλₜ)‖² (κ Aₙₙ)²  [m²/s²].
///
/// Its root is the residual (solvers/sweeps/residual) before the relaxation; the factor κ
/// compensates for the shortened step.
SCREE_INLINE Double8 MaxSquaredChange(const ContactBatch& batch, const Vector3<Double8>& change,
                                      const Double8& largest) {
  const Vector3<Double8> n = NormalOf(batch);
  const Double8 normal = Dot(change, n);
  const Double8 all = Dot(change, change);
  constexpr double kSquare = kTangentOverNormal * kTangentOverNormal;
  const Double8 squared = Fma(kSquare - Double8{}, all, (1.0 - kSquare) * normal * normal);
  const Double8 velocity = squared / (batch.effective_mass * batch.effective_mass);
  return Select(velocity > largest, velocity, largest);  // false for lanes without a contact
}

inline double RootOfMax(const Double8& squares) {
  double largest = 0.0;
  for (std::size_t lane = 0; lane < kLanes; ++lane) largest = std::max(largest, squares[lane]);
  return std::sqrt(largest);
}

}  // namespace scree
