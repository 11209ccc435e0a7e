/// \file  The geometry of walls and obstacles: signed distance and outward normal.
#pragma once

#include <limits>
#include <variant>
#include <vector>

#include "engine/box.hpp"
#include "solvers/types.hpp"

namespace scree {

/// Half space; solid on the side that the normal points away from.
struct Plane {
  Vec3 point = Vec3::Zero();    // [m]
  Vec3 normal = Vec3::UnitZ();  // unit vector out of the solid
};

/// Solid axis-aligned box.
struct Block {
  Box box;
};

/// Solid circular cylinder with flat ends.
struct Cylinder {
  Vec3 from = Vec3::Zero();  // centre of one end [m]
  Vec3 to = Vec3::UnitZ();   // centre of the other [m]
  double radius = 1.0;       // [m]
};

using ShapePart = std::variant<Plane, Block, Cylinder>;

/// A solid: the union of its parts, which is one surface with one contact at its nearest point.
/// Solids that meet in a concave edge, where a sphere rests on both, are better two walls.
struct Shape {
  std::vector<ShapePart> parts;
};

/// The point of a surface nearest to a query point, as seen from there.
struct SurfacePoint {
  double distance = std::numeric_limits<double>::infinity();  // negative inside the solid [m]
  Vec3 normal = Vec3::UnitZ();                                // unit vector out of the solid
};

/// Signed distance of x from the part's surface; exact outside and, for a single part, inside.
SurfacePoint NearestSurface(const ShapePart& part, const Vec3& x);

/// The same for a union: exact outside; inside, the depth below the deepest part's surface.
SurfacePoint NearestSurface(const Shape& shape, const Vec3& x);

/// Box that holds the solid; infinite along the directions in which it is unbounded.
Box BoundingBox(const Shape& shape);

}  // namespace scree
