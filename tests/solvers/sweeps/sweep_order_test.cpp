// The order of pipelined sweeps: every batch occurs once, shared batches first. Successive sweeps
// keep their distance wherever the shared batches are. Also tests when messages travel.
#include "solvers/sweeps/sweep_order.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

namespace scree::sweep_order_test {
namespace {

constexpr Index kChainLength = 12000;  // more chunks than are run while messages travel

/// A chain on a floor. Body i also touches bodies i + 7 and i + 30.
struct Chain {
  std::vector<BodyPair> pairs;  // pairs with shared bodies come first
  ContactColouring layout;

  template <class IsShared>
  explicit Chain(IsShared is_shared) {
    for (Index a = 0; a < kChainLength; ++a) {
      for (const Index step : {1, 7, 30}) {
        if (a + step < kChainLength) pairs.push_back({a, a + step});
      }
      pairs.push_back({a, kChainLength});
    }
    const auto has_shared_body = [&](const BodyPair& pair) {
      return is_shared(pair.a) || (pair.b < kChainLength && is_shared(pair.b));
    };
    const auto local_begin = std::stable_partition(pairs.begin(), pairs.end(), has_shared_body);
    layout.Begin(kChainLength, kChainLength + 1,
                 static_cast<std::size_t>(local_begin - pairs.begin()));
    layout.Add(pairs);
    layout.End();
  }

