/// \file  Narrow phase: finds the candidate pairs that are active in this step's contact problem,
///        and their geometry.
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

/// A packet of eight candidates of a sphere. Each mask has one bit per candidate.
struct CandidatePacket {
  Vector3<Double8> normal;  // from each partner to the sphere; undefined if the centres coincide
  Double8 gap;              // [m]
  const Index* partners;    // in the list
  std::size_t i;            // the sphere
  unsigned active;
  unsigned may_stay;  // near enough to stay active if the contact carried an impulse
  unsigned alone;     // beyond a periodic end or moving far: to be tested one at a time
  unsigned coincide;  // the centre is that of the sphere
};

/// Memory that the detections of all steps reuse.
struct DetectionBuffers {
  std::vector<PackedSphere> places;
  std::vector<PackedMotion> motions;    // of speculative contacts
  MemberTable members;                  // of the step, if the scene has clumps
  std::vector<CandidatePacket> tested;  // of a group of spheres
  WallScratch walls;
};

/// Adds all active contacts at the present positions, particle after particle: first its partners
/// in the order of the list, then its walls.
/// @param velocities  velocities with which the particles will move, without the weight [m/s]
/// @param walls   all walls at this step
/// @param warm_start  contacts that carried an impulse in the last step stay active if they could
///                    close within the step: a pile at rest would jitter otherwise; null: no
///                    contact carried an impulse
/// @param contacts  between Begin and End
/// @param buffers  scratch
/// @param wall_bodies  the walls, and the patches of them that contacts need
/// @returns the largest overlap of the contacts [m]; 0: none
double DetectContacts(const Particles& particles, std::span<const Vec3> velocities,
                      const Halo& halo, const NeighborList& list, const Scene& scene,
                      const std::vector<WallPose>& walls, const ActivationRule& rule,
                      const WarmStart* warm_start, DetectionBuffers& buffers, ContactList& contacts,
                      std::vector<WallBody>& wall_bodies);

}  // namespace scree
