/// \file  The contacts of bonds, which are active at any gap. They replace the contacts that the
///        narrow phase finds between the same surfaces, except between faces with a damage bond.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "engine/contacts/bond_table.hpp"
#include "engine/contacts/contact_list.hpp"
#include "engine/contacts/member_table.hpp"
#include "engine/contacts/wall_bodies.hpp"
#include "engine/contacts/warm_start.hpp"
#include "engine/geometry/triangle_mesh.hpp"
#include "engine/scene/wall_images.hpp"
#include "engine/scene/wall_motion.hpp"

namespace scree {

struct BondContact {
  std::uint32_t contact = 0;  // index: owned contacts first, then ghost contacts
  std::uint32_t bond = 0;     // number for BondTable::At
  std::uint32_t point = 0;    // of the bond
  std::uint32_t row = 0;      // index in BondTable::Rows
  // Of body a of the contact relative to b since the birth of the bond; without anchored points
  // only the component along the normal [m].
  Vec3 displacement = Vec3::Zero();
};

/// Cosine of the largest angle between the normals at two points of a wall that count as points of
/// the same face. In a corner a bonded body also touches other faces.
inline constexpr double kSameFace = 0.7;

/// Whether a contact with a wall is on the face of the wall to which an anchored bond holds.
/// @param normal  of the contact
inline bool IsOnBondedFace(const Bond& bond, const WallPose& pose, const Vec3& normal) {
  return normal.dot(pose.DirectionInSpace(bond.normal)) > kSameFace;
}

/// The particles, walls and stored impulses of a step.
struct BondBodies {
  const Particles& particles;
  std::span<const Vec3> ghost_shift;  // of each ghost [m]
  const MemberTable& members;         // empty: all are spheres
  const Scene& scene;
  std::span<const WallPose> walls;
  const WarmStart* warm_start;  // null: no stored impulses
  MeshQuery& query;             // scratch
};

/// The lists that receive contacts.
struct MergedContacts {
  ContactList& owned;
  ContactList* ghosts;  // contacts that other ranks own; null: they are added to `owned`
  int rank;             // this rank
  const Halo& halo;
};

/// Adds the contacts of the narrow phase, except those that bonds replace, and the contacts of all
/// bonds, particle after particle. The gaps of bonds are relative to those at birth.
/// @param bonds   the points of spheres' bonds on walls are updated (bonded_surface.hpp)
/// @param found   contacts of the narrow phase, in the order of the particles a
/// @param wall_bodies    the wall bodies of `found`; the patches of bonds are appended
/// @param bond_contacts  set to the contacts of bonds, by ascending index. The indices are valid
///                       after ContactList::End
void MergeBondContacts(const BondBodies& bodies, BondTable& bonds, const ContactList& found,
                       std::vector<WallBody>& wall_bodies, const MergedContacts& contacts,
                       std::vector<BondContact>& bond_contacts);

}  // namespace scree
