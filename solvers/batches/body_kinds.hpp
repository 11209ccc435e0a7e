/// \file  A common interface to spheres and rigid bodies of any shape, for code that is not
///        time-critical.
#pragma once

#include "solvers/batches/contact_batches.hpp"
#include "solvers/one_contact/contact.hpp"
#include "solvers/one_contact/rigid_body.hpp"
#include "solvers/one_contact/sphere_contact.hpp"

namespace scree {

/// u of a sphere [m/s], ω of a rigid body [1/s].
inline Vec3& SpinOf(SphereBody& body) { return body.u; }
inline Vec3& SpinOf(RigidBody& body) { return body.omega; }
inline const Vec3& SpinOf(const SphereBody& body) { return body.u; }
inline const Vec3& SpinOf(const RigidBody& body) { return body.omega; }

/// Velocity of a relative to b at contact j [m/s].
inline Vec3 VelocityAt(const ContactBatches&, std::size_t, const Vec3& normal, const SphereBody& a,
                       const SphereBody& b) {
  return RelativeVelocity(a, b, normal);
}
inline Vec3 VelocityAt(const ContactBatches& batches, std::size_t j, const Vec3&,
                       const RigidBody& a, const RigidBody& b) {
  return RelativeVelocity(a, b, batches.ArmsAt(j));
}

/// δw of an additional law at contact j; δv if L is given or acts as λ [m/s].
template <class Law, class Body>
Vec3 VelocityOfLaw(const ContactBatches& batches, std::size_t j, const Vec3& normal, const Body& a,
                   const Body& b) {
  if constexpr (Law::kIsGiven || Law::kActsAsLambda) {
    return VelocityAt(batches, j, normal, a, b);
  } else {
    return Law::Velocity(batches.ArraysOf<Law>().At(batches.SlotOf(j)), a, b);
  }
}

}  // namespace scree
