#include "engine/geometry/region.hpp"

#include <algorithm>
#include <numbers>

namespace scree {
namespace {

/// Fraction of a radius: tolerance for spheres that touch the border.
constexpr double kTouchRounding = 1e-9;

/// The solid with the shape of the region.
ShapePart SolidOf(const Region& region) {
  if (const auto* box = std::get_if<Box>(&region)) return Block{*box};
  if (const auto* cylinder = std::get_if<Cylinder>(&region)) return *cylinder;
  return std::get<Ball>(region);
}

Vec3 MiddleOf(const Region& region) {
  const Box bounds = BoundsOf(region);
  return 0.5 * (bounds.lower + bounds.upper);
}

}  // namespace

Box BoundsOf(const Region& region) {
  if (const auto* box = std::get_if<Box>(&region)) return *box;
  return BoundingBox(Shape{{SolidOf(region)}});
}

double VolumeOf(const Region& region) {
  if (const auto* box = std::get_if<Box>(&region)) return box->Extent().prod();
  if (const auto* cylinder = std::get_if<Cylinder>(&region)) {
    return std::numbers::pi * cylinder->radius * cylinder->radius *
           (cylinder->to - cylinder->from).norm();
  }
  const double radius = std::get<Ball>(region).radius;
  return 4.0 / 3.0 * std::numbers::pi * radius * radius * radius;
}

bool Contains(const Region& region, const Vec3& centre, double radius) {
  return NearestSurface(SolidOf(region), centre).distance <= -radius * (1.0 - kTouchRounding);
}

bool HasRoom(const Region& region, double radius) {
  return Contains(region, MiddleOf(region), radius);
}

}  // namespace scree
