/// \file  Where a bond holds a sphere, or a sphere of a clump, to a wall: at the point of the wall
///        that is nearest to the sphere now. The sphere may roll round a cylinder, or over the edge
///        of a box on to the next face.
///
/// In a concave corner of a mesh several points are local minima of the distance. There the sphere
/// stays on its face: of these points, the bond takes the one next to its last point.
#pragma once

#include "engine/contacts/bond_contacts.hpp"
#include "engine/geometry/shapes.hpp"

namespace scree {

struct BondedPoint {
  Vec3 shift = Vec3::Zero();  // from the wall to the touched image [m]
  SurfacePoint nearest;       // seen from the centre of the sphere; the normal is in world axes
  Index piece = 0;            // of surface (WallBody::surface)
};

/// Whether the surface is a single plane, on which the normal at birth holds everywhere.
bool IsBondedToPlane(const BondBodies& bodies, const Bond& bond);

/// The shift from a wall to the image that bodies touch at the first point of their bond [m].
/// @param i  local index of the bonded particle
Vec3 ShiftToTouchedImage(const BondBodies& bodies, const Bond& bond, Index i);

/// The touched image of a wall.
WallPose PoseOfImage(const BondBodies& bodies, Index wall, const Vec3& shift);

/// Centre and radius of the bonded sphere. The centre is relative to that of particle i, in world
/// axes.
Member BondedMember(const BondBodies& bodies, Index i, std::uint16_t member);

/// Finds where a bond without anchored points holds particle i to its wall.
/// @pre on_b[0] of the bond is its last point
BondedPoint FindBondedPoint(const BondBodies& bodies, const Bond& bond, Index i);

}  // namespace scree
