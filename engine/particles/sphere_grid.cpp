#include "engine/particles/sphere_grid.hpp"

#include <algorithm>
#include <cmath>

namespace scree {
namespace {

/// Width at which there is about one sphere per cell, and not many more cells than spheres [m].
double WidthFor(const Box& bounds, const std::vector<PlacedSphere>& spheres) {
  const double count = std::max(1.0, static_cast<double>(spheres.size()));
  double sum = 0.0;
  for (const PlacedSphere& sphere : spheres) sum += sphere.radius;
  const double width = std::max(2.0 * sum / count, std::cbrt(bounds.Extent().prod() / count));
  return width > 0.0 ? width : 1.0;  // a box with neither volume nor spheres is one cell
}

}  // namespace

SphereGrid::SphereGrid(const Box& bounds, double width) : bounds_(bounds), width_(width) {
  for (int axis = 0; axis < 3; ++axis) {
    cells_[axis] = static_cast<std::int64_t>(bounds.Extent()[axis] / width_) + 1;
  }
  first_.assign(static_cast<std::size_t>(cells_.prod()), -1);
}

SphereGrid::SphereGrid(const Box& bounds, const std::vector<PlacedSphere>& spheres)
    : SphereGrid(bounds, WidthFor(bounds, spheres)) {
  for (const PlacedSphere& sphere : spheres) Add(sphere);
}

void SphereGrid::Add(const PlacedSphere& sphere) {
  spheres_.push_back(sphere);
  AnyCell(sphere, [&](std::size_t cell) {
    links_.push_back({spheres_.size() - 1, first_[cell]});
    first_[cell] = static_cast<std::int64_t>(links_.size()) - 1;
    return false;
  });
}

bool SphereGrid::Overlaps(const Vec3& position, double radius) const {
  const PlacedSphere sphere{position, radius};
  return AnyCell(sphere, [&](std::size_t cell) { return OverlapsIn(first_[cell], sphere); });
}

/// The cell of a position, clamped to the bounds.
SphereGrid::Cell SphereGrid::CellOf(const Vec3& position) const {
  Cell cell;
  for (int axis = 0; axis < 3; ++axis) {
    const double coordinate = std::floor((position[axis] - bounds_.lower[axis]) / width_);
    const auto last = static_cast<double>(cells_[axis] - 1);
    cell[axis] = static_cast<std::int64_t>(std::clamp(coordinate, 0.0, last));
  }
  return cell;
}

/// Calls action(number) for the cells that overlap the box around a sphere, until an action returns
/// true. @returns whether an action returned true
template <class Action>
bool SphereGrid::AnyCell(const PlacedSphere& sphere, Action&& action) const {
  const Cell from = CellOf(sphere.centre - Vec3::Constant(sphere.radius));
  const Cell to = CellOf(sphere.centre + Vec3::Constant(sphere.radius));
  for (std::int64_t z = from[2]; z <= to[2]; ++z) {
    for (std::int64_t y = from[1]; y <= to[1]; ++y) {
      for (std::int64_t x = from[0]; x <= to[0]; ++x) {
        if (action(static_cast<std::size_t>((z * cells_[1] + y) * cells_[0] + x))) return true;
      }
    }
  }
  return false;
}

bool SphereGrid::OverlapsIn(std::int64_t first, const PlacedSphere& sphere) const {
  for (std::int64_t k = first; k >= 0; k = links_[static_cast<std::size_t>(k)].next) {
    const PlacedSphere& other = spheres_[links_[static_cast<std::size_t>(k)].sphere];
    const double contact_distance = sphere.radius + other.radius;
    if ((sphere.centre - other.centre).squaredNorm() < contact_distance * contact_distance)
      return true;
  }
  return false;
}

std::vector<PlacedSphere> ImagesIn(const Box& bounds, const PeriodicImages& images,
                                   const PlacedSphere& sphere) {
  std::vector<Image> neighbours = {{0, 0, 0}};
  for (std::size_t axis = 0; axis < 3; ++axis) {
    if (!images.GetDomain().periodic[axis]) continue;
    for (std::size_t k = neighbours.size(); k-- > 0;) {
      for (const std::int8_t side : {std::int8_t{-1}, std::int8_t{1}}) {
        Image image = neighbours[k];
        image[axis] = side;
        neighbours.push_back(image);
      }
    }
  }
  const Vec3 wrapped = images.Wrap(sphere.centre);
  std::vector<PlacedSphere> found;
  for (const Image& image : neighbours) {
    const Vec3 centre = wrapped + images.Shift(image);
    if (bounds.Distance(centre) < sphere.radius) found.push_back({centre, sphere.radius});
  }
  return found;
}

}  // namespace scree
