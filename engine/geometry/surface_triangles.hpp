/// \file  Triangles that show a surface, the ways to make them, and what the surface bounds.
#pragma once

#include <array>
#include <vector>

#include "engine/geometry/box.hpp"
#include "engine/geometry/shapes.hpp"
#include "solvers/base/types.hpp"

namespace scree {

/// Sides of the polygon that stands for a circle, of which the area is 0.04 % less. Multiples of 4.
inline constexpr int kCircleSides = 128;

/// Fewer where many balls are drawn, as a bumpy floor is made of: their triangles, s²/2 each with
/// s sides, are a million together, until 16 sides are the least.
int CircleSides(std::size_t balls);

/// A point of a profile: along an axis and away from it [m].
struct ProfilePoint {
  double along, away;
};

struct SurfaceTriangles {
  std::vector<Vec3> points;                           // [m]
  std::vector<std::array<std::size_t, 3>> triangles;  // rows of points
  int sides = kCircleSides;                           // of circles

  /// A convex polygon as a fan around its first corner.
  void AddPolygon(const std::vector<Vec3>& corners);

  /// A plane as far as it lies in the box.
  void AddPlane(const Vec3& point, const Vec3& normal, const Box& box);

  /// The six faces of a box, seen from outside.
  void AddBox(const Box& box);

  /// What the profile sweeps as it turns about the axis; polygons face to the left of its way, seen
  /// with the axis to the right and the distance from it upwards.
  /// @param axis  unit vector
  void AddSwept(const Vec3& from, const Vec3& axis, const std::vector<ProfilePoint>& profile);
};

/// What the surface of a part bounds.
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
