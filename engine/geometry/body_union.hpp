/// \file  Bodies whose members are rounded polyhedra and balls: overlap tests between members, and
///        the mass properties of their union.
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

enum class OverlapState { kNot, kTouches, kOverlaps };

/// Classifies whether two members touch or overlap, to 1e-9 of the sum of their roundings.
OverlapState ClassifyOverlap(const RoundedPolyhedron& one, const RoundedPolyhedron& other);

/// Volume, centre and inertia of the union of the members. Members that overlap no other, or only
/// touch it, contribute their exact moments. Balls that overlap each other contribute
/// MomentsOfUnion. If a polyhedron overlaps others, a quadrature over parallel lines, exact along
/// each line, subtracts the regions that are counted more than once. The relative error of such a
/// volume is about 1e-5.
/// @pre at least one
SolidMoments MomentsOfBodies(std::span<const RoundedPolyhedron> bodies);

}  // namespace scree
