#include "solvers/contact_batches.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>

namespace scree {
namespace {

constexpr Index kMoving = 200, kFixed = 3, kBodies = kMoving + kFixed;

/// Contacts of a chain of neighbours as a sorted packing has them, some with fixed bodies.
std::vector<ContactBatches::Pair> Pairs(int count, unsigned seed) {
  std::mt19937 random(seed);
  std::vector<ContactBatches::Pair> pairs;
  while (pairs.size() < static_cast<std::size_t>(count)) {
    const auto a = static_cast<Index>(pairs.size() * kMoving / static_cast<std::size_t>(count));
    const auto b = random() % 10 == 0 ? static_cast<Index>(kMoving + random() % kFixed)
                                      : static_cast<Index>(random() % kMoving);
    if (a != b) pairs.push_back({a, b});
  }
  return pairs;
}

void Begin(ContactBatches& batches, const std::vector<ContactBatches::Pair>& pairs) {
  batches.Begin(pairs.size(), kMoving, kBodies, [&](std::size_t j) { return pairs[j]; });
}

std::set<BodyOffset> MovingBodies(const ContactBatch& batch) {
  std::set<BodyOffset> bodies;
  for (std::size_t lane = 0; lane < kLanes; ++lane) {
    for (const BodyOffset offset : {batch.a[lane], batch.b[lane]}) {
      if (offset / sizeof(SphereBody) >= kMoving) continue;
      EXPECT_TRUE(bodies.insert(offset).second) << "a moving body twice in a batch";
    }
  }
  return bodies;
}

TEST(ContactBatches, NeitherABatchNorTwoNeighboursShareAMovingBody) {
  ContactBatches batches;
  Begin(batches, Pairs(1000, 1));
  std::set<BodyOffset> last;
  for (const ContactBatch& batch : batches.All()) {
    const std::set<BodyOffset> now = MovingBodies(batch);
    std::vector<BodyOffset> shared;
    std::set_intersection(last.begin(), last.end(), now.begin(), now.end(),
                          std::back_inserter(shared));
    EXPECT_TRUE(shared.empty());
    last = now;
  }
}

TEST(ContactBatches, EveryContactHasOnePlaceAndItsData) {
  ContactBatches batches;
  const auto pairs = Pairs(777, 2);
  Begin(batches, pairs);
  ASSERT_EQ(batches.Size(), pairs.size());
  for (std::size_t j = 0; j < pairs.size(); ++j) {
    const double x = static_cast<double>(j);
    batches.Set(j, {Vec3(x, 1, 2), x + 1, x + 2, x + 3, pairs[j].a, pairs[j].b}, Vec3(3, x, 5));
  }
  for (std::size_t j = 0; j < pairs.size(); ++j) {
    const double x = static_cast<double>(j);
    const Contact contact = batches.At(j);
    EXPECT_EQ(contact.normal, Vec3(x, 1, 2));
    EXPECT_EQ(contact.bias, x + 1);
    EXPECT_EQ(contact.effective_mass, x + 2);
    EXPECT_EQ(contact.friction, x + 3);
    EXPECT_EQ(contact.a, pairs[j].a);
    EXPECT_EQ(contact.b, pairs[j].b);
    EXPECT_EQ(batches.Impulse(j), Vec3(3, x, 5));
  }
}

TEST(ContactBatches, LanesWithoutAContactDoNothing) {
  ContactBatches batches;
  Begin(batches, {{0, 1}, {0, 2}, {0, 3}});  // all share body 0: one contact per batch at most
  std::size_t padded = 0;
  for (const ContactBatch& batch : batches.All()) {
    for (std::size_t lane = 0; lane < kLanes; ++lane) {
      if (batch.a[lane] != kBodies * sizeof(SphereBody)) continue;
      ++padded;
      EXPECT_EQ(batch.b[lane], kBodies * sizeof(SphereBody));
      EXPECT_EQ(batch.effective_mass[lane], 0.0);
      EXPECT_EQ(batch.impulse[0][lane], 0.0);
    }
  }
  EXPECT_EQ(padded + 3, batches.All().size() * kLanes);
}

TEST(ContactBatches, PlacesAreKeptWhileThePairsStayTheSame) {
  ContactBatches batches;
  auto pairs = Pairs(500, 3);
  Begin(batches, pairs);
  Begin(batches, pairs);
  EXPECT_EQ(batches.Arrangements(), 1);
  std::swap(pairs[10], pairs[400]);
  Begin(batches, pairs);
  EXPECT_EQ(batches.Arrangements(), 2);
  pairs.pop_back();
  Begin(batches, pairs);
  EXPECT_EQ(batches.Arrangements(), 3);
  EXPECT_EQ(batches.At(10).a, pairs[10].a);
}

TEST(ContactBatches, LocalContactsFillTheLanes) {
  ContactBatches batches;
  std::vector<ContactBatches::Pair> pairs;
  for (Index a = 0; a + 7 < kMoving; ++a) {
    for (const Index step : {1, 3, 7}) pairs.push_back({a, a + step});
  }
  Begin(batches, pairs);
  const double full = static_cast<double>(pairs.size()) / kLanes;
  EXPECT_LT(static_cast<double>(batches.All().size()), 1.1 * full + 8);
}

TEST(ContactBatches, NoContactsMakeNoBatches) {
  ContactBatches batches;
  Begin(batches, {});
  EXPECT_TRUE(batches.All().empty());
}

}  // namespace
}  // namespace scree
