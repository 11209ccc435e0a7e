#include "solvers/batches/contact_batches.hpp"

#include <gtest/gtest.h>

#include <cstdint>

#include "tests/support/contact_pairs.hpp"

namespace scree::contact_batches_test {
namespace {

using test::kBodies, test::kMoving, test::Pairs;

/// Contact j with data that no other contact has.
Contact NumberedContact(std::size_t j, BodyPair pair) {
  const double x = static_cast<double>(j);
  return {.normal = Vec3(x, 1, 2),
          .bias = x + 1,
          .effective_mass = x + 2,
          .friction = x + 3,
          .a = pair.a,
          .b = pair.b};
}
Vec3 NumberedImpulse(std::size_t j) { return {3, static_cast<double>(j), 5}; }

void Fill(ContactBatches& batches, const std::vector<BodyPair>& pairs) {
  batches.Begin(kMoving, kBodies);
  for (std::size_t j = 0; j < pairs.size(); ++j) {
    batches.Add(NumberedContact(j, pairs[j]), NumberedImpulse(j));
  }
  batches.End();
}

void ExpectContents(const ContactBatches& batches, const std::vector<BodyPair>& pairs) {
  ASSERT_EQ(batches.Size(), pairs.size());
  for (std::size_t j = 0; j < pairs.size(); ++j) {
    const Contact expected = NumberedContact(j, pairs[j]);
    const Contact contact = batches.At(j);
    EXPECT_EQ(contact.normal, expected.normal);
    EXPECT_EQ(contact.bias, expected.bias);
    EXPECT_EQ(contact.effective_mass, expected.effective_mass);
    EXPECT_EQ(contact.friction, expected.friction);
    EXPECT_EQ(contact.a, expected.a);
    EXPECT_EQ(contact.b, expected.b);
    EXPECT_EQ(batches.Impulse(j), NumberedImpulse(j));
  }
}

TEST(ContactBatches, LanesWithoutAContactReferToThePaddingBody) {
  ContactBatches batches;
  Fill(batches, {{0, 1}, {0, 2}, {0, 3}});  // all share body 0: at most one contact per batch
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

/// contact_colouring_test checks the slots themselves.
TEST(ContactBatches, ContactsKeepTheirDataWhenPairsChange) {
  ContactBatches batches;
  const auto pairs = Pairs(2000, 3);
  Fill(batches, pairs);
  ExpectContents(batches, pairs);
  for (const std::size_t index : {0u, 1u, 700u, 1999u}) {
    std::vector<BodyPair> changed_pairs = pairs;
    changed_pairs.erase(changed_pairs.begin() + static_cast<std::ptrdiff_t>(index));
    Fill(batches, changed_pairs);
    ExpectContents(batches, changed_pairs);
    Fill(batches, pairs);
    ExpectContents(batches, pairs);
  }
}

TEST(ContactBatches, SecondProblemOfTheSamePairsReplacesTheFirst) {
  ContactBatches batches;
  const auto pairs = Pairs(500, 3);
  Fill(batches, pairs);
  for (std::size_t j = 0; j < pairs.size(); ++j) batches.SetImpulse(j, Vec3::Zero());
  Fill(batches, pairs);
  ExpectContents(batches, pairs);
}

TEST(ContactBatches, EmptyProblemHasNoBatches) {
  ContactBatches batches;
  Fill(batches, {});
  EXPECT_TRUE(batches.All().empty());
}

}  // namespace
}  // namespace scree::contact_batches_test
