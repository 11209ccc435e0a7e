// Points on ellipses, parabolas and hyperbolas, compared with the quartic of the paper.
#include "solvers/one_contact/conic_section.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "solvers/one_contact/angle_form.hpp"
#include "tests/support/random_contacts.hpp"

namespace scree::conic_section_test {
namespace {

using test::ContactKind;
using test::RandomContacts;

TEST(ConicSection, MinimumEnergyIsTheBestRootOfThePapersQuartic) {
  RandomContacts random(31);
  int hyperbolas = 0;
  for (int i = 0; i < 5000; ++i) {
    const OneContact contact = random.Draw(ContactKind::kGeneric, 2.0);
    if (contact.mu < 1e-2) continue;
    const Vec3 point = ConicSection(contact).MinEnergyPoint();
    double best = 1e300;
    for (const double alpha : StationaryAngles(contact)) {
      const Vec3 candidate = PointAtAngle(contact, alpha);
      if (candidate[0] > 0.0) best = std::min(best, Energy(contact, candidate));
    }
    hyperbolas += contact.a(0, 0) < contact.mu * std::hypot(contact.a(0, 1), contact.a(0, 2));
    const double stick_energy = Energy(contact, FindStick(contact).x);
    if (FindStick(contact).in_cone)
      continue;  // then the minimum on the boundary is not the solution
    EXPECT_NEAR(Energy(contact, point), best, 1e-9 * std::abs(stick_energy)) << "problem " << i;
  }
  EXPECT_GT(hyperbolas, 500);
}

TEST(ConicSection, LocalMinimumIsFoundOnAnExactParabola) {
  Mat3 a;  // Aₙₙ = μ ‖(3, 4)‖
  a << 7.5, 3, 4, 3, 6.2, 3.25, 4, 3.25, 3.55;
  const OneContact contact{a, Vec3(0.5, 1.2, -0.25), 1.5};
  const Vec3 x = ConicSection(contact).MinEnergyPoint();
  EXPECT_NEAR(a.row(0).dot(x), 0.5, 1e-14);
  EXPECT_NEAR(std::hypot(x[1], x[2]), 1.5 * x[0], 1e-14);
  for (const double angle : {-1e-3, 1e-3}) {
    const double alpha = std::atan2(x[2], x[1]) + angle;
    EXPECT_GT(Energy(contact, PointAtAngle(contact, alpha)), Energy(contact, x));
  }
}

TEST(ConicSection, MinimumTendsToTheRayForVanishingApproachVelocity) {
  Mat3 a;
  a << 15, 1, -12, 1, 11, -4, -12, -4, 14;
  constexpr double kRayEnergy = -0.0817351572230943;
  for (const double b_n : {1e-6, 1e-12, 1e-100, 1e-280}) {
    const OneContact contact{a, Vec3(b_n, 4, -5), 3.0};
    const Vec3 x = ConicSection(contact).MinEnergyPoint();
    EXPECT_NEAR(Energy(contact, x), kRayEnergy, 10.0 * b_n + 1e-14);
    EXPECT_NEAR(std::hypot(x[1], x[2]), 3.0 * x[0], 1e-14);
  }
}

TEST(ConicSection, FirstCoulombSlipIsNotRepeated) {
  RandomContacts random(32);
  for (int i = 0; i < 20000; ++i) {
    const OneContact contact = random.Draw(ContactKind::kGeneric, 3.0);
    const SlipList slips = ConicSection(contact).CoulombSlips();
    for (std::size_t j = 1; j < static_cast<std::size_t>(slips.count); ++j) {
      EXPECT_GT((slips.values[j] - slips.values[0]).norm(), 1e-9 * slips.values[0].norm());
    }
  }
}

}  // namespace
}  // namespace scree::conic_section_test
