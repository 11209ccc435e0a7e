/// \file  Vectors on the points of a grid of the domain.
#pragma once

#include <array>
#include <cstddef>
#include <vector>

#include "engine/geometry/box.hpp"
#include "solvers/base/types.hpp"

namespace scree {

/// Trilinear between the points, outside as at the nearest place of the grid.
class VectorGrid {
 public:
  using Axes = std::array<std::vector<double>, 3>;

  VectorGrid() = default;
  /// @param axes    places of the points along x, y, z [m]; ascending, two or more each
  /// @param values  of the points, z fastest
  VectorGrid(Axes axes, std::vector<Vec3> values);

  bool IsEmpty() const { return values_.empty(); }
  const Axes& Places() const { return axes_; }
  const std::vector<Vec3>& Values() const { return values_; }
  Box Extent() const;
  /// The greatest length of a value.
  double Greatest() const { return greatest_; }

  /// @pre !IsEmpty()
  Vec3 At(const Vec3& x) const;
  /// ∂vᵢ/∂xⱼ in row i, column j. @pre !IsEmpty()
  Mat3 GradientAt(const Vec3& x) const;

 private:
  struct Cell {
    std::array<std::size_t, 3> lower;  // its lowest point
    Vec3 share, length;                // of x in it, 0 to 1; of its edges [m]
  };
  Cell CellOf(const Vec3& x) const;
  const Vec3& ValueOf(const Cell& cell, int corner) const;

  Axes axes_;
  std::vector<Vec3> values_;
  double greatest_ = 0.0;
};

}  // namespace scree
