#include "engine/filling/fill_blocks.hpp"

#include <algorithm>
#include <cmath>

#include "engine/ranks/subdomains.hpp"
#include "solvers/base/check.hpp"

namespace scree {

FillBlocks::FillBlocks(const Box& bounds, const Unit& units, int ranks)
    : bounds_(bounds), units_(units), grid_(SmallestHaloGrid(Domain{bounds}, ranks)) {
  for (const std::int64_t count : units) SCREE_DEMAND(count >= 1);
}

FillBlocks::Unit FillBlocks::UnitOf(const Vec3& position) const {
  Unit unit;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const auto a = static_cast<Eigen::Index>(axis);
    const auto count = static_cast<double>(units_[axis]);
    const double fraction = (position[a] - bounds_.lower[a]) / bounds_.Extent()[a];
    unit[axis] =
        static_cast<std::int64_t>(std::clamp(std::floor(fraction * count), 0.0, count - 1.0));
  }
  return unit;
}

Box FillBlocks::BoxOf(const Unit& unit) const {
  return BoxOf(Range{unit, {unit[0] + 1, unit[1] + 1, unit[2] + 1}});
}

Box FillBlocks::BoxOf(const Range& range) const {
  Box box;
  for (int axis = 0; axis < 3; ++axis) {
    box.lower[axis] = FaceOf(axis, range.first[static_cast<std::size_t>(axis)]);
    box.upper[axis] = FaceOf(axis, range.end[static_cast<std::size_t>(axis)]);
  }
  return box;
}

int FillBlocks::OwnerOf(const Unit& unit) const { return RankOf(BlockOf(unit)); }

FillBlocks::Range FillBlocks::UnitsOf(int rank) const {
  const std::array<int, 3> block = {rank % grid_[0], rank / grid_[0] % grid_[1],
                                    rank / grid_[0] / grid_[1]};
  Range range;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    // The first unit of block b is the smallest u with u grid / units >= b.
    const auto first = [&](int b) { return (b * units_[axis] + grid_[axis] - 1) / grid_[axis]; };
    range.first[axis] = first(block[axis]);
    range.end[axis] = first(block[axis] + 1);
  }
  return range;
}

std::array<int, 3> FillBlocks::BlockOf(const Unit& unit) const {
  std::array<int, 3> block;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    block[axis] = static_cast<int>(unit[axis] * grid_[axis] / units_[axis]);
  }
  return block;
}

double FillBlocks::FaceOf(int axis, std::int64_t number) const {
  const auto count = static_cast<double>(units_[static_cast<std::size_t>(axis)]);
  return bounds_.lower[axis] + bounds_.Extent()[axis] * (static_cast<double>(number) / count);
}

}  // namespace scree
