#include "solvers/one_contact/point_body_stepper.hpp"

#include <algorithm>

#include "solvers/one_contact/contact_block.hpp"
#include "solvers/one_contact/contact_law.hpp"

namespace scree {
namespace {

/// Vector from the centre to the touching point [m].
Vec3 Arm(const PointBody& body, const PointBodyState& state) {
  return state.rotation * Vec3(body.distances[0], 0.0, 0.0);
}

/// The rotation after the time dt at an angular velocity.
Eigen::Quaterniond RotatedBy(const Eigen::Quaterniond& rotation, const Vec3& omega, double dt) {
  const double angle = omega.norm() * dt;
  if (angle == 0.0) return rotation;
  return (Eigen::Quaterniond(Eigen::AngleAxisd(angle, omega.normalized())) * rotation).normalized();
}

}  // namespace

double Mass(const PointBody& body) { return 2.0 * body.masses.sum(); }

Vec3 Moments(const PointBody& body) {
  const Vec3 axis_moments = 2.0 * body.masses.cwiseProduct(body.distances.cwiseAbs2());
  return {axis_moments[1] + axis_moments[2], axis_moments[0] + axis_moments[2],
          axis_moments[0] + axis_moments[1]};
}

double Gap(const PointBody& body, const GroundPlane& plane, const PointBodyState& state) {
  return plane.normal.dot(state.x + Arm(body, state));
}

double Energy(const PointBody& body, const GroundPlane& plane, const PointBodyState& state) {
  const Vec3 omega_in_body = state.rotation.conjugate() * state.omega;  // in body axes
  return 0.5 * Mass(body) * state.v.squaredNorm() +
         0.5 * omega_in_body.dot(Moments(body).cwiseProduct(omega_in_body)) +
         Mass(body) * plane.gravity * plane.normal.dot(state.x);
}

Vec3 StepPointBody(const PointBody& body, const GroundPlane& plane, ContactLaw law, double dt,
                   PointBodyState& state) {
  const Mat3 rotation = state.rotation.toRotationMatrix();
  const Vec3 inverse_moments = Moments(body).cwiseInverse();
  const BodyInertia inertia{1.0 / Mass(body),
                            InverseInertiaInWorld(inverse_moments.asDiagonal(), rotation)};
  state.v -= dt * plane.gravity * plane.normal;
  const Vec3 omega_in_body = rotation.transpose() * state.omega;
  const Vec3 gyroscopic = -omega_in_body.cross(Moments(body).cwiseProduct(omega_in_body));
  state.omega += dt * (rotation * inverse_moments.cwiseProduct(gyroscopic));

  const Vec3 arm = Arm(body, state);
  const Mat3 frame = ContactFrame(plane.normal);
  const Vec3 velocity = state.v + state.omega.cross(arm);
  OneContact contact{ContactBlock(frame, inertia, arm, {}, Vec3::Zero()),
                     -frame.transpose() * velocity, plane.mu};
  contact.b[0] -= std::max(Gap(body, plane, state), 0.0) / dt;
  const Vec3 impulse = SolveOneContact(contact, law).x;
  const Vec3 in_world = frame * impulse;
  state.v += inertia.inverse_mass * in_world;
  state.omega += inertia.inverse_inertia * arm.cross(in_world);
  state.x += dt * state.v;
  state.rotation = RotatedBy(state.rotation, state.omega, dt);
  return impulse;
}

}  // namespace scree
