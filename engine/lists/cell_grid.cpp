#include "engine/lists/cell_grid.hpp"

#include <cmath>

#include "solvers/base/check.hpp"

namespace scree {

void CellGrid::Sort(std::span<const Vec3> points, double cell_size) {
  if (points.empty()) {
    *this = {};
    first_.assign(2, 0);
    return;
  }
  SCREE_DEMAND(cell_size > 0.0);
  lower_ = points[0];
  Vec3 upper = points[0];
  for (const Vec3& x : points) {
    lower_ = lower_.cwiseMin(x);
    upper = upper.cwiseMax(x);
  }
  const Vec3 extent = upper - lower_;
  const double max_cells = 64.0 + 4.0 * static_cast<double>(points.size());
  const auto number_of_cells = [&extent](double size) {
    return (extent / size).array().floor().max(1.0).eval();
  };
  double size = cell_size;
  while (number_of_cells(size).prod() > max_cells) size *= 1.25;
  axis_ = {0, 1, 2};
  std::stable_sort(axis_.begin(), axis_.end(),
                   [&extent](int a, int b) { return extent[a] < extent[b]; });
  for (std::size_t k = 0; k < 3; ++k) {
    const int axis = axis_[k];
    const double n = number_of_cells(size)[axis];
    cells_[k] = static_cast<Index>(n);
    // The size of a single cell does not matter, and the reciprocal of a tiny size could overflow.
    inverse_size_[axis] = n > 1.0 ? n / extent[axis] : 0.0;
  }

  // Counting sort.
  const std::size_t cells = Row(0, cells_[2]);
  first_.assign(cells + 1, 0);
  cell_of_point_.resize(points.size());
  for (std::size_t i = 0; i < points.size(); ++i) {
    const Cell cell = CellOf(points[i]);
    const std::size_t number = Row(cell[1], cell[2]) + static_cast<std::size_t>(cell[0]);
    cell_of_point_[i] = static_cast<Index>(number);
    ++first_[number + 1];
  }
  for (std::size_t cell = 0; cell < cells; ++cell) first_[cell + 1] += first_[cell];
  next_.assign(first_.begin(), first_.end() - 1);
  order_.resize(points.size());
  for (std::size_t i = 0; i < points.size(); ++i) {
    const auto position =
        static_cast<std::size_t>(next_[static_cast<std::size_t>(cell_of_point_[i])]++);
    order_[position] = static_cast<Index>(i);
  }
}

}  // namespace scree
