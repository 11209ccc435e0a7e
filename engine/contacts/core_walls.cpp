#include "engine/contacts/core_walls.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <variant>

namespace scree {
namespace {

/// Height of a point above the plane of a face.
/// @returns < 0 if the point is not above the face within the limit
double HeightAboveFace(const CoreAtWall& core, std::size_t f, const Vec3& point, double limit) {
  const std::vector<std::uint16_t>& corners = core.shape->faces[f].corners;
  const Vec3& normal = core.normals[f];
  const double height = normal.dot(point - core.vertices[corners[0]]);
  if (!(height > 0.0 && height <= limit)) return -1.0;
  Vec3 p = core.vertices[corners.back()];
  for (const std::uint16_t corner : corners) {
    const Vec3& q = core.vertices[corner];
    if (normal.dot((q - p).cross(point - p)) < 0.0) return -1.0;
    p = q;
  }
  return height;
}

/// Whether the plane of some face separates the core from a segment by more than the limit. This
/// holds for most edges of a mesh near a body, and is cheaper than a test with each edge of the
/// core.
bool Separates(const CoreAtWall& core, const std::array<Vec3, 2>& ends, double limit) {
  constexpr double kRounding = 1.0 + 1e-9;
  for (std::size_t f = 0; f < core.normals.size(); ++f) {
    const Vec3& normal = core.normals[f];
    const double offset = normal.dot(core.vertices[core.shape->faces[f].corners[0]]);
    const double height = std::min(normal.dot(ends[0]), normal.dot(ends[1])) - offset;
    if (height > kRounding * limit) return true;
  }
  return false;
}

/// Calls visit(p) for the points of a solid that may be nearest to a plane below it. The normal
/// points from the plane to the solid. There are several points if the nearest feature is nearly
/// parallel to the plane.
template <class Visit>
void ForEachLowest(const Block& block, const Vec3& normal, Visit&& visit) {
  for (int corner = 0; corner < 8; ++corner) {
    Vec3 p = block.box.lower;
    bool is_lowest = true;
    for (int axis = 0; axis < 3; ++axis) {
      const bool is_upper = (corner >> axis & 1) != 0;
      if (is_upper) p[axis] = block.box.upper[axis];
      is_lowest = is_lowest && (is_upper ? -normal[axis] : normal[axis]) >= -kParallel;
    }
    if (is_lowest) visit(p);
  }
}
template <class Visit>
void ForEachLowest(const Ball& ball, const Vec3& normal, Visit&& visit) {
  visit(ball.centre - ball.radius * normal);
}
/// Visits the lowest point of the circle that ends a solid or a sheet. If the circle is nearly
/// parallel to the plane, four points represent it.
template <class Visit>
void VisitCircle(const Vec3& centre, const Vec3& axis, double radius, const Vec3& normal,
                 Visit&& visit) {
  const Vec3 across = normal - normal.dot(axis) * axis;
  const double sine = across.norm();
  if (sine > 0.0) visit(centre - radius / sine * across);
  if (sine > kParallel) return;
  const Vec3 u = axis.unitOrthogonal(), v = axis.cross(u);
  for (const Vec3& d : {u, v, Vec3(-u), Vec3(-v)}) visit(centre + radius * d);
}
template <class Visit>
void ForEachLowest(const Cylinder& cylinder, const Vec3& normal, Visit&& visit) {
  const Vec3 axis = (cylinder.to - cylinder.from).normalized();
  const double cosine = normal.dot(axis);
  if (cosine >= -kParallel) VisitCircle(cylinder.from, axis, cylinder.radius, normal, visit);
  if (cosine <= kParallel) VisitCircle(cylinder.to, axis, cylinder.radius, normal, visit);
}
// A plane cannot touch a sheet from the inside, and not at a hole: it touches the convex hull.
template <class Visit>
void ForEachLowest(const Pipe& pipe, const Vec3& normal, Visit&& visit) {
  ForEachLowest(Cylinder{pipe.from, pipe.to, pipe.radius}, normal, visit);
}
template <class Visit>
void ForEachLowest(const Cone& cone, const Vec3& normal, Visit&& visit) {
  const Vec3 span = cone.to - cone.from, axis = span.normalized();
  const double sine = normal.cross(axis).norm(), widening = cone.to_radius - cone.from_radius;
  const double rise = normal.dot(span) - widening * sine;  // of the lowest point of the end `to`
  const double max_rise = kParallel * std::hypot(span.norm(), widening);
  if (rise >= -max_rise) VisitCircle(cone.from, axis, cone.from_radius, normal, visit);
  if (rise <= max_rise) VisitCircle(cone.to, axis, cone.to_radius, normal, visit);
}
template <class Visit>
void ForEachLowest(const Disk& disk, const Vec3& normal, Visit&& visit) {
  VisitCircle(disk.centre, disk.normal, disk.radius, normal, visit);
}
template <class Part, class Visit>
void ForEachLowest(const Part&, const Vec3&, Visit&&) {}

template <class Part>
void AppendFaceMinima(const CoreAtWall& core, const Part& part, double limit,
                      std::vector<WallMinimum>& minima) {
  for (std::size_t f = 0; f < core.normals.size(); ++f) {
    const Vec3& normal = core.normals[f];
    ForEachLowest(part, normal, [&](const Vec3& p) {
      const double height = HeightAboveFace(core, f, p, limit);
      if (height < 0.0) return;
      minima.push_back({core.shape->FeatureOfFace(f), p - height * normal, {height, -normal}});
    });
  }
}

/// Finds the point of an edge at which the distance from the wall has the slope `slope`. The slope
/// is edge direction ⋅ wall normal and increases along the edge.
/// @returns the parameter of the point, between `low` and `high`
double FindParameterOf(double slope, const Vec3& from, const Vec3& direction, const ShapePart& part,
                       double low, double high) {
  constexpr int kHalvings = 40;
  for (int k = 0; k < kHalvings; ++k) {
    const double middle = 0.5 * (low + high);
    (NearestSurface(part, from + middle * direction).normal.dot(direction) < slope ? low : high) =
        middle;
  }
  return 0.5 * (low + high);
}

bool IsInEdgeCone(const CoreAtWall& core, const PolyhedronEdge& edge, const Vec3& direction,
                  const Vec3& away) {
  const double min = -kParallel * away.norm() * direction.norm();
  return core.normals[edge.left].cross(direction).dot(away) >= min &&
         direction.cross(core.normals[edge.right]).dot(away) >= min;
}

/// Recomputes the minimum of an edge so that its normal is perpendicular to the edge, like the
/// force of a point of the wall on an edge that slides past it. If the point is above an adjacent
/// face, the minimum moves to that face.
/// @param minimum  unchanged if the perpendicular from the wall's point misses the edge, or if
///                 neither the edge nor its faces face this point
void MakePerpendicularToEdge(const CoreAtWall& core, const PolyhedronEdge& edge,
                             const Vec3& direction, WallMinimum& minimum) {
  const Vec3& from = core.vertices[edge.from];
  const Vec3 point = minimum.on_core - minimum.surface.distance * minimum.surface.normal;
  const double fraction = (point - from).dot(direction) / direction.squaredNorm();
  if (!(fraction > 0.0 && fraction < 1.0)) return;
  const Vec3 on_edge = from + fraction * direction, away = on_edge - point;
  for (const std::size_t f : {edge.left, edge.right}) {
    const double height = HeightAboveFace(core, f, point, away.norm());
    if (height < 0.0) continue;
    minimum.on_core = point - height * core.normals[f];
    minimum.surface = {height, -core.normals[f]};
    return;
  }
  if (!IsInEdgeCone(core, edge, direction, away)) return;
  minimum.on_core = on_edge;
  minimum.core_edge = direction.normalized();
  minimum.surface = {away.norm(), away.normalized()};
}

/// The parts of an edge, from parameter 0 to `low_end` and from `high_begin` to 1, that may have a
/// minimum each. Without an opening `low_end` is 0, and the second part is the whole edge.
struct EdgeParts {
  double low_end = 0.0, high_begin = 0.0;
};

/// Divides an edge that crosses the opening of a sheet. The half of the chord about its middle is
/// left out: there the edge approaches the sheet only if it is inclined to it, and the small slope
/// of this would hide the minimum at the rim.
EdgeParts DivideAtOpening(const Vec3& from, const Vec3& direction, const ShapePart& part) {
  Vec3 start, span;
  double radius = 0.0, end_radius = 0.0;
  if (const auto* pipe = std::get_if<Pipe>(&part)) {
    start = pipe->from, span = pipe->to - pipe->from, radius = end_radius = pipe->radius;
  } else if (const auto* cone = std::get_if<Cone>(&part)) {
    start = cone->from, span = cone->to - cone->from;
    radius = cone->from_radius, end_radius = cone->to_radius;
  } else if (const auto* disk = std::get_if<Disk>(&part)) {
    start = disk->centre, span = disk->normal, radius = end_radius = disk->hole;
  } else {
    return {};
  }
  const auto without_axial = [&](const Vec3& v) {
    return Vec3(v - v.dot(span) / span.squaredNorm() * span);
  };
  const Vec3 across = without_axial(direction);
  const double fraction = (start - from).dot(across) / across.squaredNorm();
  if (!(fraction > 0.0 && fraction < 1.0)) return {};
  const Vec3 middle = from + fraction * direction - start;
  const double axial = std::clamp(middle.dot(span) / span.squaredNorm(), 0.0, 1.0);
  const double opening = radius + axial * (end_radius - radius);
  const double squared_half_chord = opening * opening - without_axial(middle).squaredNorm();
  if (squared_half_chord <= 0.0) return {};
  const double quarter = 0.5 * std::sqrt(squared_half_chord / across.squaredNorm());
  return {fraction - quarter, fraction + quarter};
}

/// The distance from a convex solid is convex along an edge. It has a minimum between the ends if
/// it decreases from both ends. Points with a slope within the angular tolerance count as minima
/// too; both ends of their range are added.
/// @param low, high  the ends, as parameters of the edge
void AppendEdgeMinima(const CoreAtWall& core, std::size_t e, double low, double high,
                      const ShapePart& part, double limit, std::vector<WallMinimum>& minima) {
  const PolyhedronEdge& edge = core.shape->edges[e];
  const Vec3 &from = core.vertices[edge.from], &to = core.vertices[edge.to], direction = to - from;
  const double max_slope = kParallel * direction.norm();
  const SurfacePoint first = NearestSurface(part, low == 0.0 ? from : from + low * direction);
  const SurfacePoint last = NearestSurface(part, high == 1.0 ? to : from + high * direction);
  const double first_slope = first.normal.dot(direction);
  const double last_slope = last.normal.dot(direction);
  const auto add_point_of_slope = [&](double slope) {
    if (!(first_slope < slope && slope < last_slope)) return;
    const Vec3 x = from + FindParameterOf(slope, from, direction, part, low, high) * direction;
    const SurfacePoint surface = NearestSurface(part, x);
    if (!(surface.distance > 0.0 && surface.distance <= limit)) return;
    // If the edge is flush with a plane, its end points suffice.
    constexpr double kNearer = 1.0 - 1e-9;
    const double nearer_end = std::min(first.distance, last.distance);
    if (slope == 0.0 && surface.distance > kNearer * nearer_end) return;
    WallMinimum minimum{core.shape->FeatureOfEdge(e), x, surface};
    if (slope != 0.0) MakePerpendicularToEdge(core, edge, direction, minimum);
    minima.push_back(minimum);
  };
  add_point_of_slope(0.0);
  if (std::holds_alternative<Ball>(part)) return;
  add_point_of_slope(-max_slope);
  add_point_of_slope(max_slope);
}

/// An edge across the opening of a sheet may have a minimum on each side of the axis.
void AppendEdgeMinima(const CoreAtWall& core, std::size_t e, const ShapePart& part, double limit,
                      std::vector<WallMinimum>& minima) {
  const PolyhedronEdge& edge = core.shape->edges[e];
  const Vec3 &from = core.vertices[edge.from], &to = core.vertices[edge.to], direction = to - from;
  const double length = direction.norm();
  if (NearestSurface(part, 0.5 * (from + to)).distance > limit + 0.5 * length) return;
  const auto [low_end, high_begin] = DivideAtOpening(from, direction, part);
  if (low_end > 0.0) AppendEdgeMinima(core, e, 0.0, low_end, part, limit, minima);
  if (high_begin < 1.0) AppendEdgeMinima(core, e, high_begin, 1.0, part, limit, minima);
}

void AppendVertexMinima(const CoreAtWall& core, const TriangleMesh& mesh, Index feature,
                        double limit, std::vector<WallMinimum>& minima) {
  const Vec3& p = mesh.VertexPosition(feature);
  const auto add = [&](std::uint16_t core_feature, const Vec3& x, const Vec3& edge) {
    if (!mesh.IsLocalMinimum(feature, p, x, kParallel)) return;
    minima.push_back({core_feature, x, mesh.SurfacePointFrom(feature, p, x), feature, edge});
  };
  for (std::size_t f = 0; f < core.normals.size(); ++f) {
    const double height = HeightAboveFace(core, f, p, limit);
    if (height <= 0.0) continue;
    add(core.shape->FeatureOfFace(f), p - height * core.normals[f], Vec3::Zero());
  }
  for (std::size_t e = 0; e < core.shape->edges.size(); ++e) {
    const PolyhedronEdge& edge = core.shape->edges[e];
    const Vec3 &from = core.vertices[edge.from], direction = core.vertices[edge.to] - from;
    const double fraction = (p - from).dot(direction) / direction.squaredNorm();
    const Vec3 x = from + fraction * direction;
    if (!(fraction > 0.0 && fraction < 1.0 && (x - p).squaredNorm() <= limit * limit)) continue;
    if (!IsInEdgeCone(core, edge, direction, x - p)) continue;
    add(core.shape->FeatureOfEdge(e), x, direction.normalized());
  }
}

void AppendEdgeMinima(const CoreAtWall& core, const TriangleMesh& mesh, Index feature, double limit,
                      std::vector<WallMinimum>& minima) {
  const std::array<Vec3, 2> ends = mesh.EndsOf(feature);
  const Edge wall_edge = {ends[0], ends[1] - ends[0]};
  for (std::size_t e = 0; e < core.shape->edges.size(); ++e) {
    const PolyhedronEdge& edge = core.shape->edges[e];
    const Vec3 &from = core.vertices[edge.from], direction = core.vertices[edge.to] - from;
    const std::optional<EdgePair> nearest = NearestInside({from, direction}, wall_edge, limit);
    if (!nearest) continue;
    const Vec3 &x = nearest->on_first, &point = nearest->on_second;
    if (!IsInEdgeCone(core, edge, direction, x - point) ||
        !mesh.IsLocalMinimum(feature, point, x, kParallel)) {
      continue;
    }
    minima.push_back(
        {core.shape->FeatureOfEdge(e), x, mesh.SurfacePointFrom(feature, point, x), feature});
  }
}

}  // namespace

bool HasEdgeContacts(const ShapePart& part) { return !std::holds_alternative<Plane>(part); }

void AppendMinima(const CoreAtWall& core, const ShapePart& part, double limit,
                  std::vector<WallMinimum>& minima) {
  std::visit([&](const auto& solid) { AppendFaceMinima(core, solid, limit, minima); }, part);
  for (std::size_t e = 0; e < core.shape->edges.size(); ++e) {
    AppendEdgeMinima(core, e, part, limit, minima);
  }
}

void AppendMinima(const CoreAtWall& core, const TriangleMesh& mesh,
                  std::span<const Index> triangles, double limit, std::vector<Index>& features,
                  std::vector<WallMinimum>& minima) {
  mesh.FindSharpFeatures(triangles, features);
  for (const Index feature : features) {
    const std::array<Vec3, 2> ends =
        mesh.IsVertex(feature)
            ? std::array{mesh.VertexPosition(feature), mesh.VertexPosition(feature)}
            : mesh.EndsOf(feature);
    if (Separates(core, ends, limit)) continue;
    if (mesh.IsVertex(feature)) {
      AppendVertexMinima(core, mesh, feature, limit, minima);
    } else {
      AppendEdgeMinima(core, mesh, feature, limit, minima);
    }
  }
  std::erase_if(minima,
                [](const WallMinimum& minimum) { return !(minimum.surface.distance > 0.0); });
}

}  // namespace scree
