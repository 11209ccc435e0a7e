/// \file  A rigid body of six point masses, one of which hits a plane: the impulse-velocity time
///        step of one body in space, under either law of friction.
///
/// The body is that of the academic problem of Preclik, Eibl & Rüde, The maximum dissipation
/// principle in rigid-body dynamics with purely inelastic impacts, section 4.1. Its motion shows
/// the limit dt → 0. The scheme is that of solvers/one_contact/rod_stepper.hpp. As in the paper,
/// only the point on the positive x axis can touch the plane; the other five are ignored.
#pragma once

#include <Eigen/Geometry>

#include "solvers/one_contact/one_contact.hpp"

namespace scree {

struct PointBody {
  Vec3 masses{0.03, 65.0, 50.0};   // of each of the two points on an axis, > 0 [kg]
  Vec3 distances{10.0, 1.0, 1.0};  // of these points from the centre, > 0 [m]
};

/// Mass of all six points [kg].
double Mass(const PointBody& body);
/// Principal moments of inertia [kg m²].
Vec3 Moments(const PointBody& body);

/// The plane through the origin.
struct GroundPlane {
  Vec3 normal = Vec3(0.25, 0.36, -0.9).normalized();  // towards the body, a unit vector
  double mu = 3.7;                                    // friction, ≥ 0 [-]
  double gravity = 0.0;                               // against the normal, ≥ 0 [m/s²]
};

/// Velocity with which the body of the academic problem hits the plane, without rotation [m/s].
inline const Vec3 kAcademicApproach(-0.06, -0.7, -0.23);

struct PointBodyState {
  Vec3 x = Vec3::Zero();                                         // of the centre [m]
  Eigen::Quaterniond rotation = Eigen::Quaterniond::Identity();  // body axes to world axes
  Vec3 v = Vec3::Zero(), omega = Vec3::Zero();                   // [m/s], [rad/s]
};

/// Height of the point on the body's positive x axis above the plane [m].
double Gap(const PointBody& body, const GroundPlane& plane, const PointBodyState& state);

/// Kinetic and potential energy [J].
double Energy(const PointBody& body, const GroundPlane& plane, const PointBodyState& state);

/// One step; returns the impulse of the plane on the body, in ContactFrame(normal) [N s].
/// @pre dt > 0
Vec3 StepPointBody(const PointBody& body, const GroundPlane& plane, ContactLaw law, double dt,
                   PointBodyState& state);

}  // namespace scree
