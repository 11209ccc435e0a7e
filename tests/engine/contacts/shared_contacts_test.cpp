// Contacts that touch what several ranks hold come first.
#include "engine/contacts/shared_contacts.hpp"

#include <gtest/gtest.h>

namespace scree::shared_contacts_test {
namespace {

TEST(SharedContacts, GhostsAndWhatIsAGhostElsewhereAreShared) {
  ExchangePlan::Peer near{0, {2, 0}, 4, 1}, far{3, {2}, 5, 2};
  const ExchangePlan plan({near, far});
  std::vector<std::uint8_t> shared = {9, 9};
  MarkShared(plan, 7, shared);
  EXPECT_EQ(shared, (std::vector<std::uint8_t>{1, 0, 1, 0, 1, 1, 1}));
  MarkShared(ExchangePlan(), 2, shared);
  EXPECT_EQ(shared, (std::vector<std::uint8_t>{0, 0}));
}

TEST(SharedContacts, ComeFirstAndBothKindsKeepTheirOrder) {
  const std::vector<std::uint8_t> shared = {1, 0, 0, 1};
  constexpr Index kWall = 4;
  const std::vector<std::pair<Index, Index>> pairs = {{1, 2}, {0, 1},     {1, kWall}, {2, 3},
                                                      {2, 1}, {0, kWall}, {0, 3}};
  std::vector<DetectedContact> contacts, spare(20);
  for (const auto& [a, b] : pairs) contacts.push_back({Vec3::UnitZ(), 1.0 * a + 0.1 * b, a, b});
  EXPECT_EQ(PutSharedFirst(shared, contacts, spare), 4u);
  std::vector<std::pair<Index, Index>> found;
  for (const DetectedContact& contact : contacts) {
    found.emplace_back(contact.a, contact.b);
    EXPECT_EQ(contact.gap, 1.0 * contact.a + 0.1 * contact.b);
  }
  EXPECT_EQ(found, (std::vector<std::pair<Index, Index>>{
                       {0, 1}, {2, 3}, {0, kWall}, {0, 3}, {1, 2}, {1, kWall}, {2, 1}}));
  contacts.clear();
  EXPECT_EQ(PutSharedFirst(shared, contacts, spare), 0u);
}

}  // namespace
}  // namespace scree::shared_contacts_test
