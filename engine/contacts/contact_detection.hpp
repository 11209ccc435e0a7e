/// \file  Narrow phase: finds the candidate pairs that are active in this step's contact problem,
///        and their geometry.
#pragma once

#include <span>
#include <vector>

#include "engine/contacts/activation_rule.hpp"
#include "engine/contacts/contact_list.hpp"
#include "engine/contacts/member_table.hpp"
#include "engine/contacts/sphere_detection.hpp"
#include "engine/contacts/wall_bodies.hpp"
#include "engine/contacts/wall_touch.hpp"
#include "engine/lists/neighbor_list.hpp"
#include "engine/particles/particles.hpp"
#include "engine/scene/scene.hpp"

namespace scree {

class WarmStart;

/// Buffers of the detection, reused in every step.
struct DetectionBuffers {
  SphereBuffers spheres;
  MemberTable members;  // members in this step, if the scene has clumps
  WallScratch walls;
};

/// Adds all active contacts at the present positions, particle after particle: first the contacts
/// with its partners in the order of the list, then those with walls.
/// @param velocities  of the particles in this step, without the change by the weight [m/s]
/// @param walls   all walls at this step
/// @param warm_start  contacts with a stored impulse stay active if they could close within the
///                    step, because a pile at rest would jitter otherwise; null: none is stored
/// @param contacts  between Begin and End, which the caller calls
/// @param wall_bodies  set to the whole walls, then the patches of walls that contacts need
/// @returns the largest overlap of the contacts [m]; 0: none
double DetectContacts(const Particles& particles, std::span<const Vec3> velocities,
                      const Halo& halo, const NeighborList& list, const Scene& scene,
                      const std::vector<WallPose>& walls, const ActivationRule& rule,
                      const WarmStart* warm_start, DetectionBuffers& buffers, ContactList& contacts,
                      std::vector<WallBody>& wall_bodies);

}  // namespace scree
