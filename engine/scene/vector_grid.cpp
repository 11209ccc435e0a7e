#include "engine/scene/vector_grid.hpp"

#include <algorithm>
#include <utility>

namespace scree {
namespace {

bool IsUpper(int corner, int axis) { return (corner >> axis & 1) != 0; }

}  // namespace

VectorGrid::VectorGrid(Axes axes, std::vector<Vec3> values)
    : axes_(std::move(axes)), values_(std::move(values)) {
  for (const Vec3& value : values_) max_norm_ = std::max(max_norm_, value.norm());
}

Box VectorGrid::Extent() const {
  return {Vec3(axes_[0].front(), axes_[1].front(), axes_[2].front()),
          Vec3(axes_[0].back(), axes_[1].back(), axes_[2].back())};
}

VectorGrid::Cell VectorGrid::CellOf(const Vec3& x) const {
  Cell cell{};
  for (int k = 0; k < 3; ++k) {
    const std::vector<double>& coordinates = axes_[static_cast<std::size_t>(k)];
    const auto next = std::upper_bound(coordinates.begin() + 1, coordinates.end() - 1, x[k]);
    cell.lower[static_cast<std::size_t>(k)] =
        static_cast<std::size_t>(next - coordinates.begin()) - 1;
    cell.length[k] = *next - *(next - 1);
    cell.fraction[k] = std::clamp((x[k] - *(next - 1)) / cell.length[k], 0.0, 1.0);
  }
  return cell;
}

const Vec3& VectorGrid::ValueOf(const Cell& cell, int corner) const {
  std::size_t number = 0;
  for (int k = 0; k < 3; ++k) {
    const auto axis = static_cast<std::size_t>(k);
    number = number * axes_[axis].size() + cell.lower[axis] + (IsUpper(corner, k) ? 1 : 0);
  }
  return values_[number];
}

Vec3 VectorGrid::At(const Vec3& x) const {
  const Cell cell = CellOf(x);
  Vec3 sum = Vec3::Zero();
  for (int corner = 0; corner < 8; ++corner) {
    double weight = 1.0;
    for (int k = 0; k < 3; ++k)
      weight *= IsUpper(corner, k) ? cell.fraction[k] : 1.0 - cell.fraction[k];
    sum += weight * ValueOf(cell, corner);
  }
  return sum;
}

Mat3 VectorGrid::GradientAt(const Vec3& x) const {
  const Cell cell = CellOf(x);
  Mat3 gradient = Mat3::Zero();
  for (int corner = 0; corner < 8; ++corner) {
    for (int column = 0; column < 3; ++column) {
      double slope = (IsUpper(corner, column) ? 1.0 : -1.0) / cell.length[column];
      for (int k = 0; k < 3; ++k) {
        if (k != column) slope *= IsUpper(corner, k) ? cell.fraction[k] : 1.0 - cell.fraction[k];
      }
      gradient.col(column) += slope * ValueOf(cell, corner);
    }
  }
  return gradient;
}

}  // namespace scree
