#include "engine/scene/wall_images.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace scree {
namespace {

/// The shifts of a wall and its images along an axis. The first shift is zero.
struct Shifts {
  std::array<double, 4> values = {};
  std::size_t count = 1;

  void Add(double shift) {
    if (shift != 0.0) values[count++] = shift;
  }
  const double* begin() const { return values.data(); }
  const double* end() const { return values.data() + count; }
};

/// Walls may move any number of periods away, so shifts are counted from the image whose centre is
/// nearest to the centre of the domain.
Shifts ShiftsAlong(double lower, double upper, double begin, double end, double reach,
                   double overhang) {
  Shifts shifts;
  const double length = end - begin;
  const auto is_infinite = [&](double shift) {
    return lower + shift <= begin - overhang && upper + shift >= end + overhang;
  };
  if (is_infinite(0.0)) return shifts;
  const double nearest = -std::nearbyint(0.5 * (lower + upper - begin - end) / length);
  if (is_infinite(nearest * length)) {
    shifts.Add(nearest * length);
    return shifts;
  }
  for (const double periods : {nearest, nearest - 1.0, nearest + 1.0}) {
    const double shift = periods * length;
    if (upper + shift > begin - reach && lower + shift < end + reach) shifts.Add(shift);
  }
  return shifts;
}

Box BoundsInSpace(const Shape& shape, const WallPose& pose) {
  const Box bounds = BoundingBox(shape);
  const Vec3 middle = pose.InSpace(0.5 * (bounds.lower + bounds.upper));
  const Vec3 half = 0.5 * bounds.Extent();
  const Vec3 reach = pose.is_rotated ? Vec3(pose.rotation.cwiseAbs() * half) : half;
  return {middle - reach, middle + reach};
}

Shape WithoutPlanes(Shape shape) {
  std::erase_if(shape.parts,
                [](const ShapePart& part) { return std::holds_alternative<Plane>(part); });
  return shape;
}

}  // namespace

void AppendImages(const Scene& scene, std::size_t wall, const WallPose& pose, double reach,
                  double overhang, std::vector<WallImage>& images) {
  const Domain& domain = scene.domain;
  if (std::ranges::none_of(domain.periodic, [](bool periodic) { return periodic; })) return;
  const Shape shape = WithoutPlanes(scene.walls[wall].shape);
  if (shape.parts.empty() || !IsLoaded(shape)) return;
  const Box bounds = BoundsInSpace(shape, pose);
  std::array<Shifts, 3> shifts;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    if (!domain.periodic[axis]) continue;
    const auto a = static_cast<Eigen::Index>(axis);
    shifts[axis] = ShiftsAlong(bounds.lower[a], bounds.upper[a], domain.box.lower[a],
                               domain.box.upper[a], reach, overhang);
  }
  for (const double z : shifts[2]) {
    for (const double y : shifts[1]) {
      for (const double x : shifts[0]) {
        const Vec3 shift(x, y, z);
        if (!shift.isZero(0.0)) images.push_back({static_cast<Index>(wall), shift, shape});
      }
    }
  }
}

PlacedWalls::PlacedWalls(const Scene& scene, const std::vector<WallPose>& poses,
                         std::span<const MaterialId> materials, double reach) {
  for (std::size_t w = 0; w < poses.size(); ++w) {
    const bool stops_any = std::ranges::any_of(
        materials, [&](MaterialId material) { return scene.walls[w].Stops(material); });
    if (!poses[w].is_present || !stops_any) continue;
    AppendImages(scene, w, poses[w], reach, reach, images_);
    all_.push_back({&scene.walls[w].shape, poses[w]});
  }
  for (const WallImage& image : images_) {
    all_.push_back(
        {&image.shape, Shifted(poses[static_cast<std::size_t>(image.wall)], image.shift)});
  }
}

bool PlacedWalls::HasWallWithin(const Vec3& x, double limit) const {
  return std::ranges::any_of(all_, [&](const PlacedShape& wall) {
    return IsWithin(*wall.shape, wall.pose.InShape(x), limit);
  });
}

}  // namespace scree
