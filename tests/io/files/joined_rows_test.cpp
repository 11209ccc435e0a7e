// The pieces of all ranks, of any size, are written completely and in their order.
#include "io/files/joined_rows.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "engine/ranks/communicator.hpp"

namespace scree::joined_rows_test {
namespace {

constexpr std::size_t kMebi = std::size_t{1} << 20;

TEST(JoinedRows, SmallPiecesAreJoinedAndLargeOnesStay) {
  struct Case {
    int rank;
    std::size_t total;
    int ranks, first, end;
  };
  for (const Case& one : {
           Case{0, 0, 1, 0, 1},
           Case{3, 0, 4, 0, 4},
           Case{99, kMebi, 100, 0, 100},
           Case{57, 10 * kMebi, 100, 50, 60},
           Case{1, 3 * kMebi, 4, 0, 2},  // 0.75 MiB each
           Case{2, 3 * kMebi, 4, 2, 4},
           Case{2, 2 * kMebi, 3, 2, 3},  // the last group has one piece
           Case{6, 3 * kMebi, 7, 6, 7},
           Case{5, 3 * kMebi, 7, 3, 6},
           Case{3, 4 * kMebi, 4, 3, 4},
           Case{5, 900 * kMebi, 7, 5, 6},
       }) {
    const JoinedRanks group = GroupOf(one.rank, one.total, one.ranks);
    EXPECT_EQ(group.first, one.first) << one.rank << " of " << one.ranks;
    EXPECT_EQ(group.end, one.end) << one.rank << " of " << one.ranks;
  }
}

/// The piece of a rank: entries of 8 bytes, all with different values.
std::vector<std::int64_t> PieceOf(int rank, std::size_t size) {
  std::vector<std::int64_t> piece(static_cast<std::size_t>(rank) * size);
  for (std::size_t i = 0; i < piece.size(); ++i) {
    piece[i] = 1000000000 * rank + static_cast<std::int64_t>(i);
  }
  return piece;
}

TEST(JoinedRows, AllPiecesAreWrittenInRankOrder) {
  const Communicator world = Communicator::World();
  for (const std::size_t size : {0, 1, 1000, 40000, 60000, 200000}) {
    std::vector<std::int64_t> all;
    for (int rank = 0; rank < world.Size(); ++rank) {
      const std::vector<std::int64_t> piece = PieceOf(rank, size);
      all.insert(all.end(), piece.begin(), piece.end());
    }
    const std::vector<std::int64_t> piece = PieceOf(world.Rank(), size);
    const JoinedRows joined(world, std::as_bytes(std::span(piece)), 8 * all.size());
    const auto here = static_cast<std::int64_t>(joined.Bytes().size());
    ASSERT_EQ(world.Sum(here), static_cast<std::int64_t>(8 * all.size()));
    const auto first = static_cast<std::size_t>(world.ExclusiveSum(here));
    const auto expected = std::as_bytes(std::span(all)).subspan(first, joined.Bytes().size());
    EXPECT_TRUE(std::equal(expected.begin(), expected.end(), joined.Bytes().begin())) << size;
    const int writer = GroupOf(world.Rank(), 8 * all.size(), world.Size()).first;
    EXPECT_TRUE(joined.Bytes().empty() || world.Rank() == writer) << size;
  }
}

}  // namespace
}  // namespace scree::joined_rows_test
