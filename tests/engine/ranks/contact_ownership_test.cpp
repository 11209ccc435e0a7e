// Exactly one of the two sides treats a contact.
#include "engine/ranks/contact_ownership.hpp"

#include <gtest/gtest.h>

namespace scree::contact_ownership_test {
namespace {

TEST(ContactOwnership, ExactlyOneSideTreatsAContact) {
  for (int rank_a = 0; rank_a < 5; ++rank_a) {
    for (int rank_b = 0; rank_b < 5; ++rank_b) {
      for (const Vec3& shift : {Vec3(0, 0, 0), Vec3(2, 0, 0), Vec3(-2, 3, 0), Vec3(0, 0, -5)}) {
        if (rank_a == rank_b && shift.isZero(0.0)) continue;  // no ghost
        EXPECT_NE(IsTreatedHere(rank_a, rank_b, shift), IsTreatedHere(rank_b, rank_a, -shift));
      }
    }
  }
}

TEST(ContactOwnership, LowerRankTakesAnInterface) {
  EXPECT_TRUE(IsTreatedHere(1, 2, Vec3::Zero()));
  EXPECT_TRUE(IsTreatedHere(1, 2, -Vec3::UnitX()));
  EXPECT_FALSE(IsTreatedHere(3, 2, Vec3::UnitX()));
}

}  // namespace
}  // namespace scree::contact_ownership_test
