// Messages and reductions between ranks.
#include "engine/ranks/communicator.hpp"

#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <thread>

#include "tests/support/draw.hpp"

namespace scree::communicator_test {
namespace {

using test::Draw;
using Bytes = std::vector<std::byte>;

Bytes MakeMessage(int sender, int receiver, int round, std::size_t size) {
  Bytes bytes(size);
  for (std::size_t k = 0; k < size; ++k) {
    bytes[k] = static_cast<std::byte>(
        (static_cast<std::size_t>(31 * sender + 17 * receiver + 7 * round) + k) % 251);
  }
  return bytes;
}

TEST(Communicator, RanksAreNumbered) {
  const Communicator world = Communicator::World();
  EXPECT_GE(world.Rank(), 0);
  EXPECT_LT(world.Rank(), world.Size());
  EXPECT_EQ(world.IsRoot(), world.Rank() == 0);
  EXPECT_EQ(Communicator::Self().Size(), 1);
  EXPECT_TRUE(Communicator::Self().IsRoot());
}

TEST(Communicator, ReductionsCoverAllRanks) {
  const Communicator world = Communicator::World();
  const int ranks = world.Size(), rank = world.Rank();
  EXPECT_EQ(world.Sum(static_cast<std::int64_t>(rank + 1)), ranks * (ranks + 1) / 2);
  EXPECT_EQ(world.Max(static_cast<std::int64_t>(-rank)), 0);
  EXPECT_EQ(world.Sum(0.5 * rank), 0.25 * ranks * (ranks - 1));
  EXPECT_EQ(world.Max(1.0 - rank), 1.0);
  EXPECT_EQ(world.ExclusiveSum(10 + rank), 10 * rank + rank * (rank - 1) / 2);

  std::array<std::int64_t, 2> counts = {rank, 1};
  world.Sum(counts);
  EXPECT_EQ(counts, (std::array<std::int64_t, 2>{ranks * (ranks - 1) / 2, ranks}));
  std::array<double, 2> values = {-1.0 * rank, 2.0 * rank};
  world.Max(values);
  EXPECT_EQ(values, (std::array<double, 2>{0.0, 2.0 * (ranks - 1)}));
  world.Sum(std::span<double>{});
}

TEST(Communicator, SentCountsMessagesToOtherRanks) {
  const Communicator world = Communicator::World();
  const Communicator copy = world;
  const int ranks = world.Size(), rank = world.Rank();
  const Traffic start = world.Sent();
  const int peers[2] = {rank, (rank + 1) % ranks};
  const std::span<const int> used_peers = std::span(peers).first(ranks == 2 ? 2 : 1);
  copy.ExchangeUnsized(used_peers, std::vector<Bytes>(used_peers.size(), Bytes(5)));
  // A rank sends the size and then the bytes to another rank, and nothing to itself.
  const Traffic unsized = world.Sent() - start;
  EXPECT_EQ(unsized.messages, ranks == 2 ? 2 : 0);
  EXPECT_EQ(unsized.bytes, ranks == 2 ? 8 + 5 : 0);

  const Traffic sent_before = world.Sent();
  world.ExchangeSparse({{(rank + 1) % ranks, Bytes(7)}});
  const Traffic sparse = world.Sent() - sent_before;
  EXPECT_EQ(sparse.messages, ranks > 1 ? 1 : 0);
  EXPECT_EQ(sparse.bytes, ranks > 1 ? 7 : 0);

  const Traffic sent_before_reductions = world.Sent();
  world.Max(1.0);
  world.Sum(std::int64_t{1});
  world.Barrier();
  NonBlockingMax max(world);
  max.Send(1.0);
  max.Take();
  EXPECT_EQ((world.Sent() - sent_before_reductions).collectives, 4);
  EXPECT_EQ((world.Sent() - sent_before_reductions).messages, 0);
}

TEST(Communicator, SumsHaveTheSameBitsOnAllRanks) {
  const Communicator world = Communicator::World();
  Draw draw(static_cast<std::uint64_t>(world.Rank()));
  for (int k = 0; k < 100; ++k) {
    const double sum = world.Sum(draw.Uniform(-1.0, 1.0));
    EXPECT_EQ(world.Max(sum), -world.Max(-sum));
  }
}

TEST(Communicator, ExactSumsHaveTheSameBitsOnAnyNumberOfRanks) {
  const Communicator world = Communicator::World();
  Draw draw(7);
  std::array<ExactSum, 2> shared, alone;
  for (int k = 0; k < 300; ++k) {
    const double term = draw.Uniform(-1.0, 1.0);
    const auto number = static_cast<std::size_t>(k % 2);
    alone[number].Add(term);
    if (k % world.Size() == world.Rank()) shared[number].Add(term);
  }
  world.Sum(shared);
  for (std::size_t k = 0; k < 2; ++k) EXPECT_EQ(shared[k].Value(), alone[k].Value());
  EXPECT_NE(shared[0].Value(), shared[1].Value());
}

TEST(Communicator, BroadcastSendsTheTextOfRoot) {
  const Communicator world = Communicator::World();
  EXPECT_EQ(world.Broadcast(world.IsRoot() ? "root" : "something longer"), "root");
  EXPECT_EQ(world.Broadcast(world.IsRoot() ? "" : "not empty"), "");
  const std::string text_with_zero("a\0b", 3);
  EXPECT_EQ(world.Broadcast(world.IsRoot() ? text_with_zero : ""), text_with_zero);
}

TEST(Communicator, GatherAtRootKeepsTheOrderOfTheRanks) {
  const Communicator world = Communicator::World();
  const auto length = [](int rank) { return static_cast<std::size_t>(rank % 3); };  // some empty
  const auto texts = world.GatherAtRoot(std::string(length(world.Rank()), 'x'));
  const auto values = world.GatherAtRoot(1.5 * world.Rank());
  ASSERT_EQ(texts.size(), world.IsRoot() ? static_cast<std::size_t>(world.Size()) : 0u);
  ASSERT_EQ(values.size(), texts.size());
  for (std::size_t rank = 0; rank < texts.size(); ++rank) {
    EXPECT_EQ(texts[rank], std::string(length(static_cast<int>(rank)), 'x'));
    EXPECT_EQ(values[rank], 1.5 * static_cast<double>(rank));
  }
}

/// A size that sender and receiver can compute; some sizes are zero.
std::size_t SizeOf(int sender, int receiver, int round) {
  return static_cast<std::size_t>((5 * sender + 3 * receiver + round) % 4 * 1000);
}

TEST(Communicator, ExchangeReachesEveryPeerAndTheSender) {
  const Communicator world = Communicator::World();
  std::vector<int> peers;
  for (int rank = 0; rank < world.Size(); ++rank) peers.push_back(rank);
  for (int round = 0; round < 20; ++round) {
    std::vector<Bytes> send, recv;
    for (const int peer : peers) {
      send.push_back(MakeMessage(world.Rank(), peer, round, SizeOf(world.Rank(), peer, round)));
      recv.emplace_back(SizeOf(peer, world.Rank(), round));
    }
    world.Exchange(peers, std::vector<std::span<const std::byte>>(send.begin(), send.end()),
                   std::vector<std::span<std::byte>>(recv.begin(), recv.end()));
    const auto unsized = world.ExchangeUnsized(peers, send);
    for (std::size_t k = 0; k < peers.size(); ++k) {
      const Bytes expected =
          MakeMessage(peers[k], world.Rank(), round, SizeOf(peers[k], world.Rank(), round));
      EXPECT_EQ(recv[k], expected);
      EXPECT_EQ(unsized[k], expected);
    }
  }
  EXPECT_TRUE(world.ExchangeUnsized({}, {}).empty());
}

TEST(PersistentExchange, SendsTheCurrentContentsOfTheBuffers) {
  const Communicator world = Communicator::World();
  std::vector<int> peers;
  std::vector<Bytes> send, recv;
  for (int peer = 0; peer < world.Size(); ++peer) {
    peers.push_back(peer);
    // Some messages are empty, the others longer than MPI sends in one piece.
    const auto size = [](int sender, int receiver) {
      return static_cast<std::size_t>((sender + receiver) % 3 * 50000);
    };
    send.emplace_back(size(world.Rank(), peer));
    recv.emplace_back(size(peer, world.Rank()));
  }
  PersistentExchange first(world, peers,
                           std::vector<std::span<std::byte>>(send.begin(), send.end()),
                           std::vector<std::span<std::byte>>(recv.begin(), recv.end()));
  PersistentExchange exchange;
  exchange = std::move(first);
  for (int round = 0; round < 5; ++round) {
    for (std::size_t k = 0; k < peers.size(); ++k) {
      const Bytes message = MakeMessage(world.Rank(), peers[k], round, send[k].size());
      std::copy(message.begin(), message.end(), send[k].begin());
    }
    exchange.Start();
    exchange.Finish();
    for (std::size_t k = 0; k < peers.size(); ++k) {
      EXPECT_EQ(recv[k], MakeMessage(peers[k], world.Rank(), round, recv[k].size()));
    }
  }
}

TEST(NonBlockingMax, IsTheMaximumOverAllRanks) {
  const Communicator world = Communicator::World();
  NonBlockingMax max(world);
  for (int round = 0; round < 20; ++round) {
    const int rank_of_max = round % world.Size();
    max.Send(world.Rank() == rank_of_max ? 2.5 + round : -1.0);
    EXPECT_EQ(max.Take(), 2.5 + round);
  }
}

TEST(Communicator, AllRanksReachABarrierInTime) {
  EXPECT_TRUE(Communicator::World().BarrierWithin(3600.0));
  EXPECT_TRUE(Communicator::Self().BarrierWithin(3600.0));
}

TEST(Communicator, RootStopsWaitingForAMissingRank) {
  const Communicator world = Communicator::World();
  if (world.Size() == 1) return;
  if (!world.IsRoot()) {
    std::this_thread::sleep_for(std::chrono::milliseconds(300));
    EXPECT_TRUE(world.BarrierWithin(3600.0));  // the barrier that root has already entered
  } else {
    EXPECT_FALSE(world.BarrierWithin(0.05));
  }
}

TEST(Communicator, MessagesOfRandomSparsePatternsArrive) {
  const Communicator world = Communicator::World();
  Draw draw(9);  // all ranks draw the whole pattern
  for (int round = 0; round < 300; ++round) {
    std::vector<Communicator::Message> messages, expected;
    for (int sender = 0; sender < world.Size(); ++sender) {
      for (int receiver = 0; receiver < world.Size(); ++receiver) {
        const bool exists = draw.Integer(0, 2) == 0;
        // Some messages are long: above some kilobytes MPI uses another protocol.
        const std::size_t size =
            round % 50 == 0 ? 200000 : static_cast<std::size_t>(draw.Integer(0, 99));
        if (!exists) continue;
        if (sender == world.Rank())
          messages.push_back({receiver, MakeMessage(sender, receiver, round, size)});
        if (receiver == world.Rank())
          expected.push_back({sender, MakeMessage(sender, receiver, round, size)});
      }
    }
    const auto received = world.ExchangeSparse(messages);
    ASSERT_EQ(received.size(), expected.size()) << "round " << round;
    for (std::size_t k = 0; k < expected.size(); ++k) {
      EXPECT_EQ(received[k].rank, expected[k].rank);
      EXPECT_EQ(received[k].bytes, expected[k].bytes);
    }
  }
}

}  // namespace
}  // namespace scree::communicator_test
