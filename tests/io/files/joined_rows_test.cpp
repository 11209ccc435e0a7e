// Pieces of all ranks, none lost and in their order, whatever their sizes.
#include "io/files/joined_rows.hpp"

#include <gtest/gtest.h>

#include <cstdint>

#include "engine/ranks/communicator.hpp"

namespace scree::joined_rows_test {
namespace {

constexpr std::size_t kMebi = std::size_t{1} << 20;

TEST(JoinedRows, SmallPiecesAreJoinedAndLargeOnesStay) {
  EXPECT_EQ(RanksThatJoin(0, 1), 1);
  EXPECT_EQ(RanksThatJoin(0, 4), 4);
  EXPECT_EQ(RanksThatJoin(kMebi, 100), 100);
  EXPECT_EQ(RanksThatJoin(10 * kMebi, 100), 10);
  EXPECT_EQ(RanksThatJoin(3 * kMebi, 4), 2);  // 0.75 MiB each
  EXPECT_EQ(RanksThatJoin(4 * kMebi, 4), 1);
  EXPECT_EQ(RanksThatJoin(900 * kMebi, 7), 1);
}

/// Rank k has k sizes and an entry of its own, each of 8 bytes that say which it is.
std::vector<std::int64_t> PieceOf(int rank, std::size_t size) {
  std::vector<std::int64_t> piece(static_cast<std::size_t>(rank) * size);
  for (std::size_t i = 0; i < piece.size(); ++i) {
    piece[i] = 1000000000 * rank + static_cast<std::int64_t>(i);
  }
  return piece;
}

TEST(JoinedRows, AllPiecesAreWrittenInRankOrder) {
  const Communicator world = Communicator::World();
  for (const std::size_t size : {0, 1, 1000, 40000, 200000}) {
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
    const int group = RanksThatJoin(8 * all.size(), world.Size());
    EXPECT_TRUE(joined.Bytes().empty() || world.Rank() % group == 0) << size;
  }
}

}  // namespace
}  // namespace scree::joined_rows_test
