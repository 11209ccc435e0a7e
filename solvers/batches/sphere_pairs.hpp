/// \file  The spheres of eight contacts as cache lines, with half the shuffles of
///        solvers/batches/batch_bodies.
#pragma once

#include <cstddef>

#include "solvers/batches/contact_batch.hpp"
#include "solvers/one_contact/rigid_body.hpp"
#include "solvers/one_contact/sphere_contact.hpp"
#include "solvers/simd/simd.hpp"

namespace scree {

/// Computes, as lines of SphereBody, by how much the impulses of eight contacts change spheres of
/// unit mass: λ and 5/2 n × λ.
SCREE_INLINE void LinesOfImpulses(const Vector3<Double8>& n, const Vector3<Double8>& impulse,
                                  Double8 (&lines)[kLanes]) {
  const Double8 zero = {};
  const Vector3<Double8> torque = ScaledTorque(n, impulse);
  const Double8 field[kLanes] = {impulse.x, impulse.y, impulse.z, zero,
                                 torque.x,  torque.y,  torque.z,  zero};
  for (std::size_t k = 0; k < kLanes; ++k) lines[k] = field[k];
  Transpose(lines);
}

/// Applies a line of LinesOfImpulses to both spheres of a contact; a and b are lines of SphereBody.
SCREE_INLINE void ApplyToPair(const Double8& line, double* a, double* b) {
  constexpr std::size_t kInverseMass = 3;
  static_assert(offsetof(SphereBody, inverse_mass) == kInverseMass * sizeof(double));
  const Double8 zero = {};
  const Double8 changed_a = Fma(a[kInverseMass] - zero, NegateLastFour(line), LoadLine(a));
  const Double8 changed_b = Fnma(b[kInverseMass] - zero, line, LoadLine(b));
  StoreLine(changed_a, a);
  StoreLine(changed_b, b);
}

/// A contact of spheres needs v_a − v_b and u_a + u_b, and changes both bodies by the same vectors,
/// λ and 5/2 n × λ, times w. So the lines of both bodies are combined first, and only this one line
/// is transposed to fields. Changes are transposed to lines once and added to both bodies. The
/// results equal those of BatchBodies bit for bit. Additional laws require BatchBodies, because
/// they need more than the combined line.
class SpherePairs {
 public:
  SCREE_INLINE SpherePairs(const ContactBatch& batch, const ArmBatch*, SphereBody* bodies)
      : batch_(batch), bodies_(bodies) {}

  /// Relative velocity of the bodies at the contacts.
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
    Double8 row[kLanes];
    LinesOfImpulses(n, impulse, row);
    for (std::size_t lane = 0; lane < kLanes; ++lane) {
      ApplyToPair(row[lane], LineOf(batch_.a[lane]), LineOf(batch_.b[lane]));
    }
  }

  /// Does nothing: Apply has stored the bodies.
  SCREE_INLINE void Store() const {}

 private:
  SCREE_INLINE double* LineOf(BodyOffset offset) const {
    return reinterpret_cast<double*>(reinterpret_cast<std::byte*>(bodies_) + offset);
  }

  const ContactBatch& batch_;
  SphereBody* bodies_;
};

}  // namespace scree
