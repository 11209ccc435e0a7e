/// \file  How the ranks share the making of a fill, whatever their subdomains are.
#pragma once

#include <array>
#include <cstdint>

#include "engine/geometry/box.hpp"
#include "solvers/base/types.hpp"

namespace scree {

/// The bounds of a fill in equal units, the sites of a lattice or the cells of a random fill; and
/// the units in blocks, one for each rank. Where there are fewer units than ranks some have none.
class FillBlocks {
 public:
  using Unit = std::array<std::int64_t, 3>;

  /// @param units  along each axis of the bounds, ≥ 1
  FillBlocks(const Box& bounds, const Unit& units, int ranks);

  /// Of which place is; outside the bounds the nearest.
  Unit UnitOf(const Vec3& place) const;
  Box BoxOf(const Unit& unit) const;
  int OwnerOf(const Unit& unit) const;

  /// The units of a rank: from `first` up to but not with `end` along each axis.
  struct Range {
    Unit first, end;
  };
  Range UnitsOf(int rank) const;
  /// Around them; without volume if there are none.
  Box BoxOf(const Range& range) const;

  /// Calls visit(rank) once for each rank that has units within reach of a place along all axes.
  template <class Visit>
  void ForRanksNear(const Vec3& place, double reach, Visit&& visit) const {
    const std::array<int, 3> from = BlockOf(UnitOf(place - Vec3::Constant(reach)));
    const std::array<int, 3> to = BlockOf(UnitOf(place + Vec3::Constant(reach)));
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
