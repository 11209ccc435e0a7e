/// \file  Spheres in a box, to find out what a further one would overlap.
#pragma once

#include <cstdint>
#include <vector>

#include "engine/geometry/box.hpp"
#include "solvers/base/types.hpp"

namespace scree {

struct PlacedSphere {
  Vec3 place = Vec3::Zero();  // [m]
  double radius = 0.0;        // [m]
};

/// Each sphere is in every cell of a grid that it may reach into, so that another one looks for it
/// in its own cells only, however large either is.
class SphereGrid {
 public:
  /// @param bounds  where it is asked for overlaps
  /// @param width   of a cell [m], > 0; fastest at about a diameter
  SphereGrid(const Box& bounds, double width);
  /// One whose cells fit these spheres, which it holds.
  SphereGrid(const Box& bounds, const std::vector<PlacedSphere>& spheres);

  void Add(const PlacedSphere& sphere);

  bool Overlaps(const Vec3& place, double radius) const;

 private:
  using Cell = Eigen::Matrix<std::int64_t, 3, 1>;

  Cell CellOf(const Vec3& place) const;
  template <class Action>
  bool AnyCell(const PlacedSphere& sphere, Action&& action) const;
  bool OverlapsIn(std::int64_t first, const PlacedSphere& sphere) const;

  /// A sphere in a cell, and the link of the next one there; −1 ends the chain.
  struct Link {
    std::size_t sphere;
    std::int64_t next;
  };

  Box bounds_;
  double width_;
  Cell cells_;
  std::vector<std::int64_t> first_;  // link of each cell
  std::vector<Link> links_;
  std::vector<PlacedSphere> spheres_;
};

/// The periodic images of a sphere, itself among them, that reach into the bounds.
std::vector<PlacedSphere> ImagesIn(const Box& bounds, const Domain& domain,
                                   const PlacedSphere& sphere);

}  // namespace scree
