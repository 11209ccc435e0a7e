/// \file  Vectors tabulated over time or height.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "solvers/base/types.hpp"

namespace scree {

/// A vector function: linear between rows, constant before the first row and after the last.
struct VectorTable {
  std::vector<double> at;    // ascending; times [s] or heights [m]
  std::vector<Vec3> values;  // one per entry of `at`

  bool IsEmpty() const { return at.empty(); }
  bool Covers(double lower, double upper) const {
    return !IsEmpty() && at.front() <= lower && at.back() >= upper;
  }
  /// @pre !IsEmpty()
  Vec3 At(double x) const {
    const std::size_t next = NextPoint(x);
    if (next == 0) return values.front();
    if (next == at.size()) return values.back();
    return values[next - 1] + (x - at[next - 1]) * Slope(next);
  }
  Vec3 SlopeAt(double x) const {
    const std::size_t next = NextPoint(x);
    return next == 0 || next == at.size() ? Vec3(Vec3::Zero()) : Slope(next);
  }
  double MaxNorm() const {
    double max_norm = 0.0;
    for (const Vec3& value : values) max_norm = std::max(max_norm, value.norm());
    return max_norm;
  }

 private:
  std::size_t NextPoint(double x) const {
    return static_cast<std::size_t>(std::ranges::upper_bound(at, x) - at.begin());
  }
  Vec3 Slope(std::size_t next) const {
    return (values[next] - values[next - 1]) / (at[next] - at[next - 1]);
  }
};

}  // namespace scree
