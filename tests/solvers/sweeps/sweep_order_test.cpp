// The order of pipelined sweeps: every batch occurs once, shared batches first. Sweeps keep their
// distance for any position of the shared batches. Also tests when messages are exchanged.
#include "solvers/sweeps/sweep_order.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

namespace scree::sweep_order_test {
namespace {

constexpr Index kChain = 12000;  // more chunks than the messages need

/// A chain on a floor. Each body also touches the bodies 7 and 30 places further along.
struct Chain {
  std::vector<BodyPair> pairs;  // pairs with shared bodies come first
  ContactColouring layout;

  template <class IsShared>
  explicit Chain(IsShared is_shared) {
    for (Index a = 0; a < kChain; ++a) {
      for (const Index step : {1, 7, 30}) {
        if (a + step < kChain) pairs.push_back({a, a + step});
      }
      pairs.push_back({a, kChain});
    }
    const auto touches = [&](const BodyPair& pair) {
      return is_shared(pair.a) || (pair.b < kChain && is_shared(pair.b));
    };
    const auto rest = std::stable_partition(pairs.begin(), pairs.end(), touches);
    layout.Begin(kChain, kChain + 1, static_cast<std::size_t>(rest - pairs.begin()));
    layout.Add(pairs);
    layout.End();
  }

