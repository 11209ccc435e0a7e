/// \file  Relaxation of one contact of two spheres: a scalar reference for sweeps over packets of
///        eight.
#pragma once

#include "solvers/batches/additional_law.hpp"
#include "solvers/batches/cohesion.hpp"
#include "solvers/batches/rolling.hpp"
#include "solvers/one_contact/sphere_contact.hpp"

namespace scree::test {

inline void ApplyImpulse(const Vec3& normal, const Vec3& impulse, SphereBody& a, SphereBody& b) {
  const Vec3 torque = kMassOverInertia * normal.cross(impulse);
  a.v += a.inverse_mass * impulse;
  a.u -= a.inverse_mass * torque;
  b.v -= b.inverse_mass * impulse;
  b.u -= b.inverse_mass * torque;
}

/// Replaces the impulse of a contact by its solution with all other impulses fixed, and updates the
/// two bodies.
inline void RelaxSphereContact(const Contact& contact, Vec3& impulse, SphereBody& a,
                               SphereBody& b) {
  const Vec3 delta_v = RelativeVelocity(a, b, contact.normal);
  const Vec3 solved = SolveSphereContact(contact.normal, contact.effective_mass, contact.friction,
                                         impulse, delta_v, contact.bias);
  ApplyImpulse(contact.normal, solved - impulse, a, b);
  impulse = solved;
}

/// Applies the angular impulse R L to body a and −R L to body b: r Δω = r R L/I = 5/2 R L/(m r).
inline void ApplyLaw(const RollingContact& rolling, const Vec3& impulse, SphereBody& a,
                     SphereBody& b) {
  a.u += kMassOverInertia * rolling.fraction_a * a.inverse_mass * impulse;
  b.u -= kMassOverInertia * rolling.fraction_b * b.inverse_mass * impulse;
}

/// Replaces the impulse L of an additional law by its solution with λ fixed, and updates the two
/// bodies.
/// @param lambda  impulse λ of the contact [N s]
template <class Law>
void RelaxLaw(const Vec3& normal, const typename Law::template Data<double>& data,
              const Vec3& lambda, Vec3& impulse, SphereBody& a, SphereBody& b) {
  const Vec3 solved =
      SolveLaw<Law>(normal, data, lambda, data.effective_mass, impulse, Law::Velocity(data, a, b));
  ApplyLaw(data, solved - impulse, a, b);
  impulse = solved;
}

}  // namespace scree::test
