// A contact that rebounds: conditions of each hypothesis, agreement of the laws, spheres, friction.
#include "solvers/one_contact/contact_restitution.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>

#include "solvers/one_contact/contact_law.hpp"
#include "tests/support/draw.hpp"
#include "tests/support/random_contacts.hpp"

namespace scree::contact_restitution_test {
namespace {

constexpr ContactLaw kLaws[] = {ContactLaw::kMaxDissipation, ContactLaw::kCoulomb};
constexpr RestitutionHypothesis kHypotheses[] = {RestitutionHypothesis::kNewton,
                                                 RestitutionHypothesis::kPoisson,
                                                 RestitutionHypothesis::kEnergetic};
constexpr double kRounding = 1e-9;
constexpr double kEnergyRounding = 1e-13;  // relative to the terms of the energy

/// Calls visit(contact) for `count` random contacts that approach.
template <class Visit>
void ForEachApproaching(int count, Visit visit) {
  test::RandomContacts random(3);
  for (int i = 0; i < count;) {
    const OneContact contact = random.Draw(test::ContactKind::kGeneric, 2.0);
    if (!(contact.b[0] > 1e-3 * contact.b.norm())) continue;
    ++i;
    visit(contact);
  }
}

TEST(ContactRestitution, AllHypothesesAreInelasticWithoutRestitution) {
  ForEachApproaching(300, [](const OneContact& contact) {
    for (const ContactLaw law : kLaws) {
      const Vec3 x = SolveOneContact(contact, law).x;
      for (const auto hypothesis : kHypotheses) {
        EXPECT_LT((SolveRebound(contact, law, hypothesis, 0.0).x - x).norm(),
                  kRounding * (1e-30 + x.norm()));
      }
    }
  });
}

TEST(ContactRestitution, SolutionObeysItsHypothesisAndFrictionStaysInTheCone) {
  const double e = 0.6;
  ForEachApproaching(500, [&](const OneContact& contact) {
    const Mat3 a = contact.a.selfadjointView<Eigen::Upper>();
    for (const ContactLaw law : kLaws) {
      for (const auto hypothesis : kHypotheses) {
        const ReboundingSolution solution = SolveRebound(contact, law, hypothesis, e);
        const Vec3 restitution_impulse = solution.x - solution.compression;
        const double size = contact.b.norm();
        EXPECT_LE(std::hypot(solution.x[1], solution.x[2]),
                  contact.mu * solution.x[0] + kRounding * solution.x.norm());
        if (hypothesis == RestitutionHypothesis::kNewton) {
          EXPECT_NEAR(solution.velocity[0], e * contact.b[0], kRounding * size);
        } else if (hypothesis == RestitutionHypothesis::kPoisson) {
          EXPECT_NEAR(restitution_impulse[0], e * solution.compression[0],
                      kRounding * solution.x.norm());
        } else {
          const double work = 0.5 * restitution_impulse[0] * (a.row(0).dot(restitution_impulse));
          const double compression_work = 0.5 * contact.b[0] * solution.compression[0];
          if (restitution_impulse[0] < (1.0 - kRounding) * solution.compression[0]) {
            EXPECT_NEAR(work, e * e * compression_work, kRounding * compression_work);
          } else {
            EXPECT_NEAR(restitution_impulse[0], solution.compression[0],
                        kRounding * solution.x.norm());
            EXPECT_LE(work, (e * e + kRounding) * compression_work);
          }
        }
      }
    }
  });
}

// With Newton's hypothesis an impact dissipates at least as much as without friction. With
// Poisson's it dissipates at least as much as with 1 + e times the impulse of the inelastic impact.
TEST(ContactRestitution, NoHypothesisGainsEnergyForAnyBlock) {
  const char* setting = std::getenv("SCREE_REBOUNDS");
  const long count = setting == nullptr ? 20'000 : std::atol(setting);
  test::RandomContacts random(5);
  test::Draw draw(6);
  for (long i = 0; i < count; ++i) {
    OneContact contact = random.Draw(static_cast<test::ContactKind>(i % test::kContactKinds),
                                     i % 4 == 0 ? 8.0 : 3.0);
    contact.a = contact.a.selfadjointView<Eigen::Upper>();
    const double e = i % 5 == 0 ? 1.0 : draw.Uniform(0.0, 1.0);
    // The impulse A⁻¹⋅b dissipates the most energy.
    const double max_loss = 0.5 * contact.b.dot(contact.a.llt().solve(contact.b));
    const double frictionless_loss =
        0.5 * (1.0 - e * e) * contact.b[0] * contact.b[0] / contact.a(0, 0);
    for (const ContactLaw law : kLaws) {
      for (const auto hypothesis : kHypotheses) {
        const ReboundingSolution solution = SolveRebound(contact, law, hypothesis, e);
        const bool is_newton = hypothesis == RestitutionHypothesis::kNewton;
        const double poisson_loss =
            0.5 * (1.0 - e * e) * solution.compression.dot(contact.a * solution.compression);
        const double min_loss = is_newton                                       ? frictionless_loss
                                : hypothesis == RestitutionHypothesis::kPoisson ? poisson_loss
                                                                                : 0.0;
        const Vec3 size = solution.x.cwiseAbs();
        const double terms = size.dot(contact.a.cwiseAbs() * size + contact.b.cwiseAbs());
        ASSERT_LE(solution.energy, -min_loss + kRounding * max_loss + kEnergyRounding * terms)
            << Name(law) << ", " << Name(hypothesis) << ", problem " << i;
      }
    }
  }
}

// If restitution changed only b_n, this impact would gain 0.54 J with Coulomb's law. It would gain
// 0.11 J if the energetic hypothesis had no bound on the normal impulse.
TEST(ContactRestitution, ImpactWithLittleNormalDissipationGainsNoEnergy) {
  Mat3 a;
  a << 29, 3, 32, 3, 35, 16, 32, 16, 46;
  const OneContact contact{a, Vec3(3, 0, 2), 1.0};
  for (const ContactLaw law : kLaws) {
    for (const auto hypothesis : kHypotheses) {
      EXPECT_LT(SolveRebound(contact, law, hypothesis, 0.9).energy, -0.005) << Name(hypothesis);
    }
  }
}

// The solution minimises the energy on the plane v_n = e b_n within the cone. It is compared with
// points on the border of the cone and inside it.
TEST(ContactRestitution, NewtonsMaximumDissipationHasTheSmallestEnergy) {
  const double e = 0.5;
  ForEachApproaching(100, [&](const OneContact& contact) {
    const Mat3 a = contact.a.selfadjointView<Eigen::Upper>();
    const double min =
        SolveRebound(contact, ContactLaw::kMaxDissipation, RestitutionHypothesis::kNewton, e)
            .energy;
    const double scale = contact.b.squaredNorm() / a(0, 0);
    for (int i = 0; i < 64; ++i) {
      const double angle = 0.1 * i;
      for (const double fraction : {0.0, 0.3, 0.7, 1.0}) {
        const Vec3 ray(1.0, fraction * contact.mu * std::cos(angle),
                       fraction * contact.mu * std::sin(angle));
        if (a.row(0).dot(ray) <= 0.0) continue;
        const Vec3 x = (1.0 + e) * contact.b[0] / a.row(0).dot(ray) * ray;
        EXPECT_GE(Energy(contact, x), min - kRounding * (scale + std::abs(min)));
      }
    }
  });
}

// With a diagonal A, as for spheres, the hypotheses agree unless friction ends the slip.
TEST(ContactRestitution, SphereReboundsEquallyUnderAllHypotheses) {
  const OneContact slipping{Vec3(1.0, 3.5, 3.5).asDiagonal(), Vec3(1.0, 40.0, 0.0), 0.3};
  for (const ContactLaw law : kLaws) {
    for (const auto hypothesis : kHypotheses) {
      const ReboundingSolution solution = SolveRebound(slipping, law, hypothesis, 0.8);
      EXPECT_LT((solution.x - 1.8 * Vec3(1.0, 0.3, 0.0)).norm(), 1e-12) << Name(hypothesis);
    }
  }
}

TEST(ContactRestitution, SeparatingContactHasNoImpulse) {
  const OneContact contact{Mat3::Identity(), Vec3(-1.0, 1.0, 0.0), 0.5};
  for (const auto hypothesis : kHypotheses) {
    EXPECT_EQ(SolveRebound(contact, ContactLaw::kCoulomb, hypothesis, 0.5).x, Vec3(Vec3::Zero()));
  }
}

TEST(ContactRestitution, FrictionOfAGivenNormalImpulseObeysCoulomb) {
  const Eigen::Matrix2d a = (Eigen::Matrix2d() << 2.0, 0.5, 0.5, 1.0).finished();
  const Eigen::Vector2d v(1.0, -2.0);
  const Eigen::Vector2d stick = FrictionOfNormalImpulse(a, v, 100.0);
  EXPECT_LT((a * stick + v).norm(), 1e-14);
  const Eigen::Vector2d slip = FrictionOfNormalImpulse(a, v, 0.1), remaining = a * slip + v;
  EXPECT_NEAR(slip.norm(), 0.1, 1e-15);
  EXPECT_NEAR(remaining.dot(slip), -remaining.norm() * slip.norm(), 1e-12);
  EXPECT_EQ(FrictionOfNormalImpulse(a, v, 0.0), Eigen::Vector2d(Eigen::Vector2d::Zero()));
}

}  // namespace
}  // namespace scree::contact_restitution_test
