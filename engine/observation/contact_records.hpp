/// \file  The contacts of a step as others can use them: by ids, in space, the same whatever rank
///        treated them.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "engine/contacts/detected_contact.hpp"
#include "engine/contacts/wall_bodies.hpp"
#include "engine/particles/particles.hpp"
#include "solvers/base/types.hpp"

namespace scree {

/// One contact that took part in a step. Geometry is that at the step's beginning, when it was
/// detected; the impulse is the step's.
struct ContactRecord {
  ParticleId id_a = 0;
  ParticleId id_b = -1;    // greater than id_a; -1: a wall
  std::int32_t wall = -1;  // row of Scene::walls; -1: none
  Index a = 0, b = -1;     // local numbers of these particles in this step; -1: a wall
  Vec3 position =
      Vec3::Zero();  // half way between the surfaces, in the image of a particle in this rank [m]
  Vec3 arm_a = Vec3::Zero();    // from there to the centre of a [m]
  Vec3 arm_b = Vec3::Zero();    // the same of b; of a wall zero [m]
  Vec3 normal = Vec3::UnitZ();  // from b to a
  double gap = 0.0;             // ξ, < 0 overlapping [m]
  Vec3 impulse = Vec3::Zero();  // λ on a [N s]
  Vec3 pull = Vec3::Zero();     // of the additional laws, as cohesion, on a [N s]
  double dissipation = 0.0;     // in the step [J]
};

inline bool HaveSameBodies(const ContactRecord& x, const ContactRecord& y) {
  return x.id_a == y.id_a && x.id_b == y.id_b && x.wall == y.wall;
}

/// What a step did in its contacts: one entry for each, or none.
struct ContactImpulses {
  std::vector<Vec3> lambda;         // λ on a [N s]
  std::vector<Vec3> laws;           // that of the additional laws on a [N s]; empty: none has any
  std::vector<double> dissipation;  // [J]; empty: not known
};

/// Records a rank's contacts. To be called as MotionWatchers are: in the middle of the step, when
/// ghosts are there and none has left.
/// @param walls     that contacts have as b
/// @param impulses  of the contacts
/// @param dt        of the step, by which the particles have moved since the detection [s]
std::vector<ContactRecord> RecordContacts(const ContactSpan& contacts,
                                          std::span<const WallBody> walls,
                                          const ContactImpulses& impulses,
                                          const Particles& particles, double dt);

}  // namespace scree
