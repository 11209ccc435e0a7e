// Of the two sides that find a contact, exactly one owns it: the lower of two ranks.
#include "engine/ranks/contact_ownership.hpp"

#include <gtest/gtest.h>

namespace scree::contact_ownership_test {
namespace {

TEST(ContactOwnership, ExactlyOneSideOwnsAContact) {
  for (int rank_a = 0; rank_a < 5; ++rank_a) {
    for (int rank_b = 0; rank_b < 5; ++rank_b) {
      for (const Image& image :
           {Image{0, 0, 0}, Image{1, 0, 0}, Image{-1, 1, 0}, Image{0, 0, -1}}) {
        if (rank_a == rank_b && image == Image{}) continue;  // a particle is no ghost of itself
        Image opposite = image;
        for (std::int8_t& periods : opposite) periods = static_cast<std::int8_t>(-periods);
        EXPECT_NE(OwnsContact(rank_a, rank_b, image), OwnsContact(rank_b, rank_a, opposite));
      }
    }
  }
}

TEST(ContactOwnership, LowerRankOwnsTheContactsOfAnInterface) {
  EXPECT_TRUE(OwnsContact(1, 2, Image{}));
  EXPECT_TRUE(OwnsContact(1, 2, Image{-1, 0, 0}));
  EXPECT_FALSE(OwnsContact(3, 2, Image{1, 0, 0}));
}

}  // namespace
}  // namespace scree::contact_ownership_test
