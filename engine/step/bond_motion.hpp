/// \file  The motion at the contacts of brittle bonds before a step.
///
/// The velocities of the particles are those that the last step found, for its contacts. Meanwhile
/// the bodies have moved. Two bodies that turn as one at the rate ω, with D from the centre of b to
/// that of a, have no velocity at their bond then, but on the turned arms their old velocities
/// differ by −dt ω × (ω × D), as if the bond opened. This is the load of the step by the turn, not
/// an error of the last step. The velocities here are therefore those at the contacts as they were
/// in the last step.
///
/// In a step the centres move along tangents of their paths, but orientations turn exactly. With
/// the acceleration g by which the turn opens the gap, the gap grows by g dt²/2. A bond therefore
/// closes at the speed g dt/2, outside of the limits for the closing of gaps. In a steady turn this
/// takes no strength beyond the centripetal force, because the last step has left the same speed.
#pragma once

#include <vector>

#include "engine/contacts/bond_contacts.hpp"
#include "engine/contacts/bond_table.hpp"
#include "engine/particles/particles.hpp"
#include "engine/scene/scene.hpp"
#include "engine/step/step_contacts.hpp"
#include "engine/step/step_solve.hpp"
#include "solvers/batches/rolling.hpp"

namespace scree {

/// Velocity of a relative to b at a contact.
struct MotionBefore {
  Vec3 velocity = Vec3::Zero();  // beyond the closing speed of the turn [m/s]
  Vec3 rolling = Vec3::Zero();   // δw; zero if the contact resists no moments [m/s]
  Vec3 normal = Vec3::Zero();    // of the contact in the last step
};

class BondMotion {
 public:
  BondMotion(const Scene& scene, const Particles& particles, const StepContacts& contacts,
             const BondTable& bonds, const StepSolve& solve)
      : scene_(scene),
        particles_(particles),
        contacts_(contacts),
        bonds_(bonds),
        solve_(solve),
        numbers_(particles, contacts.wall_bodies) {}

  /// @param bodies   those of the solve; of walls only the current radius is used
  /// @param moments  limits of the moments of the contact
  template <class Body>
  MotionBefore Before(const std::vector<Body>& bodies, const BondContact& bond_contact,
                      const RollingContact& moments) const;

  /// Speed at which the bond closes so that the turn of its bodies in this step opens no gap, ≥ 0
  /// [m/s]. @param dt  length of this step [s]
  template <class Body>
  double ClosingSpeed(const std::vector<Body>& bodies, const BondContact& bond_contact,
                      double dt) const;

 private:
  /// The points of two rigid bodies between which a bond acts: its anchored points, or the centres
  /// of the members that touch.
  struct Points {
    Vec3 a, b;                  // from the centres of the bodies [m]
    Vec3 separation;            // from b's point to a's [m]
    double radius_a, radius_b;  // of the members; 0: the points are anchored [m]

    bool AreAnchored() const { return radius_a == 0.0; }
    ContactArms Arms(const Vec3& normal) const;
  };
  Points PointsOf(const BondContact& bond_contact) const;
  static double OpeningOf(const Points& points, const Vec3& normal, const RigidBody& a,
                          const RigidBody& b);

  const WallPose& PoseOf(Index wall_body) const {
    return contacts_.walls[static_cast<std::size_t>(numbers_.WallOf(wall_body).wall)];
  }
  double DistanceOf(const SphereBody& a, const SphereBody& b,
                    const BondContact& bond_contact) const;
  void SetVelocities(Index i, SphereBody& body) const;
  void SetVelocities(Index i, RigidBody& body) const;
  void SetWallBefore(const DetectedContact& contact, SphereBody& wall) const;
  void SetWallBefore(const DetectedContact& contact, RigidBody& wall) const;
  void UndoFreeRotation(Index, SphereBody&) const {}
  void UndoFreeRotation(Index i, RigidBody& body) const;
  Vec3 WallVelocityBefore(const DetectedContact& contact) const;
  MotionBefore PairBefore(const SphereBody& a, const SphereBody& b,
                          const BondContact& bond_contact) const;
  MotionBefore PairBefore(const RigidBody& a, const RigidBody& b,
                          const BondContact& bond_contact) const;
  double WallOpening(const DetectedContact& contact) const;
  double PairOpening(const SphereBody& a, const SphereBody& b,
                     const BondContact& bond_contact) const;
  double PairOpening(const RigidBody& a, const RigidBody& b, const BondContact& bond_contact) const;

  const Scene& scene_;
  const Particles& particles_;
  const StepContacts& contacts_;
  const BondTable& bonds_;
  const StepSolve& solve_;
  const ContactBodies numbers_;
};

}  // namespace scree
