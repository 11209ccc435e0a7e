#include "solvers/sweeps/general_relaxation.hpp"

#include <gtest/gtest.h>

#include "solvers/one_contact/sphere_contact.hpp"
#include "tests/support/draw.hpp"
#include "tests/support/one_relaxation.hpp"

namespace scree::general_relaxation_test {
namespace {

using test::ApplyImpulse;
using test::RelaxSphereContact;

SphereBody RandomBody(test::Draw& draw) {
  SphereBody body;
  body.v = draw.Vector(1.0);
  body.u = draw.Vector(1.0);
  body.radius = draw.Uniform(0.5, 2.0);
  body.inverse_mass = draw.Uniform(0.2, 5.0);
  return body;
}

/// Relaxes one random contact twice, so that the second relaxation starts from a nonzero impulse.
void CheckAgreement(ContactLaw law, bool b_is_fixed) {
  test::Draw draw(11);
  for (int k = 0; k < 5000; ++k) {
    SphereBody a = RandomBody(draw), b = RandomBody(draw);
    if (b_is_fixed) b.inverse_mass = b.radius = 0.0;
    Contact contact;
    contact.normal = draw.Direction();
    contact.bias = draw.Uniform(-0.5, 0.5);
    contact.friction = draw.Uniform(0.0, 1.5);
    const double kappa = k % 3 == 0 ? draw.Uniform(1.0, 2.0) : 1.0;
    contact.effective_mass = 1.0 / (kappa * (a.inverse_mass + b.inverse_mass));
    SphereBody general_a = a, general_b = b;
    Vec3 impulse = Vec3::Zero(), general_impulse = Vec3::Zero();
    for (int relaxation = 0; relaxation < 2; ++relaxation) {
      RelaxSphereContact(contact, impulse, a, b);
      const ContactArms arms = {-a.radius * contact.normal, b.radius * contact.normal};
      const Vec3 solved =
          SolveByGeneralKernel(contact, arms, law, general_impulse, general_a, general_b).impulse;
      ApplyImpulse(contact.normal, solved - general_impulse, general_a, general_b);
      general_impulse = solved;
      contact.bias -= 0.3;
    }
    constexpr double kRounding = 1e-12;  // of velocities and impulses of order one
    ASSERT_LT((general_impulse - impulse).norm(), kRounding) << "problem " << k;
    ASSERT_LT((general_a.v - a.v).norm(), kRounding);
    ASSERT_LT((general_a.u - a.u).norm(), kRounding);
    ASSERT_LT((general_b.v - b.v).norm(), kRounding);
    ASSERT_LT((general_b.u - b.u).norm(), kRounding);
  }
}

TEST(GeneralRelaxation, MaximumDissipationAgreesWithTheClosedForm) {
  CheckAgreement(ContactLaw::kMaxDissipation, false);
  CheckAgreement(ContactLaw::kMaxDissipation, true);
}

TEST(GeneralRelaxation, CoulombAgreesWithTheClosedForm) {
  CheckAgreement(ContactLaw::kCoulomb, false);
  CheckAgreement(ContactLaw::kCoulomb, true);
}

}  // namespace
}  // namespace scree::general_relaxation_test
