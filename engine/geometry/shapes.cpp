#include "engine/geometry/shapes.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "engine/geometry/surface_triangles.hpp"
#include "engine/geometry/triangle_mesh.hpp"

namespace scree {
namespace {

SurfacePoint Nearest(const Plane& plane, const Vec3& x) {
  return {plane.Distance(x), plane.normal};
}

SurfacePoint Nearest(const Block& block, const Vec3& x) {
  const Vec3 below = block.box.lower - x;
  const Vec3 above = x - block.box.upper;
  const Vec3 outside = above.cwiseMax(0.0) - below.cwiseMax(0.0);
  const double distance = outside.norm();
  if (distance > 0.0) return {distance, outside / distance};

  SurfacePoint nearest{-std::numeric_limits<double>::infinity(), Vec3::UnitX()};
  for (int axis = 0; axis < 3; ++axis) {
    const double side = std::max(below[axis], above[axis]);
    if (side <= nearest.distance) continue;
    nearest.distance = side;
    nearest.normal = Vec3::Unit(axis) * (above[axis] > below[axis] ? 1.0 : -1.0);
  }
  return nearest;
}

/// In the plane through the axis and x the cylinder is a rectangle, with coordinates along the axis
/// and perpendicular to the axis.
SurfacePoint Nearest(const Cylinder& cylinder, const Vec3& x) {
  const Vec3 span = cylinder.to - cylinder.from;
  const double length = span.norm();
  const Vec3 axis = span / length;
  const double axial = axis.dot(x - cylinder.from);
  const Vec3 away = x - cylinder.from - axial * axis;
  const double away_norm = away.norm();
  const Vec3 radial = away_norm > 0.0 ? Vec3(away / away_norm) : axis.unitOrthogonal();

  const double beyond_side = away_norm - cylinder.radius;
  const double beyond_end = std::max(-axial, axial - length);
  const Vec3 end_normal = axial > 0.5 * length ? axis : Vec3(-axis);
  if (beyond_side > 0.0 && beyond_end > 0.0) {
    const double distance = std::hypot(beyond_side, beyond_end);
    return {distance, (beyond_side * radial + beyond_end * end_normal) / distance};
  }
  if (beyond_side >= beyond_end) return {beyond_side, radial};
  return {beyond_end, end_normal};
}

SurfacePoint Nearest(const Ball& ball, const Vec3& x) {
  const Vec3 away = x - ball.centre;
  const double distance = away.norm();
  return {distance - ball.radius, distance > 0.0 ? Vec3(away / distance) : Vec3(Vec3::UnitZ())};
}

/// The surface that a segment sweeps about an axis. The segment goes from (0, radius) to
/// (length, end_radius), with coordinates along the axis and perpendicular to the axis.
struct SweptSegment {
  Vec3 from;
  Vec3 axis;  // unit vector
  double length, radius, end_radius;
};

SweptSegment MakeSweptSegment(const Vec3& from, const Vec3& to, double radius, double end_radius) {
  const double length = (to - from).norm();
  return {from, (to - from) / length, length, radius, end_radius};
}
SweptSegment MakeSweptSegment(const Pipe& pipe) {
  return MakeSweptSegment(pipe.from, pipe.to, pipe.radius, pipe.radius);
}
SweptSegment MakeSweptSegment(const Cone& cone) {
  return MakeSweptSegment(cone.from, cone.to, cone.from_radius, cone.to_radius);
}
SweptSegment MakeSweptSegment(const Disk& disk) {
  return {disk.centre, disk.normal, 0.0, disk.hole, disk.radius};
}

SurfacePoint Nearest(const SweptSegment& segment, const Vec3& x) {
  const double axial = segment.axis.dot(x - segment.from);
  const Vec3 away = x - segment.from - axial * segment.axis;
  const double away_norm = away.norm();
  const Vec3 radial = away_norm > 0.0 ? Vec3(away / away_norm) : segment.axis.unitOrthogonal();

  const double widening = segment.end_radius - segment.radius;
  const double square = segment.length * segment.length + widening * widening;
  const double fraction = std::clamp(
      (axial * segment.length + (away_norm - segment.radius) * widening) / square, 0.0, 1.0);
  const double axial_offset = axial - fraction * segment.length;
  const double radial_offset = away_norm - segment.radius - fraction * widening;
  const double distance = std::hypot(axial_offset, radial_offset);
  if (distance > 0.0)
    return {distance, (axial_offset * segment.axis + radial_offset * radial) / distance};
  // x is on the sheet: either side is correct.
  return {0.0, (widening * segment.axis - segment.length * radial) / std::sqrt(square)};
}

SurfacePoint Nearest(const Pipe& pipe, const Vec3& x) { return Nearest(MakeSweptSegment(pipe), x); }
SurfacePoint Nearest(const Cone& cone, const Vec3& x) { return Nearest(MakeSweptSegment(cone), x); }
SurfacePoint Nearest(const Disk& disk, const Vec3& x) { return Nearest(MakeSweptSegment(disk), x); }

constexpr double kInfinity = std::numeric_limits<double>::infinity();

SurfacePoint Nearest(const Mesh& mesh, const Vec3& x) {
  return mesh.surface ? mesh.surface->Nearest(x, kInfinity) : SurfacePoint();
}

Box Bounds(const Plane&) { return {Vec3::Constant(-kInfinity), Vec3::Constant(kInfinity)}; }

Box Bounds(const Block& block) { return block.box; }

Box BoundsOfCircle(const Vec3& centre, const Vec3& axis, double radius) {
  const Vec3 half_extent = radius * (1.0 - axis.array().square()).max(0.0).sqrt().matrix();
  return {centre - half_extent, centre + half_extent};
}

Box Joined(const Box& a, const Box& b) {
  return {a.lower.cwiseMin(b.lower), a.upper.cwiseMax(b.upper)};
}

Box Bounds(const Cylinder& cylinder) {
  const Vec3 axis = (cylinder.to - cylinder.from).normalized();
  return Joined(BoundsOfCircle(cylinder.from, axis, cylinder.radius),
                BoundsOfCircle(cylinder.to, axis, cylinder.radius));
}

Box Bounds(const Ball& ball) {
  const Vec3 half_extent = Vec3::Constant(ball.radius);
  return {ball.centre - half_extent, ball.centre + half_extent};
}

Box Bounds(const Mesh& mesh) {
  if (!mesh.surface) return {Vec3::Constant(kInfinity), Vec3::Constant(-kInfinity)};
  return mesh.surface->Bounds();
}

template <class Sheet>
Box Bounds(const Sheet& sheet) {
  const SweptSegment segment = MakeSweptSegment(sheet);
  const Vec3 to = segment.from + segment.length * segment.axis;
  return Joined(BoundsOfCircle(segment.from, segment.axis, segment.radius),
                BoundsOfCircle(to, segment.axis, segment.end_radius));
}

/// An axis in space. The tests are exact to rounding.
struct Axis {
  Vec3 point, direction;  // unit vector

