#include "engine/shapes.hpp"

#include <algorithm>
#include <cmath>

namespace scree {
namespace {

SurfacePoint Nearest(const Plane& plane, const Vec3& x) {
  return {plane.normal.dot(x - plane.point), plane.normal};
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

/// In the plane through the axis and x the cylinder is a rectangle: coordinates along the axis and
/// away from it.
SurfacePoint Nearest(const Cylinder& cylinder, const Vec3& x) {
  const Vec3 span = cylinder.to - cylinder.from;
  const double length = span.norm();
  const Vec3 axis = span / length;
  const double along = axis.dot(x - cylinder.from);
  const Vec3 away = x - cylinder.from - along * axis;
  const double away_norm = away.norm();
  const Vec3 radial = away_norm > 0.0 ? Vec3(away / away_norm) : axis.unitOrthogonal();

  const double beyond_side = away_norm - cylinder.radius;
  const double beyond_end = std::max(-along, along - length);
  const Vec3 end_normal = along > 0.5 * length ? axis : Vec3(-axis);
  if (beyond_side > 0.0 && beyond_end > 0.0) {
    const double distance = std::hypot(beyond_side, beyond_end);
    return {distance, (beyond_side * radial + beyond_end * end_normal) / distance};
  }
  if (beyond_side >= beyond_end) return {beyond_side, radial};
  return {beyond_end, end_normal};
}

constexpr double kInfinity = std::numeric_limits<double>::infinity();

Box Bounds(const Plane&) { return {Vec3::Constant(-kInfinity), Vec3::Constant(kInfinity)}; }

Box Bounds(const Block& block) { return block.box; }

Box Bounds(const Cylinder& cylinder) {
  const Vec3 axis = (cylinder.to - cylinder.from).normalized();
  const Vec3 reach = cylinder.radius * (1.0 - axis.array().square()).max(0.0).sqrt().matrix();
  return {cylinder.from.cwiseMin(cylinder.to) - reach, cylinder.from.cwiseMax(cylinder.to) + reach};
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
    const Box one = std::visit([](const auto& solid) { return Bounds(solid); }, part);
    bounds.lower = bounds.lower.cwiseMin(one.lower);
    bounds.upper = bounds.upper.cwiseMax(one.upper);
  }
  return bounds;
}

}  // namespace scree
