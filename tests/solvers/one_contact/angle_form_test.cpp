// The paper's angle form: its stationary points, and the misprints that the README lists.
#include "solvers/one_contact/angle_form.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/support/random_contacts.hpp"

namespace scree::angle_form_test {
namespace {

using test::ContactKind;
using test::RandomContacts;

TEST(AngleForm, PointAtAngleLiesOnConeAndPlane) {
  RandomContacts random(71);
  for (int i = 0; i < 200; ++i) {
    const OneContact contact = random.Draw(ContactKind::kGeneric, 2.0);
    const double alpha = 0.1 * i;
    if (std::abs(RadialFactor(contact, alpha)) < 1e-3) continue;
    const Vec3 x = PointAtAngle(contact, alpha);
    EXPECT_NEAR(contact.a.row(0).dot(x), contact.b[0], 1e-11 * contact.a.norm() * x.norm());
    EXPECT_NEAR(std::hypot(x[1], x[2]), contact.mu * std::abs(x[0]), 1e-12 * x.norm());
  }
}

TEST(AngleForm, StationaryAnglesHaveNoEnergyGradient) {
  RandomContacts random(72);
  int checked = 0;
  for (int i = 0; i < 500; ++i) {
    const OneContact contact = random.Draw(ContactKind::kGeneric, 1.0);
    if (contact.mu < 0.1) continue;
    for (const double alpha : StationaryAngles(contact)) {
      if (RadialFactor(contact, alpha) < 0.1) continue;
      constexpr double kStep = 1e-5;
      const double energy_before = Energy(contact, PointAtAngle(contact, alpha - kStep));
      const double energy_after = Energy(contact, PointAtAngle(contact, alpha + kStep));
      const double scale = contact.a.norm() * PointAtAngle(contact, alpha).squaredNorm() + 1.0;
      EXPECT_NEAR((energy_after - energy_before) / (2.0 * kStep), 0.0, 1e-5 * scale);
      ++checked;
    }
  }
  EXPECT_GT(checked, 500);
}

TEST(AngleForm, EnergyHasPeriodTwoPiNotPi) {
  Mat3 a;
  a << 5, 3, 2, 3, 6, 3, 2, 3, 3;
  const OneContact contact{a, Vec3(1, -1, -2), 0.5};
  const auto energy = [&](double alpha) { return Energy(contact, PointAtAngle(contact, alpha)); };
  constexpr double kPi = 3.14159265358979323846;
  EXPECT_NEAR(energy(0.3 + 2.0 * kPi), energy(0.3), 1e-13);
  EXPECT_GT(std::abs(energy(0.3 + kPi) - energy(0.3)), 0.1);
}

}  // namespace
}  // namespace scree::angle_form_test
