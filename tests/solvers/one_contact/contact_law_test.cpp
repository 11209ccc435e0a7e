// The closed form, the general quartic and Coulomb's roots agree for blocks of spheres.
#include "solvers/one_contact/contact_law.hpp"

#include <gtest/gtest.h>

#include <new>

#include "solvers/one_contact/sphere_contact.hpp"
#include "tests/support/allocation_counter.hpp"
#include "tests/support/random_contacts.hpp"

namespace scree::contact_law_test {
namespace {

TEST(ContactLaw, AllKernelsAgreeOnSpheres) {
  test::RandomContacts random(61);
  int slips = 0, sticks = 0, separations = 0;
  for (int i = 0; i < 20000; ++i) {
    OneContact contact = random.Draw(test::ContactKind::kSphere, 0.0);
    if (i % 5 == 0) contact.b[0] = -contact.b[0];
    const Vec3 closed_form = SolveSphereContact(Vec3(1, 0, 0), 1.0 / contact.a(0, 0), contact.mu,
                                                Vec3::Zero(), -contact.b, 0.0);
    for (const ContactLaw law : {ContactLaw::kMaxDissipation, ContactLaw::kCoulomb}) {
      const OneContactSolution general = SolveOneContact(contact, law);
      ASSERT_LE((general.x - closed_form).norm(), 1e-12 * closed_form.norm()) << Name(law);
      slips += general.state == ContactState::kSlip;
      sticks += general.state == ContactState::kStick;
      separations += general.state == ContactState::kSeparating;
    }
  }
  EXPECT_GT(std::min({slips, sticks, separations}), 1000);
}

TEST(ContactLaw, KernelsDoNotAllocate) {
  test::RandomContacts random(62);
  const std::size_t allocations_before_one = test::AllocationCount();
  ::operator delete(::operator new(1));
  ASSERT_EQ(test::AllocationCount(), allocations_before_one + 1) << "the counter is not linked";
  for (int i = 0; i < 6000; ++i) {
    const auto kind = static_cast<test::ContactKind>(i % test::kContactKinds);
    const OneContact contact = random.Draw(kind, 4.0);
    const std::size_t allocations_before = test::AllocationCount();
    SolveMaxDissipation(contact);
    SolveCoulomb(contact);
    FindCoulombSolutions(contact);
    ASSERT_EQ(test::AllocationCount(), allocations_before);
  }
}

TEST(ContactLaw, SelectsTheKernelOfTheLaw) {
  Mat3 a;
  a << 2, 0.8, 0.3, 0.8, 3, 0.2, 0.3, 0.2, 2.5;
  const OneContact contact{a, Vec3(1, 2, -1), 0.3};
  const OneContactSolution max_dissipation = SolveOneContact(contact, ContactLaw::kMaxDissipation);
  const OneContactSolution coulomb = SolveOneContact(contact, ContactLaw::kCoulomb);
  EXPECT_EQ(max_dissipation.x, SolveMaxDissipation(contact).x);
  EXPECT_EQ(coulomb.x, SolveCoulomb(contact).x);
  EXPECT_GT(coulomb.energy, max_dissipation.energy + 1e-6);
}

}  // namespace
}  // namespace scree::contact_law_test
