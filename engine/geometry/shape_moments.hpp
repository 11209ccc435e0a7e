/// \file  Mass properties of the solids of walls.
#pragma once

#include <optional>
#include <span>

#include "engine/geometry/rounded_polyhedron.hpp"
#include "engine/geometry/shapes.hpp"
#include "solvers/base/types.hpp"

namespace scree {

/// Whether the part is a bounded solid: a box, a cylinder, a ball, or a mesh with a solid inside.
bool IsBoundedSolid(const ShapePart& part);

/// Volume, centre and inertia of the part.
/// @pre IsBoundedSolid(part); if the part is a mesh, its surface is loaded
SolidMoments MomentsOf(const ShapePart& part);

/// Volume, centre and inertia of several solids that do not overlap.
/// @pre at least one solid
SolidMoments SumOf(std::span<const SolidMoments> solids);

/// Searches for a point inside both solids on a grid with a spacing of 1/32 of the intersection of
/// the bounding boxes; none if no grid point is inside both.
std::optional<Vec3> FindOverlap(const ShapePart& a, const ShapePart& b);

}  // namespace scree
