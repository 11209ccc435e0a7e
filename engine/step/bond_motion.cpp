#include "engine/step/bond_motion.hpp"

#include <cstddef>

#include "engine/contacts/contact_assembly.hpp"
#include "engine/geometry/free_rotation.hpp"
#include "engine/geometry/quaternion.hpp"
#include "solvers/batches/body_kinds.hpp"

namespace scree {
namespace {

/// x in the last step, a vector that is fixed in a body.
Vec3 TurnedBack(const Vec3& x, const RigidBody& body, double dt) {
  return RotationMatrix(RotationBy(-dt * body.omega)) * x;
}

Vec3 VelocityAtContact(const ContactBatches&, std::size_t, const Vec3& normal, const SphereBody& a,
                       const SphereBody& b) {
  return RelativeVelocity(a, b, normal);
}
Vec3 VelocityAtContact(const ContactBatches& batches, std::size_t j, const Vec3&,
                       const RigidBody& a, const RigidBody& b) {
  return RelativeVelocity(a, b, batches.ArmsAt(j));
}

}  // namespace

template <class Body>
MotionBefore BondMotion::Before(const std::vector<Body>& bodies, const BondContact& bond_contact,
                                const RollingContact& moments) const {
  const DetectedContact& contact = contacts_.At(bond_contact.contact);
  const Body a = BodyBefore(bodies[static_cast<std::size_t>(contact.a)], contact.a, contact);
  const Body b = BodyBefore(bodies[static_cast<std::size_t>(contact.b)], contact.b, contact);
  MotionBefore motion;
  if (numbers_.IsWall(contact.b)) {
    motion.normal = contact.normal;
    motion.velocity = VelocityAtContact(solve_.batches, bond_contact.contact, contact.normal, a, b);
  } else {
    motion = PairBefore(a, b, bond_contact);
  }
  if (moments.rolling != 0.0) motion.rolling = RollingLaw::Velocity(moments, a, b);
  return motion;
}
template MotionBefore BondMotion::Before(const std::vector<SphereBody>&, const BondContact&,
                                         const RollingContact&) const;
template MotionBefore BondMotion::Before(const std::vector<RigidBody>&, const BondContact&,
                                         const RollingContact&) const;

SphereBody BondMotion::BodyBefore(SphereBody body, Index i, const DetectedContact& contact) const {
  const auto k = static_cast<std::size_t>(i);
  if (numbers_.IsWall(i)) {
    const WallBody& wall = numbers_.WallOf(i);
    body.u = body.radius * contacts_.walls[static_cast<std::size_t>(wall.wall)].angular_velocity;
    body.v = WallVelocityBefore(contact) - body.u.cross(contact.normal);
  } else {
    body.v = particles_.velocity[k];
    body.u = particles_.radius[k] * particles_.angular_velocity[k];
  }
  return body;
}
RigidBody BondMotion::BodyBefore(RigidBody body, Index i, const DetectedContact& contact) const {
  const auto k = static_cast<std::size_t>(i);
  if (numbers_.IsWall(i)) {
    const WallBody& wall = numbers_.WallOf(i);
    body.omega = contacts_.walls[static_cast<std::size_t>(wall.wall)].angular_velocity;
    body.v = WallVelocityBefore(contact);
    return body;
  }
  body.v = particles_.velocity[k];
  body.omega = particles_.angular_velocity[k];
  if (particles_.shape[k] != kSphereShape) {  // the free rotation of the last step has changed ω
    Quaternion orientation = particles_.orientation[k];
    RotateFreely(InertiaOf(particles_, k, solve_.inverse_masses[k], scene_.clumps), -solve_.last_dt,
                 orientation, body.omega);
  }
  return body;
}

/// The velocity of the wall at the contact, minus the change since the last step of a body that the
/// wall carries: so a turning wall has no velocity relative to such a body [m/s].
Vec3 BondMotion::WallVelocityBefore(const DetectedContact& contact) const {
  const WallBody& wall = numbers_.WallOf(contact.b);
  const WallPose& pose = contacts_.walls[static_cast<std::size_t>(wall.wall)];
  if (!pose.IsFree()) return wall.velocity - wall.change;
  const Vec3& v = particles_.velocity[static_cast<std::size_t>(contact.a)];
  return wall.velocity - solve_.last_dt * pose.angular_velocity.cross(v - pose.velocity);
}

MotionBefore BondMotion::PairBefore(const SphereBody& a, const SphereBody& b,
                                    const BondContact& bond_contact) const {
  const DetectedContact& contact = contacts_.At(bond_contact.contact);
  const double distance = a.radius + b.radius + bonds_.At(bond_contact.bond).gap + contact.gap;
  MotionBefore motion;
  motion.normal = (distance * contact.normal - solve_.last_dt * (a.v - b.v)).normalized();
  motion.velocity = RelativeVelocity(a, b, motion.normal);
  return motion;
}

/// The contact is between two points that are fixed in the bodies: the anchored points of a bond,
/// or the centres of the members that touch.
MotionBefore BondMotion::PairBefore(const RigidBody& a, const RigidBody& b,
                                    const BondContact& bond_contact) const {
  const std::size_t j = bond_contact.contact;
  const DetectedContact& contact = contacts_.At(j);
  const Bond& bond = bonds_.At(bond_contact.bond);
  const double dt = solve_.last_dt;
  const bool is_anchored = bond.point_count > 0;
  const ContactArms arms = solve_.batches.ArmsAt(j);
  const ContactGeometry geometry =
      j < contacts_.owned.size()
          ? contacts_.owned.All().GeometryOf(j, particles_)
          : contacts_.ghosts.All().GeometryOf(j - contacts_.owned.size(), particles_);
  const double radius_a = is_anchored ? 0.0 : geometry.radius_a,
               radius_b = is_anchored ? 0.0 : geometry.radius_b;
  // From the point of b to that of a.
  Vec3 separation = bond_contact.displacement;
  if (!is_anchored) separation = (radius_a + radius_b + bond.gap + contact.gap) * contact.normal;
  const auto arms_to_points = [&](const Vec3& between, const Vec3& normal) {
    const Vec3 half = 0.5 * (between - (radius_a + radius_b) * normal);
    return ContactArms{radius_a * normal + half, -(radius_b * normal + half)};
  };
  ContactArms to_points = arms_to_points(separation, contact.normal);
  const Vec3 point_a = arms.a + to_points.a, point_b = arms.b + to_points.b;

  const Vec3 last_a = TurnedBack(point_a, a, dt), last_b = TurnedBack(point_b, b, dt);
  separation += (last_a - point_a) - (last_b - point_b) - dt * (a.v - b.v);
  MotionBefore motion;
  motion.normal = is_anchored ? TurnedBack(contact.normal, a, dt) : Vec3(separation.normalized());
  to_points = arms_to_points(separation, motion.normal);
  motion.velocity = RelativeVelocity(a, b, {last_a - to_points.a, last_b - to_points.b});
  return motion;
}

}  // namespace scree
