#include "engine/step/bond_motion.hpp"

#include <algorithm>
#include <cstddef>

#include "engine/contacts/contact_assembly.hpp"
#include "engine/geometry/free_rotation.hpp"
#include "engine/geometry/quaternion.hpp"

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

/// Acceleration at which the distance of two points grows that have a relative velocity along a
/// straight line [m/s²].
double OpeningOfChord(const Vec3& velocity, const Vec3& normal, double distance) {
  return (velocity - velocity.dot(normal) * normal).squaredNorm() / distance;
}
double ClosingSpeedOf(double opening, double dt) { return 0.5 * dt * std::max(opening, 0.0); }

}  // namespace

template <class Body>
MotionBefore BondMotion::Before(const std::vector<Body>& bodies, const BondContact& bond_contact,
                                const RollingContact& moments) const {
  const DetectedContact& contact = contacts_.At(bond_contact.contact);
  Body a = bodies[static_cast<std::size_t>(contact.a)],
       b = bodies[static_cast<std::size_t>(contact.b)];
  SetVelocities(contact.a, a);
  UndoFreeRotation(contact.a, a);
  MotionBefore motion;
  if (numbers_.IsWall(contact.b)) {
    SetWallBefore(contact, b);
    motion.normal = contact.normal;
    const Vec3 velocity =
        VelocityAtContact(solve_.batches, bond_contact.contact, contact.normal, a, b);
    motion.velocity =
        velocity + ClosingSpeedOf(WallOpening(contact), solve_.last_dt) * contact.normal;
  } else {
    SetVelocities(contact.b, b);
    UndoFreeRotation(contact.b, b);
    motion = PairBefore(a, b, bond_contact);
  }
  if (moments.rolling != 0.0) motion.rolling = RollingLaw::Velocity(moments, a, b);
  return motion;
}
template MotionBefore BondMotion::Before(const std::vector<SphereBody>&, const BondContact&,
                                         const RollingContact&) const;
template MotionBefore BondMotion::Before(const std::vector<RigidBody>&, const BondContact&,
                                         const RollingContact&) const;

template <class Body>
double BondMotion::ClosingSpeed(const std::vector<Body>& bodies, const BondContact& bond_contact,
                                double dt) const {
  const DetectedContact& contact = contacts_.At(bond_contact.contact);
  if (numbers_.IsWall(contact.b)) return ClosingSpeedOf(WallOpening(contact), dt);
  Body a = bodies[static_cast<std::size_t>(contact.a)],
       b = bodies[static_cast<std::size_t>(contact.b)];
  SetVelocities(contact.a, a);
  SetVelocities(contact.b, b);
  return ClosingSpeedOf(PairOpening(a, b, bond_contact), dt);
}
template double BondMotion::ClosingSpeed(const std::vector<SphereBody>&, const BondContact&,
                                         double) const;
template double BondMotion::ClosingSpeed(const std::vector<RigidBody>&, const BondContact&,
                                         double) const;

/// Sets the velocities that a particle had before the solve.
void BondMotion::SetVelocities(Index i, SphereBody& body) const {
  const auto k = static_cast<std::size_t>(i);
  body.v = particles_.velocity[k];
  body.u = particles_.radius[k] * particles_.angular_velocity[k];
}
void BondMotion::SetVelocities(Index i, RigidBody& body) const {
  const auto k = static_cast<std::size_t>(i);
  body.v = particles_.velocity[k];
  body.omega = particles_.angular_velocity[k];
}

/// Sets ω to its value before the free rotation of the last step.
void BondMotion::UndoFreeRotation(Index i, RigidBody& body) const {
  const auto k = static_cast<std::size_t>(i);
  if (particles_.shape[k] == kSphereShape) return;
  Quaternion orientation = particles_.orientation[k];
  RotateFreely(InertiaOf(particles_, k, solve_.inverse_masses[k], scene_.clumps), -solve_.last_dt,
               orientation, body.omega);
}

void BondMotion::SetWallBefore(const DetectedContact& contact, SphereBody& wall) const {
  wall.u = wall.radius * PoseOf(contact.b).angular_velocity;
  wall.v = WallVelocityBefore(contact) - wall.u.cross(contact.normal);
}
void BondMotion::SetWallBefore(const DetectedContact& contact, RigidBody& wall) const {
  wall.omega = PoseOf(contact.b).angular_velocity;
  wall.v = WallVelocityBefore(contact);
}

/// The velocity of the wall at the contact, minus the change since the last step of a body that the
/// wall carries: so a turning wall has no velocity relative to such a body [m/s].
Vec3 BondMotion::WallVelocityBefore(const DetectedContact& contact) const {
  const WallBody& wall = numbers_.WallOf(contact.b);
  const WallPose& pose = PoseOf(contact.b);
  if (!pose.IsFree()) return wall.velocity - wall.change;
  const Vec3& v = particles_.velocity[static_cast<std::size_t>(contact.a)];
  return wall.velocity - solve_.last_dt * pose.angular_velocity.cross(v - pose.velocity);
}