  /// The moving bodies of each batch.
  std::vector<std::set<Index>> Bodies() const {
    std::vector<std::set<Index>> bodies(layout.Batches());
    for (std::size_t j = 0; j < pairs.size(); ++j) {
      for (const Index body : {pairs[j].a, pairs[j].b}) {
        if (body < kChain) bodies[layout.SlotOf(j).batch].insert(body);
      }
    }
    return bodies;
  }
};

constexpr auto kNowhere = [](Index) { return false; };
constexpr auto kBegin = [](Index body) { return body < 40; };
constexpr auto kEnd = [](Index body) { return body >= kChain - 40; };
constexpr auto kBothEnds = [](Index body) { return kBegin(body) || kEnd(body); };
constexpr auto kEverywhere = [](Index body) { return body % 50 == 0; };

/// @returns the bodies of each chunk in the order
std::vector<std::set<Index>> BodiesOfChunks(const Chain& chain, const SweepOrder& order) {
  const std::vector<std::set<Index>> of_batches = chain.Bodies();
  std::vector<int> turns(chain.layout.Batches());
  std::vector<std::set<Index>> bodies(order.Chunks());
  for (std::size_t p = 0; p < order.Chunks(); ++p) {
    for (std::size_t k = order.FirstOf(p); k < order.EndOf(p); ++k) {
      ++turns[k];
      bodies[p].insert(of_batches[k].begin(), of_batches[k].end());
    }
  }
  for (const int its : turns) EXPECT_EQ(its, 1);
  return bodies;
}

void ExpectRight(const Chain& chain, SyncedBodies synced, std::size_t widest) {
  SweepOrder order;
  order.Set(synced, chain.layout);
  const std::vector<std::set<Index>> bodies = BodiesOfChunks(chain, order);
  EXPECT_EQ(order.FirstOf(0), 0u);
  if (chain.layout.HasBorder()) {
    EXPECT_EQ(order.EndOf(0), chain.layout.SharedBatches());
  }
  std::vector<std::size_t> last(kChain);  // chunk of each body
  for (std::size_t p = 0; p < order.Chunks(); ++p) {
    for (const Index body : bodies[p]) last[static_cast<std::size_t>(body)] = p;
  }
  std::size_t needed = 0, largest = 0;
  for (std::size_t p = 0; p < order.Chunks(); ++p) {
    for (const Index body : bodies[p]) {
      const auto i = static_cast<std::size_t>(body);
      ASSERT_GE(order.FirstChunkPlusOneAt(i), 1u);
      EXPECT_LE(order.FirstChunkPlusOneAt(i), p + 1);
      // The previous sweep must have finished the bodies of this chunk.
      EXPECT_LE(p, order.Needs(order.FirstChunkPlusOneAt(i) - 1));
      needed = std::max(needed, last[i]);
    }
    ASSERT_GE(order.Needs(p), std::max(p, needed));
    if (p > 0) largest = std::max(largest, order.Needs(p) - p);
  }
  EXPECT_LE(largest, widest);
  if (synced == SyncedBodies::kShared) {
    EXPECT_GT(order.Needs(0), 20u);  // time for messages
    EXPECT_LT(order.Needs(0), std::max<std::size_t>(order.Chunks(), 20));
  }
}

TEST(SweepOrder, NoChunkBeyondTheDependencySharesABody) {
  ExpectRight(Chain(kNowhere), SyncedBodies::kNone, 2);
  ExpectRight(Chain(kNowhere), SyncedBodies::kShared, 2);
  ExpectRight(Chain(kBegin), SyncedBodies::kShared, 3);
  ExpectRight(Chain(kEnd), SyncedBodies::kShared, 3);
  ExpectRight(Chain(kBothEnds), SyncedBodies::kShared, 6);
  ExpectRight(Chain(kEverywhere), SyncedBodies::kShared, kChain);
}

TEST(SweepOrder, BodiesWithoutContactsHaveNoFirstChunk) {
  ContactColouring layout;
  layout.Begin(4, 4);
  layout.Add(std::vector<BodyPair>{{0, 2}});
  layout.End();
  SweepOrder order;
  order.Set(SyncedBodies::kNone, layout);
  EXPECT_EQ(order.Chunks(), 1u);
  EXPECT_EQ(order.FirstChunkPlusOneAt(1), 0u);
  EXPECT_EQ(order.FirstChunkPlusOneAt(2), 1u);
}

TEST(SweepOrder, EmptyOrderHasOneChunkForMessages) {
  ContactColouring layout;
  layout.Begin(3, 3);
  layout.End();
  SweepOrder order;
  order.Set(SyncedBodies::kNone, layout);
  EXPECT_EQ(order.Chunks(), 0u);
  for (const SyncedBodies synced : {SyncedBodies::kShared, SyncedBodies::kAny}) {
    order.Set(synced, layout);
    ASSERT_GE(order.Chunks(), 1u);
    EXPECT_EQ(order.EndOf(order.Chunks() - 1), 0u);
  }
}

TEST(SweepOrder, WavefrontKeepsTheOrderAndDistanceOfSweeps) {
  for (const Chain& chain : {Chain(kBegin), Chain(kEnd), Chain(kBothEnds), Chain(kEverywhere)}) {
    SweepOrder order;
    order.Set(SyncedBodies::kShared, chain.layout);
    for (const int sweeps : {0, 1, 3, 4, 9}) {
      std::vector<std::size_t> done(static_cast<std::size_t>(sweeps));
      std::size_t ahead = 0;  // sweeps in progress at the same time
      RunWavefront<4>(order, sweeps, [&](int sweep, std::size_t p) {
        const auto s = static_cast<std::size_t>(sweep);
        EXPECT_EQ(p, done[s]);
        if (s > 0) {
          EXPECT_GT(done[s - 1], order.Needs(p));
        }
        ++done[s];
        const auto is_under_way = [&](std::size_t d) { return d > 0 && d < order.Chunks(); };
        ahead =
            std::max(ahead, static_cast<std::size_t>(std::ranges::count_if(done, is_under_way)));
      });
      for (const std::size_t d : done) EXPECT_EQ(d, order.Chunks());
      EXPECT_LE(ahead, 4u);
    }
  }
}

/// Records the calls.
struct Recorder final : BodySync<int> {
  std::string events;
  SyncedBodies Synced() const override { return SyncedBodies::kShared; }
  void Start(std::span<const int>) override {}
  void StartScatter(std::span<const int>) override { events += 's'; }
  void StartGather(std::span<int>) override { events += 'c'; }
  void FinishGather(std::span<int>) override { events += 't'; }
  void Gather(std::span<int>) override {}
};

/// The events of several sweeps as letters: b is a shared chunk, a dot any other chunk.
std::string EventsOf(const Chain& chain, int sweeps) {
  SweepOrder order;
  order.Set(SyncedBodies::kShared, chain.layout);
  Recorder sync;
  PipelinedExchange<int> exchange(order, sync, {});
  RunWavefront<4>(order, sweeps, [&](int, std::size_t p) {
    exchange.BeforeChunk(p);
    sync.events += p == 0 ? 'b' : '.';
    exchange.AfterChunk(p);
  });
  exchange.Finish();
  return sync.events;
}

TEST(SweepOrder, MessagesTravelWhileChunksAreProcessed) {
  for (const Chain& chain : {Chain(kBegin), Chain(kEnd), Chain(kBothEnds), Chain(kEverywhere)}) {
    const std::string events = EventsOf(chain, 3);
    std::string without_chunks = events;
    std::erase(without_chunks, '.');
    EXPECT_EQ(without_chunks, "bsctbsctbsct");
    EXPECT_EQ(events.find("sc"), std::string::npos);
    EXPECT_EQ(events.find("ct"), std::string::npos);
  }
  // All contacts are shared, so no work overlaps with messages.
  const Chain none([](Index) { return true; });
  EXPECT_EQ(EventsOf(none, 2), "bsctbsct");
}

}  // namespace
}  // namespace scree::sweep_order_test
