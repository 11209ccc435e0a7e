#include "engine/cell_grid.hpp"

#include <cmath>

#include "solvers/check.hpp"

namespace scree {

CellGrid::CellGrid(std::span<const Vec3> points, double cell_size) {
  SCREE_DEMAND(cell_size > 0.0);
  Vec3 upper = Vec3::Zero();
  if (!points.empty()) lower_ = upper = points[0];
  for (const Vec3& x : points) {
    lower_ = lower_.cwiseMin(x);
    upper = upper.cwiseMax(x);
  }
  const Vec3 extent = upper - lower_;
  const double most_cells = 64.0 + 4.0 * static_cast<double>(points.size());
  const auto number_of_cells = [&extent](double size) {
    return (extent / size).array().floor().max(1.0).eval();
  };
  double size = cell_size;
  while (number_of_cells(size).prod() > most_cells) size *= 1.25;
  for (int axis = 0; axis < 3; ++axis) {
    const double n = number_of_cells(size)[axis];
    cells_[static_cast<std::size_t>(axis)] = static_cast<Index>(n);
    // With a single cell its size does not matter, and the reciprocal of a tiny one may overflow.
    inverse_size_[axis] = n > 1.0 ? n / extent[axis] : 0.0;
  }

  // Counting sort.
  const std::size_t cells = Row(0, cells_[2]);
  first_.assign(cells + 1, 0);
  std::vector<std::size_t> cell_of_point(points.size());
  for (std::size_t i = 0; i < points.size(); ++i) {
    const std::array<Index, 3> cell = CellOf(points[i]);
    cell_of_point[i] = Row(cell[1], cell[2]) + static_cast<std::size_t>(cell[0]);
    ++first_[cell_of_point[i] + 1];
  }
  for (std::size_t cell = 0; cell < cells; ++cell) first_[cell + 1] += first_[cell];
  std::vector<Index> next(first_.begin(), first_.end() - 1);
  order_.resize(points.size());
  sorted_.resize(points.size());
  for (std::size_t i = 0; i < points.size(); ++i) {
    const auto place = static_cast<std::size_t>(next[cell_of_point[i]]++);
    order_[place] = static_cast<Index>(i);
    sorted_[place] = points[i];
  }
}

}  // namespace scree
