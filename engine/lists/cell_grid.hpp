/// \file  Points sorted into the cells of a regular grid, to find neighbours.
#pragma once

#include <algorithm>
#include <array>
#include <span>
#include <vector>

#include "solvers/base/types.hpp"

namespace scree {

class CellGrid {
 public:
  CellGrid() = default;
  CellGrid(std::span<const Vec3> points, double cell_size) { Sort(points, cell_size); }

  /// Sorts the points into cells over their bounding box. Cells are at least `cell_size` wide, and
  /// wider if there would be many more cells than points. Reuses memory.
  /// @pre all coordinates finite; cell_size > 0 if there are points
  void Sort(std::span<const Vec3> points, double cell_size);

  /// The indices of the points, sorted by cell; points in one cell keep their input order. The
  /// cells are numbered layer by layer along the longest side. Neighbours in space are then never
  /// far apart in this order, which the pipelined sweeps need (solvers/sweeps/block_gauss_seidel).
  const std::vector<Index>& Order() const { return order_; }

  /// Capacity of the arrays [bytes].
  std::size_t Bytes() const {
    return (first_.capacity() + order_.capacity() + cell_of_point_.capacity() + next_.capacity()) *
           sizeof(Index);
  }

  /// Calls visit(begin, end) with disjoint ranges of slots in Order(). Together they contain all
  /// points closer to x than `distance`, and possibly some farther ones.
  template <class Visit>
  void VisitRunsNear(const Vec3& x, double distance, Visit&& visit) const {
    const Cell low = CellOf(x - Vec3::Constant(distance)),
               high = CellOf(x + Vec3::Constant(distance));
    for (Index layer = low[2]; layer <= high[2]; ++layer) {
      for (Index row = low[1]; row <= high[1]; ++row) {
        VisitRun(low[0], high[0], row, layer, 0, visit);
      }
    }
  }

  /// As VisitRunsNear for the point x in slot k, but only slots after k, so that each pair occurs
  /// once.
  template <class Visit>
  void VisitRunsAfter(std::size_t k, const Vec3& x, double distance, Visit&& visit) const {
    const Cell low = CellOf(x - Vec3::Constant(distance)),
               high = CellOf(x + Vec3::Constant(distance));
    const Cell cell = CellOf(x);
    VisitRun(cell[0], high[0], cell[1], cell[2], k + 1, visit);
    for (Index row = cell[1] + 1; row <= high[1]; ++row) {
      VisitRun(low[0], high[0], row, cell[2], 0, visit);
    }
    for (Index layer = cell[2] + 1; layer <= high[2]; ++layer) {
      for (Index row = low[1]; row <= high[1]; ++row) {
        VisitRun(low[0], high[0], row, layer, 0, visit);
      }
    }
  }

 private:
  using Cell = std::array<Index, 3>;

  /// The cell of a point, or the nearest cell for a point outside. Along each axis the cell number
  /// grows monotonically with x.
  Cell CellOf(const Vec3& x) const {
    Cell cell;
    for (std::size_t k = 0; k < 3; ++k) {
      const int axis = axis_[k];
      const double number = (x[axis] - lower_[axis]) * inverse_size_[axis];
      cell[k] = static_cast<Index>(std::clamp(number, 0.0, static_cast<double>(cells_[k] - 1)));
    }
    return cell;
  }
  /// Visits a run of adjacent cells in a row, whose points are contiguous in order_. Skips the
  /// slots before `from`.
  template <class Visit>
  void VisitRun(Index first_cell, Index last_cell, Index row, Index layer, std::size_t from,
                Visit&& visit) const {
    const std::size_t start = Row(row, layer);
    const auto first =
        static_cast<std::size_t>(first_[start + static_cast<std::size_t>(first_cell)]);
    const auto end =
        static_cast<std::size_t>(first_[start + static_cast<std::size_t>(last_cell) + 1]);
    const std::size_t begin = std::max(from, first);
    if (begin < end) visit(begin, end);
  }
  /// First cell of a row.
  std::size_t Row(Index row, Index layer) const {
    return static_cast<std::size_t>(cells_[0]) *
           (static_cast<std::size_t>(row) +
            static_cast<std::size_t>(cells_[1]) * static_cast<std::size_t>(layer));
  }

  Vec3 lower_ = Vec3::Zero();
  Vec3 inverse_size_ = Vec3::Zero();
  std::array<int, 3> axis_ = {0, 1, 2};  // axes along a row, from row to row, from layer to layer
  Cell cells_ = {1, 1, 1};               // number of cells along axis_[k]
  std::vector<Index> first_;  // one per cell plus the end: first slot of its points in order_
  std::vector<Index> order_;
  std::vector<Index> cell_of_point_;  // scratch
  std::vector<Index> next_;           // scratch: one per cell, the next slot to fill
};

}  // namespace scree
