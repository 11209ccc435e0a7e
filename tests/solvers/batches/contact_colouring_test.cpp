// Graph colouring: contacts of a batch, and of two adjacent batches, share no moving body. Slots
// depend only on the pairs. Also tests the guarantees for pipelined sweeps.
#include "solvers/batches/contact_colouring.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <numeric>
#include <set>
#include <vector>

#include "tests/support/contact_pairs.hpp"

namespace scree::contact_colouring_test {
namespace {

using test::kBodies, test::kMoving, test::Pairs;

void Fill(ContactColouring& layout, const std::vector<BodyPair>& pairs, std::size_t shared = 0) {
  layout.Begin(kMoving, kBodies, shared);
  layout.Add(pairs);
  layout.End();
}

/// The moving bodies of each batch. Expects each body at most once per batch, and filled lanes
/// before empty ones.
std::vector<std::set<Index>> BodiesOfBatches(const ContactColouring& layout,
                                             const std::vector<BodyPair>& pairs,
                                             Index first_fixed) {
  std::vector<std::set<Index>> bodies(layout.Batches());
  std::vector<std::set<std::uint32_t>> lanes(layout.Batches());
  for (std::size_t j = 0; j < pairs.size(); ++j) {
    const ContactSlot slot = layout.SlotOf(j);
    EXPECT_TRUE(lanes[slot.batch].insert(slot.lane).second) << "two contacts in one slot";
    for (const Index body : {pairs[j].a, pairs[j].b}) {
      if (body >= first_fixed) continue;
      EXPECT_TRUE(bodies[slot.batch].insert(body).second) << "a moving body twice in a batch";
    }
  }
  for (std::size_t k = 0; k < layout.Batches(); ++k) {
    EXPECT_EQ(lanes[k].size(), layout.LanesOf(k));
    EXPECT_TRUE(lanes[k].empty() || *lanes[k].rbegin() + 1 == lanes[k].size());
  }
  return bodies;
}

void ExpectSame(const ContactColouring& a, const ContactColouring& b) {
  ASSERT_EQ(a.Size(), b.Size());
  ASSERT_EQ(a.Batches(), b.Batches());
  for (std::size_t j = 0; j < a.Size(); ++j) {
    EXPECT_EQ(a.SlotOf(j).batch, b.SlotOf(j).batch);
    EXPECT_EQ(a.SlotOf(j).lane, b.SlotOf(j).lane);
  }
  ASSERT_EQ(a.Chunks(), b.Chunks());
  for (std::size_t p = 0; p < a.Chunks(); ++p) {
    EXPECT_EQ(a.LastConnectedChunk(p), b.LastConnectedChunk(p));
    EXPECT_EQ(a.TouchesSharedBatches(p), b.TouchesSharedBatches(p));
  }
}

TEST(ContactColouring, AdjacentBatchesShareNoMovingBody) {
  ContactColouring layout;
  const auto pairs = Pairs(1000, 1);
  Fill(layout, pairs);
  const auto bodies = BodiesOfBatches(layout, pairs, kMoving);
  for (std::size_t k = 1; k < bodies.size(); ++k) {
    for (const Index body : bodies[k]) EXPECT_FALSE(bodies[k - 1].contains(body));
  }
}

TEST(ContactColouring, SlotsAreKeptWhileThePairsStayTheSame) {
  ContactColouring layout, fresh;
  const auto pairs = Pairs(500, 3);
  Fill(layout, pairs);
  EXPECT_FALSE(layout.IsReused());
  Fill(layout, pairs);
  EXPECT_TRUE(layout.IsReused());
  Fill(fresh, pairs);
  ExpectSame(layout, fresh);
}

TEST(ContactColouring, ChangedPairsGetTheSlotsOfANewColouring) {
  ContactColouring layout;
  const auto pairs = Pairs(2000, 3);
  Fill(layout, pairs);
  for (const std::size_t index : {0u, 1u, 700u, 1999u}) {
    for (const std::ptrdiff_t count_change : {-1, 0, 1}) {
      std::vector<BodyPair> changed_pairs = pairs;
      const auto position = changed_pairs.begin() + static_cast<std::ptrdiff_t>(index);
      if (count_change < 0) changed_pairs.erase(position);
      if (count_change == 0) position->b = position->b == 7 ? 8 : 7;
      if (count_change > 0) changed_pairs.insert(position, {3, 150});
      Fill(layout, changed_pairs);
      EXPECT_FALSE(layout.IsReused());
      ContactColouring fresh;
      Fill(fresh, changed_pairs);
      ExpectSame(layout, fresh);
    }
  }
}

TEST(ContactColouring, LastConnectedChunkCoversTheBodiesOfAChunk) {
  constexpr Index kChainLength = 4000;
  std::vector<BodyPair> pairs;
  for (Index a = 0; a + 90 < kChainLength; ++a) {
    for (const Index step : {1, 7, 90}) pairs.push_back({a, a + step});
    pairs.push_back({a, kChainLength});  // the floor, which is fixed and does not count
  }
  for (const std::size_t shared : {0u, 1u, 700u, 15640u}) {
    ContactColouring layout;
    layout.Begin(kChainLength, kChainLength + 1, shared);
    layout.Add(pairs);
    layout.End();
    const bool has_shared = shared > 0;
    ASSERT_EQ(layout.HasSharedBatches(), has_shared);
    ASSERT_GT(layout.Chunks(), shared == pairs.size() ? 0u : 10u);
    const auto bodies_of_batch = BodiesOfBatches(layout, pairs, kChainLength);
    std::map<Index, std::set<std::size_t>> chunks;  // of each body
    std::size_t next_batch = 0;
    for (std::size_t p = 0; p < layout.Chunks(); ++p) {
      ASSERT_EQ(layout.FirstOf(p), next_batch);
      next_batch = layout.EndOf(p);
      for (std::size_t k = layout.FirstOf(p); k < next_batch; ++k) {
        for (const Index body : bodies_of_batch[k]) chunks[body].insert(p);
      }
    }
    EXPECT_EQ(next_batch, layout.Batches());
    std::vector<std::size_t> last_connected(layout.Chunks());
    std::iota(last_connected.begin(), last_connected.end(), std::size_t{0});
    std::set<std::size_t> touching_shared;
    for (const auto& [body, chunks_of_body] : chunks) {
      const std::size_t first = *chunks_of_body.begin();
      EXPECT_EQ(layout.FirstChunkPlusOne(static_cast<std::size_t>(body)), first + 1);
      last_connected[first] = std::max(last_connected[first], *chunks_of_body.rbegin());
      if (first == 0) touching_shared.insert(chunks_of_body.begin(), chunks_of_body.end());
    }
    for (std::size_t p = 0; p < layout.Chunks(); ++p) {
      EXPECT_GE(layout.LastConnectedChunk(p), last_connected[p]);
      EXPECT_LE(layout.LastConnectedChunk(p),
                last_connected[p] + 1);  // contacts may move one chunk back
      if (has_shared) {
        EXPECT_EQ(layout.TouchesSharedBatches(p), touching_shared.contains(p));
      }
    }
  }
}

TEST(ContactColouring, SharedBatchesContainExactlyTheFirstContacts) {
  const auto pairs = Pairs(1000, 4);
  for (const std::size_t shared : {0u, 1u, 100u, 999u, 1000u, 2000u}) {
    ContactColouring layout;
    Fill(layout, pairs, shared);
    BodiesOfBatches(layout, pairs, kMoving);
    for (std::size_t j = 0; j < pairs.size(); ++j) {
      EXPECT_EQ(layout.SlotOf(j).batch < layout.SharedBatches(), j < shared);
    }
    // If all contacts are shared, there are as many batches as if none is.
    ContactColouring unshared;
    Fill(unshared, pairs);
    if (shared >= pairs.size()) {
      EXPECT_EQ(layout.Batches(), unshared.Batches());
    }
  }
}

TEST(ContactColouring, AnotherSharedCountChangesTheColouring) {
  const auto pairs = Pairs(1000, 4);
  ContactColouring layout, fresh;
  Fill(layout, pairs, 100);
  Fill(layout, pairs, 100);
  EXPECT_TRUE(layout.IsReused());
  Fill(layout, pairs, 101);
  EXPECT_FALSE(layout.IsReused());
  Fill(fresh, pairs, 101);
  ExpectSame(layout, fresh);
  // A pair changes among the shared contacts, or after them.
  for (const std::size_t index : {50u, 101u, 500u}) {
    auto changed_pairs = pairs;
    std::swap(changed_pairs[index], changed_pairs[index + 1]);
    ContactColouring second;
    Fill(layout, changed_pairs, 101);
    Fill(second, changed_pairs, 101);
    ExpectSame(layout, second);
  }
}

TEST(ContactColouring, UnsharedContactsFillTheLanes) {
  ContactColouring layout;
  std::vector<BodyPair> pairs;
  for (Index a = 0; a + 7 < kMoving; ++a) {
    for (const Index step : {1, 3, 7}) pairs.push_back({a, a + step});
  }
  Fill(layout, pairs);
  const double full = static_cast<double>(pairs.size()) / kLanes;
  EXPECT_LT(static_cast<double>(layout.Batches()), 1.1 * full + 8);
}

}  // namespace
}  // namespace scree::contact_colouring_test
