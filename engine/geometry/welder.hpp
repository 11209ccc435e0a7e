/// \file  Merges points that nearly coincide.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "solvers/base/types.hpp"

namespace scree {

/// Gives nearly coincident points the same number. The points are in a hash table of cells with
/// linear probing. Most lookups need one cell, because cells are much wider than the tolerance.
class Welder {
 public:
  /// @param tolerance  > 0 [m]
  /// @param max     maximum number of distinct points
  /// @param points  receives the distinct points; must outlive this object
  Welder(double tolerance, std::size_t max, std::vector<Vec3>& points)
      : tolerance_(tolerance), points_(points), slots_(std::bit_ceil(max + max / 3 + 1), kFree) {}

  /// @returns the index in `points` of a point within the tolerance of x; adds x if there is none
  Index FindOrAdd(const Vec3& x) {
    const Cell lower = CellOf((x.array() - tolerance_).matrix());
    const Cell upper = CellOf((x.array() + tolerance_).matrix());
    Cell cell;
    for (cell[0] = lower[0]; cell[0] <= upper[0]; ++cell[0]) {
      for (cell[1] = lower[1]; cell[1] <= upper[1]; ++cell[1]) {
        for (cell[2] = lower[2]; cell[2] <= upper[2]; ++cell[2]) {
          const Index found = slots_[SlotOf(cell, x)];
          if (found != kFree) return found;
        }
      }
    }
    const auto number = static_cast<Index>(points_.size());
    points_.push_back(x);
    slots_[SlotOf(CellOf(x), x)] = number;
    return number;
  }

 private:
  using Cell = std::array<std::int64_t, 3>;
  static constexpr Index kFree = -1;
  static constexpr double kCell = 64.0;  // cell size in units of the tolerance

  Cell CellOf(const Vec3& x) const {
    const double size = kCell * tolerance_;
    return {std::llround(x[0] / size), std::llround(x[1] / size), std::llround(x[2] / size)};
  }

  /// Slot of a point near x, or the free slot for x.
  std::size_t SlotOf(const Cell& cell, const Vec3& x) const {
    std::uint64_t hash = 0;
    for (const std::int64_t part : cell) {
      hash = (std::rotl(hash, 23) ^ static_cast<std::uint64_t>(part)) * 0x9e3779b97f4a7c15u;
    }
    std::size_t slot = (hash ^ (hash >> 29)) & (slots_.size() - 1);
    while (slots_[slot] != kFree && !IsNear(slots_[slot], x))
      slot = (slot + 1) & (slots_.size() - 1);
    return slot;
  }
  bool IsNear(Index point, const Vec3& x) const {
    return (points_[static_cast<std::size_t>(point)] - x).norm() <= tolerance_;
  }

  const double tolerance_;
  std::vector<Vec3>& points_;
  std::vector<Index> slots_;  // indices of points; the size is a power of two
};

}  // namespace scree
