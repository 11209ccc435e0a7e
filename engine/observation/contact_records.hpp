/// \file  The contacts of a step as records for other programs, with ids and positions. The records
///        do not depend on which rank owned the contact.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "engine/contacts/detected_contact.hpp"
#include "engine/contacts/wall_bodies.hpp"
#include "engine/particles/particles.hpp"
#include "solvers/base/types.hpp"

namespace scree {

struct PositionCorrections;

/// One active contact of a step: the geometry at the beginning of the step, as detected, and the
/// impulse of the step.
struct ContactRecord {
  ParticleId id_a = 0;
  ParticleId id_b = -1;    // ≥ id_a (equal: its own periodic image); -1: a wall
  std::int32_t wall = -1;  // row of Scene::walls; -1: none
  Index a = 0, b = -1;     // indices of the two particles on this rank in this step; -1: a wall
  /// Midway between the surfaces, next to this rank's owned particle, not to its image [m].
  Vec3 position = Vec3::Zero();
  Vec3 arm_a = Vec3::Zero();    // from the position to the centre of a [m]
  Vec3 arm_b = Vec3::Zero();    // from the position to the centre of b; zero for a wall [m]
  Vec3 normal = Vec3::UnitZ();  // from b to a
  double gap = 0.0;             // ξ, < 0 overlapping [m]
  Vec3 impulse = Vec3::Zero();  // λ on a [N s]
  Vec3 pull = Vec3::Zero();     // impulse of additional laws, e.g. cohesion, on a [N s]
  double dissipation = 0.0;     // energy lost in the step [J]
};

inline bool HaveSameBodies(const ContactRecord& x, const ContactRecord& y) {
  return x.id_a == y.id_a && x.id_b == y.id_b && x.wall == y.wall;
}

/// Results of a step for its contacts. Each array has one entry per contact, or is empty.
struct ContactImpulses {
  std::vector<Vec3> lambda;         // λ on a [N s]
  std::vector<Vec3> laws;           // of the additional laws on a [N s]; empty: no law acts
  std::vector<double> dissipation;  // [J]; empty: not known
};

/// Records the contacts of this rank. Call it in the middle of the step, where MotionWatchers
/// are called (time_step.hpp): the ghosts must still exist, and no particle may have been removed.
/// @param walls            bodies b of the contacts with walls
/// @param impulses         of the contacts
/// @param dt, corrections  of the step, in which the particles have moved since detection
std::vector<ContactRecord> RecordContacts(const ContactSpan& contacts,
                                          std::span<const WallBody> walls,
                                          const ContactImpulses& impulses,
                                          const Particles& particles, double dt,
                                          const PositionCorrections& corrections);

}  // namespace scree
