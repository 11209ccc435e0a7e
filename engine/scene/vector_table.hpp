/// \file  A table of vectors as a function of time or height.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "solvers/base/types.hpp"

namespace scree {

/// A vector function: linear between rows, constant before the first row and after the last.
struct VectorTable {
  std::vector<double> arguments;  // ascending; times [s] or heights [m]
  std::vector<Vec3> values;       // one per entry of `arguments`

  bool IsEmpty() const { return arguments.empty(); }
  bool Covers(double lower, double upper) const {
    return !IsEmpty() && arguments.front() <= lower && arguments.back() >= upper;
  }
  /// @pre !IsEmpty()
  Vec3 At(double x) const {
    const std::size_t next = NextPoint(x);
    if (next == 0) return values.front();
    if (next == arguments.size()) return values.back();
    return values[next - 1] + (x - arguments[next - 1]) * Slope(next);
  }
  Vec3 SlopeAt(double x) const {
    const std::size_t next = NextPoint(x);
    return next == 0 || next == arguments.size() ? Vec3(Vec3::Zero()) : Slope(next);
  }
  double MaxNorm() const {
    double max_norm = 0.0;
    for (const Vec3& value : values) max_norm = std::max(max_norm, value.norm());
    return max_norm;
  }

 private:
  std::size_t NextPoint(double x) const {
    return static_cast<std::size_t>(std::ranges::upper_bound(arguments, x) - arguments.begin());
  }
  Vec3 Slope(std::size_t next) const {
    return (values[next] - values[next - 1]) / (arguments[next] - arguments[next - 1]);
  }
};

}  // namespace scree
