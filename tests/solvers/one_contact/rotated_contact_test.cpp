// The rotated frame: the entries that vanish in it, and its accuracy near a parabola.
#include "solvers/one_contact/rotated_contact.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/support/random_contacts.hpp"

namespace scree::rotated_contact_test {
namespace {

using test::ContactKind;
using test::RandomContacts;

TEST(RotatedContact, PlaneNormalHasNoLateralComponent) {
  RandomContacts random(41);
  for (int i = 0; i < 200; ++i) {
    const OneContact contact = random.Draw(ContactKind::kGeneric, 2.0);
    const RotatedContact rotated(contact);
    EXPECT_GE(rotated.h, 0.0);
    EXPECT_NEAR(contact.a.row(0).dot(rotated.RotateBack(0, 0, 1)), 0.0, 1e-13 * contact.a.norm());
    EXPECT_NEAR(contact.a.row(0).dot(rotated.RotateBack(0, 1, 0)), rotated.h,
                1e-13 * contact.a.norm());
  }
}

TEST(RotatedContact, RotationKeepsTheEnergyOnThePlane) {
  RandomContacts random(42);
  for (int i = 0; i < 200; ++i) {
    const OneContact contact = random.Draw(ContactKind::kGeneric, 2.0);
    const RotatedContact y(contact);
    const double t = 0.3 * i - 20.0, o = 5.0 - 0.1 * i;
    const Vec3 x = y.RotateBack((contact.b[0] - y.h * t) / y.nn, t, o);
    const double energy = 0.5 * (y.tt * t * t + 2.0 * y.to * t * o + y.oo * o * o) - y.b_t * t -
                          y.b_o * o - 0.5 * contact.b[0] * contact.b[0] / y.nn;
    EXPECT_NEAR(energy, Energy(contact, x),
                1e-12 * (std::abs(energy) + contact.a.norm() * x.squaredNorm()));
  }
}

TEST(RotatedContact, FrameDoesNotRotateWithoutCoupling) {
  const RotatedContact rotated({Vec3(1, 2, 3).asDiagonal(), Vec3(1, 2, 3), 0.7});
  EXPECT_EQ(rotated.m, 1.0);
  EXPECT_EQ(rotated.p, 1.0);
  EXPECT_EQ(rotated.RotateBack(1, 2, 3), Vec3(1, 2, 3));
}

TEST(RotatedContact, MIsAccurateNearAParabola) {
  RandomContacts random(43);
  for (int i = 0; i < 2000; ++i) {
    const OneContact contact = random.Draw(ContactKind::kAlmostParabolic, 2.0);
    const long double x = contact.a(0, 1), y = contact.a(0, 2);
    const long double exact = contact.a(0, 0) - contact.mu * std::sqrt(x * x + y * y);
    // The rounding error of the difference in long double.
    const double rounding = 2e-19 * contact.a(0, 0);
    EXPECT_NEAR(RotatedContact(contact).m, static_cast<double>(exact),
                4.0 * rounding + 1e-15 * static_cast<double>(std::abs(exact)));
  }
}

TEST(RotatedContact, ExactParabolaHasZeroM) {
  Mat3 a = Mat3::Identity();
  a(0, 0) = 7.5;
  a(0, 1) = 3.0;
  a(0, 2) = 4.0;
  EXPECT_EQ(RotatedContact({a, Vec3(0, 1, 1), 1.5}).m, 0.0);
}

}  // namespace
}  // namespace scree::rotated_contact_test
