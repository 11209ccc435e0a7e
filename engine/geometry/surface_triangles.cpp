#include "engine/geometry/surface_triangles.hpp"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <numbers>

namespace scree {
namespace {

/// The part of a convex polygon where side * (x[axis] - bound) <= slack: one step of polygon
/// clipping (I. E. Sutherland, G. W. Hodgman, "Reentrant polygon clipping", CACM 17 (1974)).
std::vector<Vec3> ClipAt(const std::vector<Vec3>& polygon, int axis, double bound, double side,
                         double slack) {
  std::vector<Vec3> kept;
  for (std::size_t k = 0; k < polygon.size(); ++k) {
    const Vec3& here = polygon[k];
    const Vec3& next = polygon[(k + 1) % polygon.size()];
    const double outside_here = side * (here[axis] - bound) - slack;
    const double outside_next = side * (next[axis] - bound) - slack;
    if (outside_here <= 0.0) kept.push_back(here);
    if ((outside_here < 0.0 && outside_next > 0.0) || (outside_here > 0.0 && outside_next < 0.0)) {
      kept.push_back(here + outside_here / (outside_here - outside_next) * (next - here));
    }
  }
  return kept;
}

}  // namespace

int CircleSides(std::size_t balls) {
  constexpr double kTriangles = 1e6;
  const double sides = std::sqrt(2.0 * kTriangles / static_cast<double>(balls + 1));
  return std::clamp(static_cast<int>(sides) / 4 * 4, 16, kCircleSides);
}

void SurfaceTriangles::AddPolygon(const std::vector<Vec3>& corners) {
  const std::size_t first = points.size();
  points.insert(points.end(), corners.begin(), corners.end());
  for (std::size_t k = 1; k + 1 < corners.size(); ++k) {
    triangles.push_back({first, first + k, first + k + 1});
  }
}

void SurfaceTriangles::AddPlane(const Vec3& point, const Vec3& normal, const Box& box) {
  const double size = box.Extent().norm();
  const Vec3 middle = 0.5 * (box.lower + box.upper);
  const Vec3 foot = middle - normal.dot(middle - point) * normal;
  const Vec3 u = normal.unitOrthogonal() * size;
  const Vec3 v = normal.cross(u);
  std::vector<Vec3> polygon = {foot - u - v, foot + u - v, foot + u + v, foot - u + v};
  // Most planes coincide with a face of the box, and rounding must not clip them.
  const double slack = 1e-9 * size;
  for (int axis = 0; axis < 3; ++axis) {
    polygon = ClipAt(polygon, axis, box.lower[axis], -1.0, slack);
    polygon = ClipAt(polygon, axis, box.upper[axis], 1.0, slack);
  }
  AddPolygon(polygon);
}

void SurfaceTriangles::AddBox(const Box& box) {
  for (int axis = 0; axis < 3; ++axis) {
    const int u = (axis + 1) % 3;
    const int v = (axis + 2) % 3;
    for (const bool upper : {false, true}) {
      std::vector<Vec3> corners(4, upper ? box.upper : box.lower);
      for (std::size_t k = 0; k < 4; ++k) {
        // Counterclockwise seen from outside: the lower face has the opposite order.
        const std::size_t position = upper ? k : 3 - k;
        corners[k][u] = (position == 1 || position == 2) ? box.upper[u] : box.lower[u];
        corners[k][v] = position >= 2 ? box.upper[v] : box.lower[v];
      }
      AddPolygon(corners);
    }
  }
}

void SurfaceTriangles::AddSwept(const Vec3& from, const Vec3& axis,
                                const std::vector<ProfilePoint>& profile) {
  const Vec3 u = axis.unitOrthogonal();
  const Vec3 v = axis.cross(u);
  const auto corner_at = [&](const ProfilePoint& point, int side) -> Vec3 {
    const double angle = 2.0 * std::numbers::pi * (side % sides) / sides;
    return from + point.height * axis + point.radius * (std::cos(angle) * u + std::sin(angle) * v);
  };
  for (std::size_t p = 0; p + 1 < profile.size(); ++p) {
    for (int side = 0; side < sides; ++side) {
      std::vector<Vec3> corners;
      if (profile[p].radius > 0.0) corners.push_back(corner_at(profile[p], side));
      corners.push_back(corner_at(profile[p], side + 1));
      corners.push_back(corner_at(profile[p + 1], side + 1));
      if (profile[p + 1].radius > 0.0) corners.push_back(corner_at(profile[p + 1], side));
      AddPolygon(corners);
    }
  }
}

}  // namespace scree
