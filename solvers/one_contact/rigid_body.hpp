/// \file  A rigid body of any shape in the contact problem. Its contacts have arms, which need not
///        be parallel to the normal.
///
/// Signs as in solvers/one_contact/contact.hpp: n points from b to a, λ acts on a, −λ on b.
#pragma once

#include "solvers/base/types.hpp"
#include "solvers/one_contact/contact.hpp"
#include "solvers/one_contact/contact_block.hpp"

namespace scree {

/// Velocity and inertia of one rigid body, or of a fixed one: two cache lines. Sweeps write only
/// the first line.
struct alignas(64) RigidBody {
  Vec3 v = Vec3::Zero();      // velocity of the centre of mass [m/s]
  double inverse_mass = 0.0;  // w [1/kg]; 0 for a driven body
  Vec3 omega = Vec3::Zero();  // ω in world axes [1/s]
  double unused = 0.0;
  // J = I⁻¹ in world axes, symmetric; 0 for a driven body [1/(kg m²)]
  double xx = 0.0, xy = 0.0, xz = 0.0, yy = 0.0, yz = 0.0, zz = 0.0;
  double also_unused[2] = {0.0, 0.0};

  Mat3 InverseInertia() const {
    Mat3 inverse;
    inverse << xx, xy, xz, xy, yy, yz, xz, yz, zz;
    return inverse;
  }
  /// Only the upper triangle is read.
  void SetInverseInertia(const Mat3& inverse) {
    xx = inverse(0, 0), xy = inverse(0, 1), xz = inverse(0, 2);
    yy = inverse(1, 1), yz = inverse(1, 2), zz = inverse(2, 2);
  }
};
static_assert(sizeof(RigidBody) == 128);

/// From the centres of mass to the contact point, in world axes [m].
struct ContactArms {
  Vec3 a = Vec3::Zero();  // s_a = p − X_a
  Vec3 b = Vec3::Zero();  // s_b = p − X_b
};

/// Velocity of a relative to b at the contact, v_a − v_b + ω_a × s_a − ω_b × s_b [m/s]. v_a − v_b
/// is computed first, so that the velocity of a periodic image, which either body may have, leaves
/// no trace in the difference.
inline Vec3 RelativeVelocity(const RigidBody& a, const RigidBody& b, const ContactArms& arms) {
  return (a.v - b.v) + (a.omega.cross(arms.a) - b.omega.cross(arms.b));
}

inline void ApplyImpulse(const ContactArms& arms, const Vec3& impulse, RigidBody& a, RigidBody& b) {
  a.v += a.inverse_mass * impulse;
  a.omega += a.InverseInertia() * arms.a.cross(impulse);
  b.v -= b.inverse_mass * impulse;
  b.omega -= b.InverseInertia() * arms.b.cross(impulse);
}

/// A body's part of Aₙₙ, w + (s × n)⋅J⋅(s × n): its inverse effective mass along n [1/kg].
inline double NormalMobility(const RigidBody& body, const Vec3& arm, const Vec3& normal) {
  const Vec3 lever = arm.cross(normal);
  return body.inverse_mass + lever.dot(body.InverseInertia() * lever);
}

}  // namespace scree
