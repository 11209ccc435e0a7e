#include "io/scene/shape_files.hpp"

#include <Eigen/Geometry>
#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <utility>

#include "engine/geometry/rounded_polyhedron.hpp"
#include "engine/geometry/triangle_mesh.hpp"
#include "engine/geometry/welder.hpp"
#include "io/files/obj_file.hpp"
#include "io/files/stl_file.hpp"
#include "io/files/text_file.hpp"
#include "solvers/base/check.hpp"

namespace scree {
namespace {

/// Points closer together than this fraction of the extent are merged.
constexpr double kWeld = 1e-9;

/// Points, and triangles between them.
struct Surface {
  std::vector<Vec3> points;
  std::vector<std::array<Index, 3>> triangles;
  double extent = 0.0;

  const Vec3& At(Index point) const { return points[static_cast<std::size_t>(point)]; }
};

std::vector<Triangle> ReadTriangles(const std::string& path) {
  const std::string bytes = ReadTextFile(path);
  return IsObjName(path) ? ReadObj(bytes) : ReadStl(bytes);
}

Surface Weld(std::vector<Triangle> triangles) {
  Surface surface;
  Vec3 lower = Vec3::Constant(HUGE_VAL), upper = -lower;
  for (std::size_t k = 0; k < 3 * triangles.size(); ++k) {
    const Vec3& point = triangles[k / 3][k % 3];
    if (!point.allFinite()) {
      throw InputError(Text("has numbers that are not finite in vertex ", k + 1));
    }
    lower = lower.cwiseMin(point);
    upper = upper.cwiseMax(point);
  }
  surface.extent = (upper - lower).norm();
  Welder welder(std::max(kWeld * surface.extent, 1e-300), 3 * triangles.size(), surface.points);
  for (const Triangle& triangle : triangles) {
    for (const Vec3& point : triangle) welder.FindOrAdd(point);
  }
  if (surface.points.size() > kMaxHullPoints) {
    throw InputError(Text("has ", surface.points.size(), " vertices; expected at most ",
                          kMaxHullPoints, "; use a coarser mesh"));
  }
  DropDegenerate(triangles);
  for (const Triangle& triangle : triangles) {
    std::array<Index, 3>& corners = surface.triangles.emplace_back();
    for (std::size_t k = 0; k < 3; ++k) corners[k] = welder.FindOrAdd(triangle[k]);
  }
  return surface;
}

void RequireClosed(const Surface& surface) {
  std::map<std::pair<Index, Index>, int> directed_edges;
  for (const auto& corners : surface.triangles) {
    for (std::size_t k = 0; k < 3; ++k) ++directed_edges[{corners[k], corners[(k + 1) % 3]}];
  }
  std::size_t open_count = 0;
  const std::pair<Index, Index>* first_open = nullptr;
  for (const auto& [ends, count] : directed_edges) {
    const auto reverse = directed_edges.find({ends.second, ends.first});
    if (count == 1 && reverse != directed_edges.end() && reverse->second == 1) continue;
    if (open_count++ == 0) first_open = &ends;
  }
  if (open_count == 0) return;
  throw InputError(Text(
      "is not closed: ", open_count,
      " edges do not have one triangle on each side with the same orientation, the first from (",
      surface.At(first_open->first).transpose(), ") to (",
      surface.At(first_open->second).transpose(), "); expected a closed surface"));
}

/// Whether the edge from p to q crosses a triangle. Touching does not count.
bool IsTriangleCrossed(const Vec3& p, const Vec3& q, const std::array<Vec3, 3>& triangle,
                       double tolerance) {
  const Vec3 normal = (triangle[1] - triangle[0]).cross(triangle[2] - triangle[0]).normalized();
  const double distance_p = normal.dot(p - triangle[0]);
  const double distance_q = normal.dot(q - triangle[0]);
  if (distance_p * distance_q >= 0.0) return false;
  if (std::min(std::abs(distance_p), std::abs(distance_q)) <= tolerance) return false;
  const Vec3 x = p + distance_p / (distance_p - distance_q) * (q - p);
  for (std::size_t k = 0; k < 3; ++k) {
    const Vec3& a = triangle[k];
    const Vec3 side = triangle[(k + 1) % 3] - a;
    if (normal.dot(side.cross(x - a)) <= tolerance * side.norm()) return false;
  }
  return true;
}

std::array<Vec3, 3> CornersOf(const Surface& surface, std::size_t t) {
  const auto& corners = surface.triangles[t];
  return {surface.At(corners[0]), surface.At(corners[1]), surface.At(corners[2])};
}

/// Whether an edge of the first triangle crosses the second triangle. Edges that share a corner
/// with the second triangle are skipped.
bool HasCrossingEdge(const Surface& surface, std::size_t first, std::size_t second) {
  const auto &edges = surface.triangles[first], &corners = surface.triangles[second];
  const auto is_shared = [&](Index point) { return std::ranges::count(corners, point) > 0; };
  for (std::size_t k = 0; k < 3; ++k) {
    const Index p = edges[k], q = edges[(k + 1) % 3];
    if (is_shared(p) || is_shared(q)) continue;
    if (IsTriangleCrossed(surface.At(p), surface.At(q), CornersOf(surface, second),
                          kWeld * surface.extent)) {
      return true;
    }
  }
  return false;
}

void RequireApart(const Surface& surface, std::size_t s, std::size_t t) {
  if (!HasCrossingEdge(surface, s, t) && !HasCrossingEdge(surface, t, s)) return;
  throw InputError(Text("crosses itself at (", CornersOf(surface, s)[0].transpose(),
                        "), where triangles ", std::min(s, t) + 1, " and ", std::max(s, t) + 1,
                        " cross; expected the surface of a solid"));
}

/// Checks that no two triangles cross. Sweeps along x and tests only pairs whose bounding boxes
/// overlap.
void RequireNoCrossings(const Surface& surface) {
  struct Bounds {
    Vec3 lower, upper;
    std::size_t triangle;
  };
  std::vector<Bounds> all;
  for (std::size_t t = 0; t < surface.triangles.size(); ++t) {
    const auto [a, b, c] = CornersOf(surface, t);
    all.push_back({a.cwiseMin(b).cwiseMin(c), a.cwiseMax(b).cwiseMax(c), t});
  }
  std::ranges::sort(all, {}, [](const Bounds& bounds) { return bounds.lower.x(); });
  for (std::size_t k = 0; k < all.size(); ++k) {
    for (std::size_t l = k + 1; l < all.size() && all[l].lower.x() <= all[k].upper.x(); ++l) {
      const bool is_overlapping = (all[k].lower.array() <= all[l].upper.array()).all() &&
                                  (all[l].lower.array() <= all[k].upper.array()).all();
      if (is_overlapping) RequireApart(surface, all[k].triangle, all[l].triangle);
    }
  }
}

double EnclosedVolume(const Surface& surface) {
  double volume = 0.0;
  const Vec3 origin = surface.points[0];
  for (const auto& [a, b, c] : surface.triangles) {
    volume += (surface.At(a) - origin).dot((surface.At(b) - origin).cross(surface.At(c) - origin));
  }
  return std::abs(volume) / 6.0;
}

SolidInFile SolidOf(std::vector<Triangle> triangles) {
  const Surface surface = Weld(std::move(triangles));
  RequireClosed(surface);
  RequireNoCrossings(surface);
  const Polyhedron hull = ConvexHull(surface.points);
  return {hull.vertices, MomentsOf({hull, 0.0}).volume / EnclosedVolume(surface) - 1.0};
}

}  // namespace

SolidInFile ReadSolid(const std::string& path) {
  try {
    return SolidOf(ReadTriangles(path));
  } catch (const InputError& error) {
    throw FileError(Text("'", path, "' ", error.what()));
  }
}

}  // namespace scree
