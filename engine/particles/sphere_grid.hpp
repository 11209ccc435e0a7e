/// \file  Spheres in a box, to test whether another sphere overlaps any of them.
#pragma once

#include <cstdint>
#include <vector>

#include "engine/geometry/box.hpp"
#include "engine/geometry/periodic_images.hpp"
#include "solvers/base/types.hpp"

namespace scree {

struct PlacedSphere {
  Vec3 centre = Vec3::Zero();  // [m]
  double radius = 0.0;         // [m]
};

/// Each sphere is listed in all cells of a grid that its bounding box touches. A test of a sphere
/// then visits only the cells that its own bounding box touches, for spheres of any sizes.
class SphereGrid {
 public:
  /// @param bounds  region of the tests
  /// @param width   of a cell [m], > 0; about a diameter is fastest
  SphereGrid(const Box& bounds, double width);
  /// A grid that contains these spheres, with about one sphere per cell.
  SphereGrid(const Box& bounds, const std::vector<PlacedSphere>& spheres);

  void Add(const PlacedSphere& sphere);

  /// Whether a sphere at this position overlaps any of the spheres.
  bool Overlaps(const Vec3& position, double radius) const;

 private:
  using Cell = Eigen::Matrix<std::int64_t, 3, 1>;

  Cell CellOf(const Vec3& position) const;
  template <class Action>
  bool AnyCell(const PlacedSphere& sphere, Action&& action) const;
  bool OverlapsIn(std::int64_t first, const PlacedSphere& sphere) const;

  /// A sphere in a cell, and the index of the next link of this cell; −1 ends the chain.
  struct Link {
    std::size_t sphere;
    std::int64_t next;
  };

  Box bounds_;
  double width_;
  Cell cells_;
  std::vector<std::int64_t> first_;  // first link of each cell
  std::vector<Link> links_;
  std::vector<PlacedSphere> spheres_;
};

/// Of a sphere and its periodic images, those that reach into the bounds.
/// @param sphere  its centre may be many periods away: a uniform flow needs no new lists, which
///                would wrap it
std::vector<PlacedSphere> ImagesIn(const Box& bounds, const PeriodicImages& images,
                                   const PlacedSphere& sphere);

}  // namespace scree
