/// \file  Triangles that show a surface, functions that make them, and the side that is solid.
#pragma once

#include <array>
#include <vector>

#include "engine/geometry/box.hpp"
#include "engine/geometry/shapes.hpp"
#include "solvers/base/types.hpp"

namespace scree {

/// Sides of the polygon that replaces a circle, a multiple of 4. The polygon has 0.04 % less area.
inline constexpr int kCircleSides = 128;

/// Number of sides s for a scene of many balls, such as a bumpy floor. A ball has s²/2 triangles.
/// With more balls s shrinks, to at least 16, to keep all balls together below a million triangles.
int CircleSides(std::size_t balls);

/// A point of the profile of a body of revolution.
struct ProfilePoint {
  double height;  // along the axis [m]
  double radius;  // from the axis [m]
};

struct SurfaceTriangles {
  std::vector<Vec3> points;                           // [m]
  std::vector<std::array<std::size_t, 3>> triangles;  // rows of points
  int sides = kCircleSides;                           // of circles

  /// A convex polygon as a fan around its first corner.
  void AddPolygon(const std::vector<Vec3>& corners);

  /// The part of a plane that lies in the box.
  void AddPlane(const Vec3& point, const Vec3& normal, const Box& box);

  /// The six faces of a box, seen from outside.
  void AddBox(const Box& box);

  /// The surface that a profile sweeps as it rotates about the axis. Polygons face to the left of
  /// the profile, seen with the axis pointing right and the distance from the axis upwards.
  /// @param axis  unit vector
  void AddSwept(const Vec3& from, const Vec3& axis, const std::vector<ProfilePoint>& profile);
};

/// The region that the surface of a part bounds.
enum class Interior {
  kNone,       // a sheet
  kConvex,     // the convex hull of the corners of its triangles
  kInside,     // of a closed surface
  kOutside,    // all but the inside of a closed surface
  kHalfSpace,  // of a plane
};
/// The names in files, in the order of the enumeration.
constexpr std::array<const char*, 5> NamesOf(Interior) {
  return {"none", "convex", "inside", "outside", "half space"};
}
Interior InteriorOf(const ShapePart& part);

}  // namespace scree
