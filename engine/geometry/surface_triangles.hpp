/// \file  Triangles that show a surface, and the region that the surface bounds.
#pragma once

#include <array>
#include <vector>

#include "engine/geometry/box.hpp"
#include "engine/geometry/shapes.hpp"
#include "solvers/base/types.hpp"

namespace scree {

/// Sides of the polygon that replaces a circle, a multiple of 4. The polygon has 0.04 % less area.
inline constexpr int kCircleSides = 128;

/// Number of sides s of each circle in a scene of many balls, such as a bumpy floor. A ball has
/// about s²/2 triangles. With more balls s decreases, so that all balls together have less than a
/// million triangles, but s is at least 16.
int CircleSides(std::size_t balls);

/// A point of the profile of a body of revolution.
struct ProfilePoint {
  double height;  // along the axis [m]
  double radius;  // from the axis [m]
};

struct SurfaceTriangles {
  std::vector<Vec3> points;                           // [m]
  std::vector<std::array<std::size_t, 3>> triangles;  // indices of points
  int sides = kCircleSides;                           // of circles

  /// Adds a convex polygon as a fan of triangles around its first corner.
  void AddPolygon(const std::vector<Vec3>& corners);

  /// Adds the part of a plane that lies in the box.
  void AddPlane(const Vec3& point, const Vec3& normal, const Box& box);

  /// Adds the six faces of a box, which face outwards.
  void AddBox(const Box& box);

  /// Adds the surface that a profile sweeps as it rotates about the axis. In a drawing of the
  /// profile with the axis to the right and the radius upwards, polygons face to the left of the
  /// profile's direction.
  /// @param axis  unit vector
  void AddSwept(const Vec3& from, const Vec3& axis, const std::vector<ProfilePoint>& profile);
};

/// The solid region that the surface of a part bounds.
enum class Interior {
  kNone,       // a sheet
  kConvex,     // the convex hull of the corners of all triangles
  kInside,     // the inside of a closed surface
  kOutside,    // all but the inside of a closed surface
  kHalfSpace,  // the solid side of a plane
};
/// The names in files, in the order of the enumeration.
constexpr std::array<const char*, 5> NamesOf(Interior) {
  return {"none", "convex", "inside", "outside", "half space"};
}
Interior InteriorOf(const ShapePart& part);

}  // namespace scree
