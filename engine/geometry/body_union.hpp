/// \file  Rounded polyhedra and balls as the members of one body: whether they touch, and the mass
///        properties of their union.
#pragma once

#include <span>

#include "engine/geometry/clump_shape.hpp"
#include "engine/geometry/rounded_polyhedron.hpp"

namespace scree {

/// A ball is a core of one vertex.
inline bool IsBall(const RoundedPolyhedron& body) { return body.core.vertices.size() == 1; }
inline RoundedPolyhedron BallOf(const Member& sphere) {
  return {{{sphere.centre}, {}, {}}, sphere.radius};
}

enum class OverlapState { kNot, kTouches, kOverlaps };

/// Whether two touch or overlap, to 1e-9 of the sum of their roundings.
OverlapState ClassifyOverlap(const RoundedPolyhedron& one, const RoundedPolyhedron& other);

/// Volume, centre and inertia of the union. Those that overlap none, or only touch, have their own,
/// which are exact; of balls that overlap each other it is that of MomentsOfUnion. Where a
/// polyhedron overlaps others, what is counted more than once is taken off by sums along lines,
/// exact along each: its volume is good to about 1e-5 of itself.
/// @pre at least one
SolidMoments MomentsOfBodies(std::span<const RoundedPolyhedron> bodies);

}  // namespace scree
