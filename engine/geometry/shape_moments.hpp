/// \file  Mass properties of solid walls.
#pragma once

#include <optional>
#include <span>

#include "engine/geometry/rounded_polyhedron.hpp"
#include "engine/geometry/shapes.hpp"
#include "solvers/base/types.hpp"

namespace scree {

/// Whether the part is a bounded solid: a box, a cylinder, a ball, or a mesh that is solid inside.
bool IsBoundedSolid(const ShapePart& part);

/// Volume, centre and inertia of the part.
/// @pre IsBoundedSolid(part); if the part is a mesh, its surface is loaded
SolidMoments MomentsOf(const ShapePart& part);

/// Volume, centre and inertia of several solids that do not overlap.
/// @pre at least one solid
SolidMoments SumOf(std::span<const SolidMoments> solids);

/// Finds a point that is inside both solids; none if no point of a grid is inside both. The grid
/// has 32 points along each side of the intersection of the bounding boxes.
std::optional<Vec3> FindOverlap(const ShapePart& a, const ShapePart& b);

}  // namespace scree