  /// The moving bodies of each batch.
  std::vector<std::set<Index>> Bodies() const {
    std::vector<std::set<Index>> bodies(layout.Batches());
    for (std::size_t j = 0; j < pairs.size(); ++j) {
      for (const Index body : {pairs[j].a, pairs[j].b}) {
        if (body < kChainLength) bodies[layout.SlotOf(j).batch].insert(body);
      }
    }
    return bodies;
  }
};

constexpr auto kNoBody = [](Index) { return false; };
constexpr auto kFirstBodies = [](Index body) { return body < 40; };
constexpr auto kLastBodies = [](Index body) { return body >= kChainLength - 40; };
constexpr auto kBothEnds = [](Index body) { return kFirstBodies(body) || kLastBodies(body); };
constexpr auto kEvery50th = [](Index body) { return body % 50 == 0; };

std::vector<std::set<Index>> BodiesOfChunks(const Chain& chain, const SweepOrder& order) {
  const std::vector<std::set<Index>> bodies_of_batch = chain.Bodies();
  std::vector<int> visits(chain.layout.Batches());
  std::vector<std::set<Index>> bodies(order.Chunks());
  for (std::size_t p = 0; p < order.Chunks(); ++p) {
    for (std::size_t k = order.FirstOf(p); k < order.EndOf(p); ++k) {
      ++visits[k];
      bodies[p].insert(bodies_of_batch[k].begin(), bodies_of_batch[k].end());
    }
  }
  for (const int visit_count : visits) EXPECT_EQ(visit_count, 1);
  return bodies;
}

void CheckOrder(const Chain& chain, SyncedBodies synced, std::size_t max_allowed_distance) {
  SweepOrder order;
  order.Set(synced, chain.layout);
  const std::vector<std::set<Index>> bodies = BodiesOfChunks(chain, order);
  EXPECT_EQ(order.FirstOf(0), 0u);
  if (chain.layout.HasSharedBatches()) {
    EXPECT_EQ(order.EndOf(0), chain.layout.SharedBatches());
  }
  std::vector<std::size_t> last_chunk(kChainLength);  // of each body
  for (std::size_t p = 0; p < order.Chunks(); ++p) {
    for (const Index body : bodies[p]) last_chunk[static_cast<std::size_t>(body)] = p;
  }
  std::size_t max_needed = 0, max_distance = 0;
  for (std::size_t p = 0; p < order.Chunks(); ++p) {
    for (const Index body : bodies[p]) {
      const auto i = static_cast<std::size_t>(body);
      ASSERT_GE(order.FirstChunkPlusOneAt(i), 1u);
      EXPECT_LE(order.FirstChunkPlusOneAt(i), p + 1);
      // The previous sweep must have finished the bodies of this chunk.
      EXPECT_LE(p, order.Dependency(order.FirstChunkPlusOneAt(i) - 1));
      max_needed = std::max(max_needed, last_chunk[i]);
    }
    ASSERT_GE(order.Dependency(p), std::max(p, max_needed));
    if (p > 0) max_distance = std::max(max_distance, order.Dependency(p) - p);
  }
  EXPECT_LE(max_distance, max_allowed_distance);
  if (synced == SyncedBodies::kShared) {
    EXPECT_GT(order.Dependency(0), 20u);  // time for messages
    EXPECT_LT(order.Dependency(0), std::max<std::size_t>(order.Chunks(), 20));
  }
}

TEST(SweepOrder, NoChunkBeyondTheDependencySharesABody) {
  CheckOrder(Chain(kNoBody), SyncedBodies::kNone, 2);
  CheckOrder(Chain(kNoBody), SyncedBodies::kShared, 2);
  CheckOrder(Chain(kFirstBodies), SyncedBodies::kShared, 3);
  CheckOrder(Chain(kLastBodies), SyncedBodies::kShared, 3);
  CheckOrder(Chain(kBothEnds), SyncedBodies::kShared, 6);
  CheckOrder(Chain(kEvery50th), SyncedBodies::kShared, kChainLength);
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

TEST(SweepOrder, EmptyOrderHasAnEmptyChunkForMessages) {
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
  for (const Chain& chain :
       {Chain(kFirstBodies), Chain(kLastBodies), Chain(kBothEnds), Chain(kEvery50th)}) {
    SweepOrder order;
    order.Set(SyncedBodies::kShared, chain.layout);
    for (const int sweeps : {0, 1, 3, 4, 9}) {
      std::vector<std::size_t> chunks_done(static_cast<std::size_t>(sweeps));
      std::size_t max_in_progress = 0;  // sweeps in progress at the same time
      RunWavefront<4>(order, sweeps, [&](int sweep, std::size_t p) {
        const auto s = static_cast<std::size_t>(sweep);
        EXPECT_EQ(p, chunks_done[s]);
        if (s > 0) {
          EXPECT_GT(chunks_done[s - 1], order.Dependency(p));
        }
        ++chunks_done[s];
        const auto is_in_progress = [&](std::size_t d) { return d > 0 && d < order.Chunks(); };
        max_in_progress =
            std::max(max_in_progress,
                     static_cast<std::size_t>(std::ranges::count_if(chunks_done, is_in_progress)));
      });
      for (const std::size_t d : chunks_done) EXPECT_EQ(d, order.Chunks());
      EXPECT_LE(max_in_progress, 4u);
    }
  }
}

struct Recorder final : BodySync<int> {
  std::string events;
  SyncedBodies Synced() const override { return SyncedBodies::kShared; }
  void Start(std::span<const int>) override {}
  void StartScatter(std::span<const int>) override { events += 's'; }
  void StartGather(std::span<int>) override { events += 'c'; }
  void FinishGather(std::span<int>) override { events += 't'; }
  void Gather(std::span<int>) override {}
};

/// The events of several sweeps: b is the chunk of shared batches, a dot any other chunk; s, c, t
/// are calls of StartScatter, StartGather and FinishGather.
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
  for (const Chain& chain :
       {Chain(kFirstBodies), Chain(kLastBodies), Chain(kBothEnds), Chain(kEvery50th)}) {
    const std::string events = EventsOf(chain, 3);
    std::string without_chunks = events;
    std::erase(without_chunks, '.');
    EXPECT_EQ(without_chunks, "bsctbsctbsct");
    EXPECT_EQ(events.find("sc"), std::string::npos);
    EXPECT_EQ(events.find("ct"), std::string::npos);
  }
  // All contacts are shared, so no work overlaps with messages.
  const Chain all_shared([](Index) { return true; });
  EXPECT_EQ(EventsOf(all_shared, 2), "bsctbsct");
}

}  // namespace
}  // namespace scree::sweep_order_test
