// Exactly one of the two sides treats a contact.
#include "engine/contact_ownership.hpp"

#include <gtest/gtest.h>

namespace scree {
namespace {

TEST(ContactOwnership, ExactlyOneSideTreatsAContact) {
  for (int rank_a = 0; rank_a < 5; ++rank_a) {
    for (int rank_b = 0; rank_b < 5; ++rank_b) {
      for (ParticleId a = 0; a < 6; ++a) {
        for (ParticleId b = 0; b < 6; ++b) {
          if (a == b) continue;
          EXPECT_NE(IsTreatedHere(rank_a, a, rank_b, b), IsTreatedHere(rank_b, b, rank_a, a));
        }
      }
    }
  }
}

TEST(ContactOwnership, LowerRankTakesAnInterface) {
  EXPECT_TRUE(IsTreatedHere(1, 99, 2, 5));
  EXPECT_FALSE(IsTreatedHere(3, 99, 2, 500));
}

}  // namespace
}  // namespace scree
