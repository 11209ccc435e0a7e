/// \file  Creates bonds at the contacts of a step to which a [bond] section applies.
///
/// Two spheres, or members of clumps, get a bond of area S = π (φ r)², where φ is `radius` of the
/// section and r is the smaller radius of the two. Two faces touch on the polygon of their contact
/// points. Their bond represents an elastic section: it breaks when the stress σ = N/S + M y/I
/// reaches the strength at one side of the polygon. The points of the bond are therefore not the
/// corners of the polygon but those of its core (kern): if the resultant of the shifted impulses
/// (step_bonds.hpp) is at a corner of the core, the opposite side has the stress −σ_n, the
/// tensile strength. A side of length l, at the distance d from the centroid and with outward
/// normal u, gives the corner
///
///     e = −I u/(S d),   I = ∫ x xᵀ dS,   with the fraction l d/(2 S) of the area
///
/// (for a rectangle with sides a and b: (±a/6, 0) and (0, ±b/6)). The mean of the corners, weighted
/// by these fractions, is the centroid, so a central pull is distributed equally over the area.
/// Points at the corners of a square itself, not of its core, would bear three times the moment.
///
/// A bond has at most kMaxBondPoints = 4 points. The core of a polygon with more corners is
/// replaced by a quadrilateral in it: the one that contains the core scaled by the largest factor
/// s. In bending the bond therefore bears s to 1 times the moment of the elastic section, depending
/// on the direction. For a regular pentagon s is 0.62, the smallest value found among polygons; it
/// is 2/3 for a hexagon, 0.71 for many sides, and near 1 if the polygon is almost a quadrilateral.
/// Area and centroid are those of the whole polygon.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "engine/contacts/bond_contacts.hpp"
#include "engine/contacts/bond_table.hpp"

namespace scree {

/// The core of a polygon, or the quadrilateral that replaces it.
struct SectionCore {
  double area = 0.0;             // of the polygon [m²]; 0: the points span no area
  Vec3 centre = Vec3::Zero();    // centroid of the polygon [m]
  std::vector<Vec3> corners;     // at most kMaxBondPoints [m]
  std::vector<double> fraction;  // of the area at each corner; the sum is 1
};

/// Finds the core of the convex hull of points in a plane with this normal.
SectionCore FindSectionCore(std::span<const Vec3> points, const Vec3& normal);

/// New bonds at contacts that this rank owns.
struct NewBonds {
  std::vector<Bond> bonds;
  std::vector<int> homes;  // rank of the home of each bond
  std::string error;       // describes a bond that cannot be made; empty: none
};

/// Makes the bonds of the rules that are due.
/// @param existing  the bonds so far; two bodies that have one get no new one
/// @param found   all contacts of this rank's narrow phase, with whole manifolds
///                (ActivationRule)
/// @param is_due  one per rule of the scene: whether it makes bonds in this step
/// @param now     time of birth [s]
NewBonds MakeBonds(const BondBodies& bodies, const BondTable& existing, const ContactSpan& found,
                   std::span<const WallBody> wall_bodies, std::span<const std::uint8_t> is_due,
                   const Communicator& communicator, const Halo& halo, double now);

}  // namespace scree