/// Acceleration at which the gap to a wall grows while its body moves along the tangent of the path
/// on which the wall carries it [m/s²].
double BondMotion::WallOpening(const DetectedContact& contact) const {
  const WallPose& pose = PoseOf(contact.b);
  const Vec3& v = particles_.velocity[static_cast<std::size_t>(contact.a)];
  return -contact.normal.dot(pose.angular_velocity.cross(v - pose.velocity));
}

/// Distance of the centres [m].
double BondMotion::DistanceOf(const SphereBody& a, const SphereBody& b,
                              const BondContact& bond_contact) const {
  return a.radius + b.radius + bonds_.Rows()[bond_contact.row].gap +
         contacts_.At(bond_contact.contact).gap;
}

double BondMotion::PairOpening(const SphereBody& a, const SphereBody& b,
                               const BondContact& bond_contact) const {
  return OpeningOfChord(a.v - b.v, contacts_.At(bond_contact.contact).normal,
                        DistanceOf(a, b, bond_contact));
}

MotionBefore BondMotion::PairBefore(const SphereBody& a, const SphereBody& b,
                                    const BondContact& bond_contact) const {
  const double dt = solve_.last_dt;
  const Vec3 velocity = a.v - b.v, separation = DistanceOf(a, b, bond_contact) *
                                                    contacts_.At(bond_contact.contact).normal -
                                                dt * velocity;
  const double distance = separation.norm();
  MotionBefore motion;
  motion.normal = separation / distance;
  const double closing = ClosingSpeedOf(OpeningOfChord(velocity, motion.normal, distance), dt);
  motion.velocity = RelativeVelocity(a, b, motion.normal) + closing * motion.normal;
  return motion;
}

BondMotion::Points BondMotion::PointsOf(const BondContact& bond_contact) const {
  const std::size_t j = bond_contact.contact;
  const BondRow& row = bonds_.Rows()[bond_contact.row];
  Points points = {{}, {}, bond_contact.displacement, 0.0, 0.0};
  const DetectedContact& contact = contacts_.At(j);
  if (!row.is_anchored) {
    const ContactGeometry geometry =
        j < contacts_.owned.size()
            ? contacts_.owned.All().GeometryOf(j, particles_)
            : contacts_.ghosts.All().GeometryOf(j - contacts_.owned.size(), particles_);
    points.radius_a = geometry.radius_a;
    points.radius_b = geometry.radius_b;
    points.separation =
        (points.radius_a + points.radius_b + row.gap + contact.gap) * contact.normal;
  }
  const ContactArms arms = solve_.batches.ArmsAt(j);
  points.a = points.b = Vec3::Zero();
  const ContactArms from_points = points.Arms(contact.normal);
  points.a = arms.a - from_points.a;
  points.b = arms.b - from_points.b;
  return points;
}

/// The contact is in the middle of the gap.
ContactArms BondMotion::Points::Arms(const Vec3& normal) const {
  const Vec3 half = 0.5 * (separation - (radius_a + radius_b) * normal);
  return {a - radius_a * normal - half, b + radius_b * normal + half};
}

double BondMotion::PairOpening(const RigidBody& a, const RigidBody& b,
                               const BondContact& bond_contact) const {
  return OpeningOf(PointsOf(bond_contact), contacts_.At(bond_contact.contact).normal, a, b);
}

double BondMotion::OpeningOf(const Points& points, const Vec3& normal, const RigidBody& a,
                             const RigidBody& b) {
  const double opening =
      normal.dot(a.omega.cross(a.omega.cross(points.a)) - b.omega.cross(b.omega.cross(points.b)));
  if (points.AreAnchored()) return opening;
  const Vec3 velocity = RelativeVelocity(a, b, {points.a, points.b});
  return opening + OpeningOfChord(velocity, normal, points.separation.norm());
}

MotionBefore BondMotion::PairBefore(const RigidBody& a, const RigidBody& b,
                                    const BondContact& bond_contact) const {
  const double dt = solve_.last_dt;
  Points points = PointsOf(bond_contact);
  const Vec3 last_a = TurnedBack(points.a, a, dt), last_b = TurnedBack(points.b, b, dt);
  points.separation += (last_a - points.a) - (last_b - points.b) - dt * (a.v - b.v);
  points.a = last_a;
  points.b = last_b;
  MotionBefore motion;
  motion.normal = points.AreAnchored()
                      ? TurnedBack(contacts_.At(bond_contact.contact).normal, a, dt)
                      : Vec3(points.separation.normalized());
  const double closing = ClosingSpeedOf(OpeningOf(points, motion.normal, a, b), dt);
  motion.velocity = RelativeVelocity(a, b, points.Arms(motion.normal)) + closing * motion.normal;
  return motion;
}

}  // namespace scree
