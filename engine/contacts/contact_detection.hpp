/// \file  Which candidate pairs take part in this step's contact problem, and their geometry.
#pragma once

#include <span>
#include <vector>

#include "engine/contacts/activation_rule.hpp"
#include "engine/contacts/contact_list.hpp"
#include "engine/contacts/detected_contact.hpp"
#include "engine/contacts/member_table.hpp"
#include "engine/contacts/wall_bodies.hpp"
#include "engine/contacts/wall_touch.hpp"
#include "engine/lists/neighbor_list.hpp"
#include "engine/particles/particles.hpp"
#include "engine/scene/scene.hpp"

namespace scree {

class WarmStart;

/// Eight candidates of a sphere, and which of them are contacts: one bit each.
struct CandidatePacket {
  Vector3<Double8> normal;  // from each partner to the sphere; of coinciding ones undefined
  Double8 gap;              // [m]
  const Index* partners;    // in the list
  std::size_t i;            // the sphere
  unsigned take_part;
  unsigned may_be_carried;  // near enough to take part if they carried an impulse
  unsigned alone;           // beyond a periodic end, or it moves far: not judged yet
  unsigned coincide;        // with the sphere's centre
};

/// Memory that detection uses again and again.
struct DetectionBuffers {
  std::vector<PackedSphere> places;
  std::vector<PackedMotion> motions;    // of speculative contacts
  MemberTable members;                  // of the step, if the scene has clumps
  std::vector<CandidatePacket> judged;  // of some spheres
  WallScratch walls;
};

/// Adds all contacts that take part at the present positions: particle after particle, each one's
/// partners in the order of the list, then its walls.
/// @param velocities  with which the particles are to move, but for the weight [m/s]
/// @param walls   all walls at this step
/// @param warm_start  contacts that carried an impulse in the last step take part once more if they
///                    are not farther apart than what could close within the step: a pile at rest
///                    would jitter otherwise; null: none did
/// @param contacts  has begun, and is yet to end
/// @param buffers  scratch
/// @param wall_bodies  the walls, and patches of them as contacts need them
/// @returns the greatest overlap of the contacts [m]; 0: none
double DetectContacts(const Particles& particles, std::span<const Vec3> velocities,
                      const Halo& halo, const NeighborList& list, const Scene& scene,
                      const std::vector<WallPose>& walls, const ActivationRule& rule,
                      const WarmStart* warm_start, DetectionBuffers& buffers, ContactList& contacts,
                      std::vector<WallBody>& wall_bodies);

}  // namespace scree