  bool IsParallelTo(const Vec3& vector) const {
    return vector.cross(direction).norm() <= kRounding * vector.norm();
  }
  /// @param size  of the object at x [m]
  bool Contains(const Vec3& x, double size) const {
    return (x - point).cross(direction).norm() <= kRounding * size;
  }
  static constexpr double kRounding = 1e-9;
};

bool IsSymmetricAbout(const Plane& plane, const Axis& axis) {
  return axis.IsParallelTo(plane.normal);
}
bool IsSymmetricAbout(const Block&, const Axis&) { return false; }
bool IsSymmetricAbout(const Mesh&, const Axis&) { return false; }
bool IsSymmetricAbout(const Ball& ball, const Axis& axis) {
  return axis.Contains(ball.centre, ball.radius);
}
bool IsSymmetricAbout(const Cylinder& cylinder, const Axis& axis) {
  return axis.IsParallelTo(cylinder.to - cylinder.from) &&
         axis.Contains(cylinder.from, cylinder.radius);
}
template <class Sheet>
bool IsSymmetricAbout(const Sheet& sheet, const Axis& axis) {
  const SweptSegment segment = MakeSweptSegment(sheet);
  return axis.IsParallelTo(segment.axis) &&
         axis.Contains(segment.from, std::max(segment.radius, segment.end_radius));
}

Interior InteriorOfPart(const Plane&) { return Interior::kHalfSpace; }
Interior InteriorOfPart(const Block&) { return Interior::kConvex; }
Interior InteriorOfPart(const Cylinder&) { return Interior::kConvex; }
Interior InteriorOfPart(const Ball&) { return Interior::kConvex; }
template <class Sheet>
Interior InteriorOfPart(const Sheet& sheet) {
  static_cast<void>(MakeSweptSegment(sheet));  // compiles only for surfaces swept by a segment
  return Interior::kNone;
}
Interior InteriorOfPart(const Mesh& mesh) {
  switch (mesh.solid) {
    case MeshSolid::kInside:
      return Interior::kInside;
    case MeshSolid::kOutside:
      return Interior::kOutside;
    case MeshSolid::kNo:
      break;
  }
  return Interior::kNone;
}

void Draw(const Plane& plane, const Box& domain, SurfaceTriangles& surface) {
  surface.AddPlane(plane.point, plane.normal, domain);
}

void Draw(const Block& block, const Box&, SurfaceTriangles& surface) { surface.AddBox(block.box); }

void Draw(const Cylinder& cylinder, const Box&, SurfaceTriangles& surface) {
  const double length = (cylinder.to - cylinder.from).norm(), radius = cylinder.radius;
  surface.AddSwept(cylinder.from, (cylinder.to - cylinder.from) / length,
                   {{0.0, 0.0}, {0.0, radius}, {length, radius}, {length, 0.0}});
}

void Draw(const Ball& ball, const Box&, SurfaceTriangles& surface) {
  std::vector<ProfilePoint> profile = {{-ball.radius, 0.0}};
  const int rings = surface.sides / 4;
  for (int k = 1; k < rings; ++k) {
    const double angle = std::numbers::pi * k / rings;
    profile.push_back({-ball.radius * std::cos(angle), ball.radius * std::sin(angle)});
  }
  profile.push_back({ball.radius, 0.0});
  surface.AddSwept(ball.centre, Vec3::UnitZ(), profile);
}

void Draw(const Pipe& pipe, const Box&, SurfaceTriangles& surface) {
  const double length = (pipe.to - pipe.from).norm();
  surface.AddSwept(pipe.from, (pipe.to - pipe.from) / length,
                   {{0.0, pipe.radius}, {length, pipe.radius}});
}

void Draw(const Cone& cone, const Box&, SurfaceTriangles& surface) {
  const double length = (cone.to - cone.from).norm();
  surface.AddSwept(cone.from, (cone.to - cone.from) / length,
                   {{0.0, cone.from_radius}, {length, cone.to_radius}});
}

void Draw(const Disk& disk, const Box&, SurfaceTriangles& surface) {
  surface.AddSwept(disk.centre, disk.normal, {{0.0, disk.radius}, {0.0, disk.hole}});
}

void Draw(const Mesh& mesh, const Box&, SurfaceTriangles& surface) {
  if (!mesh.surface) return;
  const std::size_t first = surface.points.size();
  const std::vector<Vec3>& vertices = mesh.surface->Vertices();
  surface.points.insert(surface.points.end(), vertices.begin(), vertices.end());
  for (const auto& [a, b, c] : mesh.surface->Corners()) {
    surface.triangles.push_back({first + static_cast<std::size_t>(a),
                                 first + static_cast<std::size_t>(b),
                                 first + static_cast<std::size_t>(c)});
  }
}

}  // namespace

SurfacePoint NearestSurface(const ShapePart& part, const Vec3& x) {
  return std::visit([&x](const auto& solid) { return Nearest(solid, x); }, part);
}

SurfacePoint NearestSurface(const Shape& shape, const Vec3& x) {
  SurfacePoint nearest;
  for (const ShapePart& part : shape.parts) {
    const SurfacePoint candidate = NearestSurface(part, x);
    if (candidate.distance < nearest.distance) nearest = candidate;
  }
  return nearest;
}

Box BoundingBox(const Shape& shape) {
  Box bounds{Vec3::Constant(kInfinity), Vec3::Constant(-kInfinity)};
  for (const ShapePart& part : shape.parts) {
    const Box part_bounds = std::visit([](const auto& solid) { return Bounds(solid); }, part);
    bounds = Joined(bounds, part_bounds);
  }
  return bounds;
}

bool IsWithin(const Shape& shape, const Vec3& x, double limit) {
  if (const TriangleMesh* mesh = MeshOf(shape)) {
    // Deep inside a solid the surface may be farther than `limit`.
    if (!mesh->IsSheet()) return mesh->Nearest(x, kInfinity).distance < limit;
    return mesh->Nearest(x, limit).distance < limit;
  }
  return NearestSurface(shape, x).distance < limit;
}

const TriangleMesh* MeshOf(const Shape& shape) {
  const auto* mesh = shape.parts.size() == 1 ? std::get_if<Mesh>(&shape.parts[0]) : nullptr;
  return mesh == nullptr ? nullptr : mesh->surface.get();
}

const Plane* PlaneOf(const Shape& shape) {
  return shape.parts.size() == 1 ? std::get_if<Plane>(&shape.parts[0]) : nullptr;
}

bool IsLoaded(const Shape& shape) {
  return std::none_of(shape.parts.begin(), shape.parts.end(), [](const ShapePart& part) {
    const auto* mesh = std::get_if<Mesh>(&part);
    return mesh != nullptr && !mesh->surface;
  });
}

bool IsAxisymmetric(const Shape& shape, const Vec3& point, const Vec3& direction) {
  const Axis axis{point, direction.normalized()};
  return std::all_of(shape.parts.begin(), shape.parts.end(), [&](const ShapePart& part) {
    return std::visit([&](const auto& solid) { return IsSymmetricAbout(solid, axis); }, part);
  });
}

Interior InteriorOf(const ShapePart& part) {
  return std::visit([](const auto& solid) { return InteriorOfPart(solid); }, part);
}

void AddTriangles(const ShapePart& part, const Box& domain, SurfaceTriangles& surface) {
  std::visit([&](const auto& solid) { Draw(solid, domain, surface); }, part);
}

}  // namespace scree
