/// \file  Bodies whose members are rounded polyhedra and balls: the overlap test of two
///        members, and the mass properties of the union of all members.
#pragma once

#include <span>

#include "engine/geometry/clump_shape.hpp"
#include "engine/geometry/rounded_polyhedron.hpp"

namespace scree {

/// A ball is a rounded polyhedron whose core is a single vertex.
inline bool IsBall(const RoundedPolyhedron& body) { return body.core.vertices.size() == 1; }
inline RoundedPolyhedron BallOf(const Member& sphere) {
  return {{{sphere.centre}, {}, {}}, sphere.radius};
}

enum class OverlapState { kApart, kTouches, kOverlaps };

/// Finds whether two members are apart, touch or overlap, to 1e-9 of the sum of their roundings.
OverlapState ClassifyOverlap(const RoundedPolyhedron& first, const RoundedPolyhedron& second);

/// Volume, centre and inertia of the union of the members. Members that overlap no other member
/// contribute their exact moments. A group of overlapping balls contributes MomentsOfUnion. If a
/// group contains a polyhedron, a quadrature over parallel lines subtracts the regions that are
/// counted more than once. It is exact along each line; the relative error of the volume is about
/// 1e-5.
/// @pre at least one member
SolidMoments MomentsOfBodies(std::span<const RoundedPolyhedron> bodies);

}  // namespace scree
