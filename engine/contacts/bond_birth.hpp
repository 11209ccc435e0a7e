/// \file  Makes bonds of the contacts of a step that a [bond] names.
///
/// Two spheres, or members of clumps, get a bond of area S = π (radius r)², r being the smaller of
/// both. Two faces share the polygon of their contact points. Its bond stands for an elastic
/// section: it breaks where the stress σ = N/S + M y/I of a plane section reaches the strength at a
/// border. So its points are the corners of the section's core (kern), not those of the polygon: if
/// the resultant of the shifted impulses is at a corner of the core, the border opposite has the
/// stress −σ_n. With an edge of length l, distance d from the centroid and outward normal u,
///
///     e = −I u/(S d),   I = ∫ x xᵀ dS,   share of the area: l d/(2 S)
///
/// (a rectangle with sides a and b: (±a/6, 0) and (0, ±b/6)). The shares have their centre of mass
/// at the centroid, so that a central pull is the same at all points. Four points at the corners of
/// a square would carry three times that moment.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "engine/contacts/bond_contacts.hpp"
#include "engine/contacts/bond_table.hpp"

namespace scree {

/// Core of a plane section.
struct SectionCore {
  double area = 0.0;           // of the polygon [m²]; 0: the points span none
  Vec3 centre = Vec3::Zero();  // its centroid
  std::vector<Vec3> corners;   // of the core
  std::vector<double> share;   // of each; their sum is 1
};

/// The core of the convex hull of points in a plane. Of hulls with more corners than kBondPoints
/// the flattest corners are left out.
SectionCore FindSectionCore(std::span<const Vec3> points, const Vec3& normal);

/// Bonds of the contacts of this rank, each with the rank of its home.
struct NewBonds {
  std::vector<Bond> bonds;
  std::vector<int> homes;
  std::string error;  // describes a bond that is not possible; empty: none
};

/// @param found  all contacts that this rank's narrow phase found
/// @param is_due  whether each rule of the scene is due
/// @param owns  owns(contact): whether this rank owns it
/// @param now  [s]
NewBonds MakeBonds(const BondBodies& bodies, const BondTable& existing, const ContactSpan& found,
                   std::span<const WallBody> wall_bodies, std::span<const std::uint8_t> is_due,
                   const Communicator& communicator, const Halo& halo, double now);

}  // namespace scree
