/// \file  Points sorted into cubic cells, for finding what is near.
#pragma once

#include <algorithm>
#include <array>
#include <span>
#include <vector>

#include "solvers/types.hpp"

namespace scree {

class CellGrid {
 public:
  /// Sorts the points into cells at least `cell_size` wide over their bounding box; wider where
  /// there would be many more cells than points. @pre all coordinates finite
  CellGrid(std::span<const Vec3> points, double cell_size);

  /// The points' indices cell after cell, x fastest, in their own order inside a cell: neighbours
  /// in space are near in this order.
  const std::vector<Index>& Order() const { return order_; }

  /// Calls visit(index, point) for every point within `cell_size` of x, and for some farther ones.
  /// @pre x is one of the points, or within a cell of them
  template <class Visit>
  void VisitNear(const Vec3& x, Visit&& visit) const {
    const std::array<Index, 3> cell = CellOf(x);
    const std::size_t x_first = static_cast<std::size_t>(std::max(cell[0] - 1, 0));
    const std::size_t x_last = static_cast<std::size_t>(std::min(cell[0] + 1, cells_[0] - 1));
    for (Index z = std::max(cell[2] - 1, 0); z <= std::min(cell[2] + 1, cells_[2] - 1); ++z) {
      for (Index y = std::max(cell[1] - 1, 0); y <= std::min(cell[1] + 1, cells_[1] - 1); ++y) {
        // Cells of a row are adjacent, and so are their points.
        const std::size_t row = Row(y, z);
        const auto end = static_cast<std::size_t>(first_[row + x_last + 1]);
        for (auto k = static_cast<std::size_t>(first_[row + x_first]); k < end; ++k) {
          visit(order_[k], sorted_[k]);
        }
      }
    }
  }

 private:
  std::array<Index, 3> CellOf(const Vec3& x) const {
    std::array<Index, 3> cell;
    for (int axis = 0; axis < 3; ++axis) {
      const auto n = cells_[static_cast<std::size_t>(axis)];
      const double number = (x[axis] - lower_[axis]) * inverse_size_[axis];
      cell[static_cast<std::size_t>(axis)] =
          static_cast<Index>(std::clamp(number, 0.0, static_cast<double>(n - 1)));
    }
    return cell;
  }
  std::size_t Row(Index y, Index z) const {
    return static_cast<std::size_t>(cells_[0]) *
           (static_cast<std::size_t>(y) +
            static_cast<std::size_t>(cells_[1]) * static_cast<std::size_t>(z));
  }

  Vec3 lower_ = Vec3::Zero();
  Vec3 inverse_size_ = Vec3::Zero();
  std::array<Index, 3> cells_ = {1, 1, 1};
  std::vector<Index> first_;  // one per cell and one more: where its points start in order_
  std::vector<Index> order_;
  std::vector<Vec3> sorted_;  // the points in that order
};

}  // namespace scree
