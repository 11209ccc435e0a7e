/// \file  Random contacts of non-spherical particles, with masses, inertias and arms of bodies of
///        several spheres.
#pragma once

#include <cmath>

#include "solvers/one_contact/contact_block.hpp"
#include "solvers/one_contact/one_contact.hpp"
#include "solvers/one_contact/rigid_body.hpp"
#include "tests/support/draw.hpp"

namespace scree::test {

/// A moving body with a random orientation, inside an ellipsoid with semi-axes of 1 to 3 member
/// radii.
/// @param outwards  outward normal of the surface at the contact, unit vector
/// @param[out] arm  from the centre of mass to the contact, on the surface of a member of radius 1
inline RigidBody RandomClump(Draw& draw, const Vec3& outwards, Vec3& arm) {
  const Vec3 axes(draw.Uniform(1.0, 3.0), draw.Uniform(1.0, 3.0), draw.Uniform(1.0, 3.0));
  const double mass = std::exp(draw.Uniform(-1.0, 1.0));
  // The second moments of mass are between those of the full ellipsoid and those of its shell.
  const Vec3 moments = mass * draw.Uniform(0.2, 0.33) * axes.cwiseAbs2();
  const Vec3 inertia = Vec3::Constant(moments.sum()) - moments;
  const Mat3 rotation =
      Eigen::AngleAxisd(draw.Uniform(0.0, 3.14), draw.Direction()).toRotationMatrix();
  RigidBody body;
  body.inverse_mass = 1.0 / mass;
  body.v = draw.Vector(1.0);
  body.omega = draw.Vector(1.0);
  body.SetInverseInertia(InverseInertiaInWorld(inertia.cwiseInverse().asDiagonal(), rotation));
  const Vec3 member = draw.Direction().cwiseProduct(axes - Vec3::Ones());
  arm = rotation * member + outwards;
  return body;
}

struct ClumpContact {
  RigidBody a, b;
  ContactArms arms;
  Contact contact;

  BodyInertia InertiaOf(const RigidBody& body) const {
    return {body.inverse_mass, body.InverseInertia()};
  }
  /// A, b and μ without contact impulses, in the axes of ContactFrame.
  OneContact Block() const {
    const Mat3 frame = ContactFrame(contact.normal);
    OneContact block;
    block.a = ContactBlock(frame, InertiaOf(a), arms.a, InertiaOf(b), arms.b);
    block.b = -frame.transpose() * (RelativeVelocity(a, b, arms) + contact.bias * contact.normal);
    block.mu = contact.friction;
    return block;
  }
};

/// Two clumps, or a clump and a wall. Two thirds of the friction coefficients are below 1, all are
/// below 3.
inline ClumpContact RandomClumpContact(Draw& draw) {
  ClumpContact drawn;
  Contact& contact = drawn.contact;
  contact.normal = draw.Direction();
  drawn.a = RandomClump(draw, -contact.normal, drawn.arms.a);
  if (draw.Uniform(0.0, 1.0) < 0.8) drawn.b = RandomClump(draw, contact.normal, drawn.arms.b);
  contact.bias = draw.Uniform(-1.0, 0.2);
  contact.friction = draw.Uniform(0.0, 1.0) < 0.5 ? draw.Uniform(0.0, 1.0) : draw.Uniform(0.0, 3.0);
  contact.effective_mass = 1.0 / (NormalMobility(drawn.a, drawn.arms.a, contact.normal) +
                                  NormalMobility(drawn.b, drawn.arms.b, contact.normal));
  return drawn;
}

}  // namespace scree::test
