/// \file  The spheres of eight contacts, line by line: half the shuffles of solvers/batch_bodies.
#pragma once

#include <cstddef>

#include "solvers/contact_batch.hpp"
#include "solvers/rigid_body.hpp"
#include "solvers/simd.hpp"
#include "solvers/sphere_contact.hpp"

namespace scree {

/// A contact of spheres needs v_a − v_b and u_a + u_b, and changes both bodies by the same vectors,
/// λ and 5/2 n × λ, times either w. So lines are added first and only their sum is transposed to
/// fields; changes are transposed to lines once and added to both. The bits are those of
/// BatchBodies, which laws beside λ need: they ask for more than the sum.
class SpherePairs {
 public:
  SCREE_INLINE SpherePairs(const ContactBatch& batch, const ArmBatch*, SphereBody* bodies)
      : batch_(batch), bodies_(bodies) {}

  /// As the bodies move now.
  SCREE_INLINE Vector3<Double8> RelativeVelocity(const Vector3<Double8>& n) const {
    Double8 row[kLanes];
    for (std::size_t lane = 0; lane < kLanes; ++lane) {
      const Double8 a = LoadLine(LineOf(batch_.a[lane])), b = LoadLine(LineOf(batch_.b[lane]));
      row[lane] = a - NegateLastFour(b);
    }
    Transpose(row);
    return Minus({row[0], row[1], row[2]}, Cross({row[4], row[5], row[6]}, n));
  }

  /// Changes the bodies in memory.
  SCREE_INLINE void Apply(const Vector3<Double8>& n, const Vector3<Double8>& impulse) const {
    const Double8 zero = {};
    const Vector3<Double8> torque = ScaledTorque(n, impulse);
    Double8 row[kLanes] = {impulse.x, impulse.y, impulse.z, zero,
                           torque.x,  torque.y,  torque.z,  zero};
    Transpose(row);
    for (std::size_t lane = 0; lane < kLanes; ++lane) {
      double* const a = LineOf(batch_.a[lane]);
      double* const b = LineOf(batch_.b[lane]);
      const Double8 changed_a = Fma(a[kInverseMass] - zero, NegateLastFour(row[lane]), LoadLine(a));
      const Double8 changed_b = Fnma(b[kInverseMass] - zero, row[lane], LoadLine(b));
      StoreLine(changed_a, a);
      StoreLine(changed_b, b);
    }
  }

  /// Nothing is left to store.
  SCREE_INLINE void Store() const {}

 private:
  static constexpr std::size_t kInverseMass = 3;
  static_assert(offsetof(SphereBody, inverse_mass) == kInverseMass * sizeof(double));

  SCREE_INLINE double* LineOf(BodyOffset offset) const {
    return reinterpret_cast<double*>(reinterpret_cast<std::byte*>(bodies_) + offset);
  }

  const ContactBatch& batch_;
  SphereBody* bodies_;
};

}  // namespace scree
