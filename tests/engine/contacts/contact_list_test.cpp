// Contacts of bodies that are on several ranks come first.
#include "engine/contacts/contact_list.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <set>
#include <utility>

#include "tests/support/draw.hpp"

namespace scree::contact_list_test {
namespace {

/// A contact whose gap encodes its two bodies.
DetectedContact ContactOf(Index a, Index b) { return {Vec3::UnitZ(), 1.0 * a + 0.1 * b, a, b}; }

std::vector<std::pair<Index, Index>> PairsOf(const ContactList& contacts) {
  std::vector<std::pair<Index, Index>> pairs;
  for (const DetectedContact& contact : contacts) {
    EXPECT_EQ(contact.gap, 1.0 * contact.a + 0.1 * contact.b);
    pairs.emplace_back(contact.a, contact.b);
  }
  return pairs;
}

TEST(ContactList, SharedContactsComeFirstAndBothKindsKeepTheirOrder) {
  const std::vector<std::uint8_t> shared = {1, 0, 0, 1};
  constexpr Index kWall = 4;
  const std::vector<std::pair<Index, Index>> pairs = {{1, 2}, {0, 1},     {1, kWall}, {2, 3},
                                                      {2, 1}, {0, kWall}, {0, 3}};
  ContactList contacts;
  contacts.Begin(shared);
  for (const auto& [a, b] : pairs) contacts.Add(ContactOf(a, b));
  contacts.End();
  EXPECT_EQ(contacts.SharedCount(), 4u);
  EXPECT_EQ(PairsOf(contacts),
            (std::vector<std::pair<Index, Index>>{
                {0, 1}, {2, 3}, {0, kWall}, {0, 3}, {1, 2}, {1, kWall}, {2, 1}}));
  contacts.Begin(shared);
  contacts.End();
  EXPECT_TRUE(contacts.empty());
  EXPECT_EQ(contacts.SharedCount(), 0u);
}

/// The numbers of shared and of other contacts vary from step to step, below and above the capacity
/// of the list.
TEST(ContactList, EqualsAStablePartitionForAnyCapacity) {
  constexpr Index kBodies = 30;
  test::Draw draw(5);
  ContactList contacts;
  for (int step = 0; step < 200; ++step) {
    std::vector<std::uint8_t> shared(kBodies, 0);
    const double shared_fraction = draw.Uniform(0.0, 1.0);
    for (std::uint8_t& mark : shared)
      mark = draw.Uniform(0.0, 1.0) < shared_fraction * shared_fraction ? 1 : 0;
    if (step % 7 == 0) contacts.Reserve(40, step % 14 == 0);
    contacts.Begin(shared);
    std::vector<std::pair<Index, Index>> expected;
    const int count = static_cast<int>(draw.Uniform(0.0, 60.0));
    for (int j = 0; j < count; ++j) {
      const auto a = static_cast<Index>(draw.Uniform(0.0, kBodies));
      const auto b = static_cast<Index>(draw.Uniform(0.0, kBodies + 3));  // some are walls
      contacts.Add(ContactOf(a, b));
      expected.emplace_back(a, b);
    }
    contacts.End();
    const auto is_shared = [&](const std::pair<Index, Index>& pair) {
      return shared[static_cast<std::size_t>(pair.first)] == 1 ||
             (pair.second < kBodies && shared[static_cast<std::size_t>(pair.second)] == 1);
    };
    const auto local_begin = std::stable_partition(expected.begin(), expected.end(), is_shared);
    EXPECT_EQ(PairsOf(contacts), expected);
    EXPECT_EQ(contacts.size(), expected.size());
    EXPECT_EQ(contacts.SharedCount(), static_cast<std::size_t>(local_begin - expected.begin()));
  }
}

TEST(ContactList, MovedContactsKeepTheirOrder) {
  ContactList contacts;
  contacts.Begin();
  for (const Index a : {3, 1, 4, 1, 5, 9, 2, 6}) contacts.Add(ContactOf(a, 0));
  contacts.End();
  ContactList moved;
  moved.Add({});
  contacts.MoveTo(moved, [](const DetectedContact& contact) { return contact.a > 3; });
  EXPECT_EQ(PairsOf(contacts),
            (std::vector<std::pair<Index, Index>>{{3, 0}, {1, 0}, {1, 0}, {2, 0}}));
  ASSERT_EQ(moved.size(), 5u);
  EXPECT_EQ(moved[1].a, 4);
  EXPECT_EQ(moved[4].a, 6);
}

TEST(ContactList, GeometryMovesWithItsContact) {
  const std::vector<std::uint8_t> marks = {0, 1, 0, 1, 0};
  ContactList contacts, moved;
  const auto expect_own_geometry = [](const ContactList& list) {
    const ContactSpan all = list.All();
    ASSERT_EQ(all.geometry.size(), list.size());
    for (std::size_t j = 0; j < all.size(); ++j) EXPECT_EQ(all.geometry[j].radius_a, all[j].a);
  };
  const auto add = [&](Index a) {
    ContactGeometry geometry;
    geometry.radius_a = a;
    contacts.Add(ContactOf(a, 0), geometry);
  };
  // From the second round on there is free capacity at the front.
  for (int round = 0; round < 3; ++round) {
    contacts.Begin(marks);
    for (const Index a : {0, 1, 2, 3, 4, 1, 2}) add(a);
    contacts.End();
    EXPECT_EQ(contacts.SharedCount(), 3u);
    expect_own_geometry(contacts);
  }
  contacts.Begin();
  for (const Index a : {3, 1, 4, 1, 5}) add(a);
  contacts.End();
  contacts.MoveTo(moved, [](const DetectedContact& contact) { return contact.a > 2; });
  EXPECT_EQ(moved.size(), 3u);
  expect_own_geometry(contacts);
  expect_own_geometry(moved);
}

/// The corners of a face are numbered around it.
TEST(ContactList, SuccessiveContactsOfAPairAreFarFromEachOther) {
  for (const int corners : {5, 8, 13, 14, 24, 100}) {
    ContactList contacts;
    contacts.Begin();
    const auto add = [&](Index a, Index b, int corner) {
      ContactGeometry geometry;
      geometry.radius_a = corner;
      contacts.Add(ContactOf(a, b), geometry);
    };
    for (int k = 0; k < 4; ++k) add(0, 1, k);
    for (int k = 0; k < corners; ++k) add(0, 2, k);
    for (int k = 0; k < 4; ++k) add(1, 2, k);
    contacts.End();
    const ContactSpan all = contacts.All();
    const auto corner_of = [&](int j) {
      return static_cast<int>(all.geometry[static_cast<std::size_t>(j)].radius_a);
    };
    for (int k = 0; k < 4; ++k) {  // up to four contacts keep their order
      EXPECT_EQ(corner_of(k), k);
      EXPECT_EQ(corner_of(4 + corners + k), k);
    }
    std::set<int> found = {corner_of(4)};
    int distances = 0;
    for (int k = 1; k < corners; ++k) {
      const int distance = std::abs(corner_of(4 + k) - corner_of(3 + k));
      distances += std::min(distance, corners - distance);
      found.insert(corner_of(4 + k));
    }
    EXPECT_EQ(found.size(), static_cast<std::size_t>(corners));
    EXPECT_GT(3 * distances, corners * (corners - 1)) << corners;
  }
}

}  // namespace
}  // namespace scree::contact_list_test
