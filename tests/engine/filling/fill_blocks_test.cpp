// Blocks of units of a fill: each unit has one owner, and all owners near a point are found.
#include "engine/filling/fill_blocks.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

namespace scree::fill_blocks_test {
namespace {

const Box kBounds = {{-1, 0, 2}, {6, 3, 4}};

TEST(FillBlocks, EachUnitHasOneOwner) {
  for (const int ranks : {1, 2, 4, 6, 7, 64}) {
    const FillBlocks::Unit units = {7, 3, 2};
    const FillBlocks blocks(kBounds, units, ranks);
    std::vector<int> owner_count(static_cast<std::size_t>(7 * 3 * 2), 0);
    for (int rank = 0; rank < ranks; ++rank) {
      const auto [first, end] = blocks.UnitsOf(rank);
      for (std::int64_t z = first[2]; z < end[2]; ++z) {
        for (std::int64_t y = first[1]; y < end[1]; ++y) {
          for (std::int64_t x = first[0]; x < end[0]; ++x) {
            EXPECT_EQ(blocks.OwnerOf({x, y, z}), rank);
            ++owner_count[static_cast<std::size_t>((z * 3 + y) * 7 + x)];
          }
        }
      }
    }
    EXPECT_EQ(owner_count, std::vector<int>(owner_count.size(), 1)) << ranks << " ranks";
  }
}

TEST(FillBlocks, UnitsContainTheirPoints) {
  const FillBlocks blocks(kBounds, {7, 3, 2}, 4);
  EXPECT_EQ(blocks.UnitOf(Vec3(1.5, 2.5, 2.5)), (FillBlocks::Unit{2, 2, 0}));
  EXPECT_EQ(blocks.UnitOf(Vec3(-9, 9, 3.5)), (FillBlocks::Unit{0, 2, 1})) << "the nearest unit";
  const Box box = blocks.BoxOf(FillBlocks::Unit{2, 2, 0});
  EXPECT_TRUE(box.lower.isApprox(Vec3(1, 2, 2), 1e-14));
  EXPECT_TRUE(box.upper.isApprox(Vec3(2, 3, 3), 1e-14));
}

TEST(FillBlocks, AllOwnersNearAPointAreListed) {
  constexpr int kRanks = 8;
  const FillBlocks blocks(kBounds, {14, 6, 4}, kRanks);
  for (const Vec3& position : {Vec3(2.4, 1.4, 2.9), Vec3(-1, 0, 2), Vec3(2.6, 0.3, 3.1)}) {
    std::vector<int> owners;
    blocks.ForEachRankNear(position, 0.3, [&](int rank) { owners.push_back(rank); });
    for (int rank = 0; rank < kRanks; ++rank) {
      const Box box = blocks.BoxOf(blocks.UnitsOf(rank));
      const Vec3 outside = (box.lower - position).cwiseMax(position - box.upper);
      EXPECT_EQ(std::ranges::count(owners, rank), outside.maxCoeff() < 0.3 ? 1 : 0) << rank;
    }
  }
}

}  // namespace
}  // namespace scree::fill_blocks_test
