/// \file  Vectors at the points of a rectilinear grid.
#pragma once

#include <array>
#include <cstddef>
#include <vector>

#include "engine/geometry/box.hpp"
#include "solvers/base/types.hpp"

namespace scree {

/// A vector function by trilinear interpolation. Positions outside the grid get the value at the
/// nearest position inside.
class VectorGrid {
 public:
  using Axes = std::array<std::vector<double>, 3>;

  VectorGrid() = default;
  /// @param axes    coordinates of the points along x, y, z [m]; ascending, at least two each
  /// @param values  at the points, z fastest
  VectorGrid(Axes axes, std::vector<Vec3> values);

  bool IsEmpty() const { return values_.empty(); }
  const Axes& Coordinates() const { return axes_; }
  const std::vector<Vec3>& Values() const { return values_; }
  Box Extent() const;
  /// Largest norm of a value.
  double MaxNorm() const { return max_norm_; }

  /// @pre !IsEmpty()
  Vec3 At(const Vec3& x) const;
  /// ∂vᵢ/∂xⱼ in row i, column j; outside the grid, the gradient at the nearest position inside.
  /// @pre !IsEmpty()
  Mat3 GradientAt(const Vec3& x) const;

 private:
  struct Cell {
    std::array<std::size_t, 3> lower;  // indices of the lowest grid point of the cell
    Vec3 fraction, length;             // position of x in the cell, 0 to 1; edges of the cell [m]
  };
  Cell CellOf(const Vec3& x) const;
  const Vec3& ValueOf(const Cell& cell, int corner) const;

  Axes axes_;
  std::vector<Vec3> values_;
  double max_norm_ = 0.0;
};

}  // namespace scree
