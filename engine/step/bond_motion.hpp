/// \file  The motion at the contacts of brittle bonds before a step.
///
/// The velocities of the particles are those that the last step found, for its contacts. Meanwhile
/// the bodies have moved. Two bodies that turn as one at the rate ω, with D from the centre of b to
/// that of a, have no velocity at their bond then, but on the turned arms their old velocities
/// differ by −dt ω × (ω × D), as if the bond opened. This is the load of the step by the turn, not
/// an error of the last step. The velocities here are therefore those at the contacts as they were
/// in the last step.
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
  Vec3 velocity = Vec3::Zero();  // [m/s]
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

 private:
  SphereBody BodyBefore(SphereBody body, Index i, const DetectedContact& contact) const;
  RigidBody BodyBefore(RigidBody body, Index i, const DetectedContact& contact) const;
  Vec3 WallVelocityBefore(const DetectedContact& contact) const;
  MotionBefore PairBefore(const SphereBody& a, const SphereBody& b,
                          const BondContact& bond_contact) const;
  MotionBefore PairBefore(const RigidBody& a, const RigidBody& b,
                          const BondContact& bond_contact) const;

  const Scene& scene_;
  const Particles& particles_;
  const StepContacts& contacts_;
  const BondTable& bonds_;
  const StepSolve& solve_;
  const ContactBodies numbers_;
};

}  // namespace scree
