// Gather to ghosts, and scatter-add to owners in the order of the ranks.
#include "engine/ranks/exchange_plan.hpp"

#include <gtest/gtest.h>

namespace scree::exchange_plan_test {
namespace {

constexpr Index kOwned = 5;

/// Every rank has ghosts of entries 3 and 0 of each rank, including itself, and of entry r % 5 of
/// each other rank r.
std::vector<Index> SharedEntries(int owner, int holder) {
  std::vector<Index> entries = {3, 0};
  if (owner != holder) entries.push_back(static_cast<Index>(owner % kOwned));
  return entries;
}

ExchangePlan MakePlan(const Communicator& world) {
  std::vector<ExchangePlan::Peer> peers;
  Index next_ghost = kOwned;
  for (int rank = 0; rank < world.Size(); ++rank) {
    const auto ghosts = static_cast<Index>(SharedEntries(rank, world.Rank()).size());
    peers.push_back({rank, SharedEntries(world.Rank(), rank), next_ghost, ghosts});
    next_ghost += ghosts;
  }
  return ExchangePlan(std::move(peers));
}

struct WideValue {  // longer than a cache line, and not a multiple of it
  double values[11];
};

double ValueOf(int rank, Index entry) { return 100.0 * rank + entry + 0.125; }

TEST(ExchangePlan, MarksGhostsAndEntriesThatAreGhostsElsewhere) {
  const ExchangePlan plan({{0, {2, 0}, 4, 1}, {3, {2}, 5, 2}});
  std::vector<std::uint8_t> marks(7, 0);
  plan.MarkShared(marks);
  EXPECT_EQ(marks, (std::vector<std::uint8_t>{1, 0, 1, 0, 1, 1, 1}));
}

TEST(ExchangePlan, GatherCopiesTheOwnersValue) {
  const Communicator world = Communicator::World();
  ExchangePlan plan = MakePlan(world);
  std::vector<WideValue> wide(static_cast<std::size_t>(kOwned + 3 * world.Size()),
                              WideValue{{-1.0}});
  std::vector<char> narrow(wide.size(), 'x');
  for (Index i = 0; i < kOwned; ++i) {
    wide[static_cast<std::size_t>(i)].values[10] = ValueOf(world.Rank(), i);
    narrow[static_cast<std::size_t>(i)] = static_cast<char>('a' + world.Rank() + i);
  }
  // Values of two sizes, in turn.
  for (int round = 0; round < 3; ++round) {
    plan.Gather(world, std::span(wide));
    plan.Gather(world, std::span(narrow));
    for (const ExchangePlan::Peer& peer : plan.Peers()) {
      const std::vector<Index> entries = SharedEntries(peer.rank, world.Rank());
      for (std::size_t g = 0; g < entries.size(); ++g) {
        const std::size_t ghost = static_cast<std::size_t>(peer.first_ghost) + g;
        EXPECT_EQ(wide[ghost].values[10], ValueOf(peer.rank, entries[g]));
        EXPECT_EQ(narrow[ghost], static_cast<char>('a' + peer.rank + entries[g]));
        wide[ghost].values[10] = -2.0;
        narrow[ghost] = 'y';
      }
    }
    for (Index i = 0; i < kOwned; ++i) {
      EXPECT_EQ(wide[static_cast<std::size_t>(i)].values[10], ValueOf(world.Rank(), i));
    }
  }
}

TEST(ExchangePlan, ScatterAddReachesOwnersInTheOrderOfTheRanks) {
  const Communicator world = Communicator::World();
  ExchangePlan plan = MakePlan(world);
  struct Change {
    int holder;
    Index ghost;
  };
  std::vector<std::vector<int>> holders(kOwned);
  plan.ScatterAdd<Change>(
      world,
      [&](Index ghost) {
        return Change{world.Rank(), ghost};
      },
      [&](Index owned, const Change& change) {
        EXPECT_GE(change.ghost, kOwned);
        holders[static_cast<std::size_t>(owned)].push_back(change.holder);
      });
  std::vector<std::vector<int>> expected(kOwned);
  for (int rank = 0; rank < world.Size(); ++rank) {
    for (const Index entry : SharedEntries(world.Rank(), rank)) {
      expected[static_cast<std::size_t>(entry)].push_back(rank);
    }
  }
  EXPECT_EQ(holders, expected);
}

TEST(ExchangePlan, MovedPlansKeepTheirBuffersAndMessages) {
  const Communicator world = Communicator::World();
  ExchangePlan first = MakePlan(world);
  std::vector<double> values(static_cast<std::size_t>(kOwned + 3 * world.Size()), 1.0);
  first.Gather(world, std::span(values));
  ExchangePlan second = std::move(first);
  first = ExchangePlan();
  values[3] = 7.0 + world.Rank();
  second.Gather(world, std::span(values));
  for (const ExchangePlan::Peer& peer : second.Peers()) {
    EXPECT_EQ(values[static_cast<std::size_t>(peer.first_ghost)], 7.0 + peer.rank);
  }
  EXPECT_TRUE(first.IsEmpty());
}

TEST(ExchangePlan, CopiesHaveSeparateBuffers) {
  const Communicator world = Communicator::World();
  ExchangePlan first = MakePlan(world);
  std::vector<double> values(static_cast<std::size_t>(kOwned + 3 * world.Size()), 1.0);
  first.Gather(world, std::span(values));
  ExchangePlan second;
  second = first;
  first = ExchangePlan();
  values[3] = 7.0 + world.Rank();
  second.Gather(world, std::span(values));
  for (const ExchangePlan::Peer& peer : second.Peers()) {
    EXPECT_EQ(values[static_cast<std::size_t>(peer.first_ghost)], 7.0 + peer.rank);
  }
  EXPECT_TRUE(first.IsEmpty());
}

TEST(ExchangePlan, BothDirectionsMayOverlapIfTheirValueSizesDiffer) {
  const Communicator world = Communicator::World();
  ExchangePlan plan = MakePlan(world);
  std::vector<double> values(static_cast<std::size_t>(kOwned + 3 * world.Size()), -1.0);
  for (Index i = 0; i < kOwned; ++i) {
    values[static_cast<std::size_t>(i)] = ValueOf(world.Rank(), i);
  }
  int added = 0;
  for (int round = 0; round < 3; ++round) {
    plan.StartGather<double>(world, [&](Index i) { return values[static_cast<std::size_t>(i)]; });
    plan.StartScatter<int>(world, [&](Index) { return 1 + world.Rank(); });
    plan.FinishGather<double>(
        [&](Index ghost, double value) { values[static_cast<std::size_t>(ghost)] = value; });
    plan.FinishScatter<int>([&](Index, int value) { added += value; });
  }
  int expected = 0;
  for (const ExchangePlan::Peer& peer : plan.Peers()) {
    expected += 3 * static_cast<int>(peer.sent.size()) * (1 + peer.rank);
    EXPECT_EQ(values[static_cast<std::size_t>(peer.first_ghost)], ValueOf(peer.rank, 3));
  }
  EXPECT_EQ(added, expected);
}

TEST(ExchangePlan, SendsOneMessageToEachOtherRank) {
  const Communicator world = Communicator::World();
  ExchangePlan plan = MakePlan(world);
  std::vector<double> values(static_cast<std::size_t>(kOwned + 3 * world.Size()), 1.0);
  const Traffic sent_before = world.Sent();
  plan.Gather(world, std::span(values));
  const Traffic sent = world.Sent() - sent_before;
  const auto other_ranks = static_cast<std::int64_t>(world.Size() - 1);
  EXPECT_EQ(sent.messages, other_ranks);
  EXPECT_EQ(sent.bytes, other_ranks * 3 * 8);
}

TEST(ExchangePlan, EmptyPlanSendsNothing) {
  ExchangePlan plan;
  std::vector<double> values = {1.0, 2.0};
  plan.Gather(Communicator::World(), std::span(values));
  EXPECT_EQ(values, (std::vector<double>{1.0, 2.0}));
  EXPECT_TRUE(plan.IsEmpty());
}

}  // namespace
}  // namespace scree::exchange_plan_test
