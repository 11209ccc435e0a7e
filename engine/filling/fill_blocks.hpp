/// \file  Division of a fill among the ranks, independent of their subdomains.
#pragma once

#include <array>
#include <cstdint>

#include "engine/geometry/box.hpp"
#include "solvers/base/types.hpp"

namespace scree {

/// Divides the bounds of a fill into equal units, which are the sites of a lattice or the cells of
/// a random fill. Groups the units into blocks, one per rank. If there are fewer units than ranks,
/// some ranks have none.
class FillBlocks {
 public:
  using Unit = std::array<std::int64_t, 3>;

  /// @param units  number of units along each axis of the bounds, ≥ 1
  FillBlocks(const Box& bounds, const Unit& units, int ranks);

  /// The unit that contains a position, or the nearest unit for a position outside the bounds.
  Unit UnitOf(const Vec3& position) const;
  Box BoxOf(const Unit& unit) const;
  int OwnerOf(const Unit& unit) const;

  /// The units from `first` (inclusive) to `end` (exclusive) along each axis.
  struct Range {
    Unit first, end;
  };
  Range UnitsOf(int rank) const;
  /// Bounding box of the units; its volume is zero if the range is empty.
  Box BoxOf(const Range& range) const;

  /// Calls visit(rank) once for each rank with units within `reach` of a position along each axis.
  /// @param reach  [m]
  template <class Visit>
  void ForEachRankNear(const Vec3& position, double reach, Visit&& visit) const {
    const std::array<int, 3> from = BlockOf(UnitOf(position - Vec3::Constant(reach)));
    const std::array<int, 3> to = BlockOf(UnitOf(position + Vec3::Constant(reach)));
    for (int k = from[2]; k <= to[2]; ++k) {
      for (int j = from[1]; j <= to[1]; ++j) {
        for (int i = from[0]; i <= to[0]; ++i) visit(RankOf({i, j, k}));
      }
    }
  }

 private:
  std::array<int, 3> BlockOf(const Unit& unit) const;
  int RankOf(const std::array<int, 3>& block) const {
    return (block[2] * grid_[1] + block[1]) * grid_[0] + block[0];
  }
  double FaceOf(int axis, std::int64_t number) const;

  Box bounds_;
  Unit units_;
  std::array<int, 3> grid_;  // blocks along each axis
};

}  // namespace scree
