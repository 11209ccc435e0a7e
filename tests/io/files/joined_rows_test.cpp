// Rows of all ranks, few or many, are written completely and in the order of ranks.
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

TEST(JoinedRows, OnlySmallPiecesAreJoined) {
  struct Case {
    int rank;
    std::size_t total;
    int ranks, first, end;
  };
  for (const Case& test_case : {
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
    const JoinedRanks group = GroupOf(test_case.rank, test_case.total, test_case.ranks);
    EXPECT_EQ(group.first, test_case.first) << test_case.rank << " of " << test_case.ranks;
    EXPECT_EQ(group.end, test_case.end) << test_case.rank << " of " << test_case.ranks;
  }
}

/// The rows of a rank: entries of 8 bytes, all with different values.
std::vector<std::int64_t> RowsOfRank(int rank, std::size_t size) {
  std::vector<std::int64_t> rows(static_cast<std::size_t>(rank) * size);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    rows[i] = 1000000000 * rank + static_cast<std::int64_t>(i);
  }
  return rows;
}

TEST(JoinedRows, RowsAreWrittenInRankOrder) {
  const Communicator world = Communicator::World();
  for (const std::size_t size : {0, 1, 1000, 40000, 60000, 200000}) {
    std::vector<std::int64_t> all;
    for (int rank = 0; rank < world.Size(); ++rank) {
      const std::vector<std::int64_t> rows = RowsOfRank(rank, size);
      all.insert(all.end(), rows.begin(), rows.end());
    }
    const std::vector<std::int64_t> rows = RowsOfRank(world.Rank(), size);
    const JoinedRows joined(world, std::as_bytes(std::span(rows)), 8 * all.size());
    const auto joined_size = static_cast<std::int64_t>(joined.Bytes().size());
    ASSERT_EQ(world.Sum(joined_size), static_cast<std::int64_t>(8 * all.size()));
    const auto first = static_cast<std::size_t>(world.ExclusiveSum(joined_size));
    const auto expected = std::as_bytes(std::span(all)).subspan(first, joined.Bytes().size());
    EXPECT_TRUE(std::equal(expected.begin(), expected.end(), joined.Bytes().begin())) << size;
    const int writer = GroupOf(world.Rank(), 8 * all.size(), world.Size()).first;
    EXPECT_TRUE(joined.Bytes().empty() || world.Rank() == writer) << size;
  }
}

}  // namespace
}  // namespace scree::joined_rows_test
