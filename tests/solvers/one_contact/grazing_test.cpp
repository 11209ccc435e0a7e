// Contacts that neither approach nor separate: apex, one ray, two rays.
#include "solvers/one_contact/grazing.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/support/random_contacts.hpp"

namespace scree::grazing_test {
namespace {

using test::ContactKind;
using test::RandomContacts;

bool HasRays(const OneContact& contact) {
  return contact.a(0, 0) <= contact.mu * std::hypot(contact.a(0, 1), contact.a(0, 2));
}

TEST(Grazing, OnlyTheApexIsFeasibleWithoutCoupling) {
  const OneContact contact{Vec3(1, 1, 2).asDiagonal(), Vec3(0, 4, -5), 3.0};
  EXPECT_EQ(MinEnergyOnRays(contact), Vec3(Vec3::Zero()));
  EXPECT_EQ(CoulombSlipsOnRays(contact).count, 0);
}

TEST(Grazing, RayOfADegenerateParabolaPointsAgainstTheCoupling) {
  Mat3 a;  // a degenerate parabola; its ray is −r (A_nt, A_no); the paper omits the minus sign
  a << 7.5, 3, 4, 3, 6, 1, 4, 1, 6;
  const Vec3 x = MinEnergyOnRays({a, Vec3(0, -3, -4), 1.5});
  EXPECT_GT(x[0], 0.0);
  EXPECT_NEAR(x[1] / x[2], 0.75, 1e-14);
  EXPECT_LT(x[1], 0.0);
  EXPECT_EQ(MinEnergyOnRays({a, Vec3(0, 3, 4), 1.5}), Vec3(Vec3::Zero()));
}

TEST(Grazing, MinimumEnergyIsOnConeAndPlane) {
  RandomContacts random(51);
  int loaded_count = 0;
  for (int i = 0; i < 5000; ++i) {
    const OneContact contact = random.Draw(ContactKind::kGrazing, 2.0);
    if (contact.mu == 0.0) continue;
    const Vec3 x = MinEnergyOnRays(contact);
    if (x.isZero(0.0)) continue;
    ++loaded_count;
    EXPECT_TRUE(HasRays(contact));
    EXPECT_NEAR(std::hypot(x[1], x[2]), contact.mu * x[0], 1e-13 * x.norm());
    EXPECT_NEAR(contact.a.row(0).dot(x), 0.0, 1e-13 * contact.a.norm() * x.norm());
    EXPECT_LT(Energy(contact, x), 0.0);
    EXPECT_GT(Energy(contact, 1.01 * x), Energy(contact, x));
    EXPECT_GT(Energy(contact, 0.99 * x), Energy(contact, x));
  }
  EXPECT_GT(loaded_count, 500);
}

TEST(Grazing, CoulombSlipOpposesTheVelocity) {
  RandomContacts random(52);
  int slip_count = 0;
  for (int i = 0; i < 5000; ++i) {
    const OneContact contact = random.Draw(ContactKind::kGrazing, 2.0);
    if (contact.mu == 0.0) continue;
    const SlipList slips = CoulombSlipsOnRays(contact);
    for (int k = 0; k < slips.count; ++k, ++slip_count) {
      const Vec3& x = slips.values[static_cast<std::size_t>(k)];
      const Vec3 v = VelocityAfter(contact, x);
      const double scale = contact.a.norm() * x.norm() + contact.b.norm();
      EXPECT_NEAR(v[0], 0.0, 1e-13 * scale);
      EXPECT_LE(v[1] * x[1] + v[2] * x[2], 1e-13 * scale * x.norm());
      EXPECT_NEAR(v[1] * x[2] - v[2] * x[1], 0.0, 1e-12 * scale * x.norm());
    }
  }
  EXPECT_GT(slip_count, 200);
}

}  // namespace
}  // namespace scree::grazing_test
