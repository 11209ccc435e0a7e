// Under-relaxation of contacts whose bodies several ranks correct at once: little for spheres of
// similar size, enough for a light sphere among heavy ones.
#include "solvers/sweeps/effective_mass.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "solvers/one_contact/sphere_contact.hpp"
#include "tests/support/draw.hpp"
#include "tests/support/one_relaxation.hpp"

namespace scree::effective_mass_test {
namespace {

using test::ApplyImpulse;
using test::RelaxSphereContact;

const SolverParameters kNoMomentum;

constexpr double kRounding = 1e-16;  // of squared speeds, with impulses of 1e6

/// Twice the kinetic energy divided by the mass.
double SquaredSpeed(const SphereBody& body) {
  return body.v.squaredNorm() + body.u.squaredNorm() / kMassOverInertia;
}

/// One sweep over the sticking contacts of `body` with other bodies, which are at rest. Each
/// contact is on another rank, so it uses the velocity before the sweep.
void SweepAllAtOnce(const std::vector<Vec3>& normals, double inverse_mass_of_others,
                    SphereBody& body) {
  const auto other_contacts = static_cast<Index>(normals.size() - 1);
  const SphereBody start = body;
  for (const Vec3& normal : normals) {
    Contact contact{.normal = normal, .friction = 1.0};
    contact.effective_mass =
        EffectiveMass({}, body.inverse_mass, inverse_mass_of_others, other_contacts, /*count_b=*/0);
    const Vec3 initial = 1e6 * normal;  // far inside the cone
    Vec3 impulse = initial;
    SphereBody corrected = start, other;
    RelaxSphereContact(contact, impulse, corrected, other);
    ApplyImpulse(normal, impulse - initial, body, other);
  }
}

TEST(EffectiveMass, LightSphereAmongHeavyOnesGainsNoEnergy) {
  test::Draw draw(5);
  const double heavy_inverse_mass = 1e-6;  // inverse mass of the other spheres
  for (int trial = 0; trial < 2000; ++trial) {
    SphereBody body;
    body.inverse_mass = 1.0;
    body.v = draw.Direction();
    body.u = draw.Direction();
    std::vector<Vec3> normals(static_cast<std::size_t>(draw.Integer(2, 6)));
    for (Vec3& normal : normals) normal = draw.Direction();
    for (int sweep = 0; sweep < 30; ++sweep) {
      const double previous = SquaredSpeed(body);
      SweepAllAtOnce(normals, heavy_inverse_mass, body);
      ASSERT_LE(SquaredSpeed(body), 1.0001 * previous + kRounding)
          << "trial " << trial << ", sweep " << sweep;
    }
  }
}

/// Three spheres in a bent row, whose two contacts are on two ranks and stick, as bonds do. Both
/// ranks correct the sphere in the middle at the same time.
TEST(EffectiveMass, ErrorOfABentRowOfThreeOnTwoRanksDecays) {
  const std::array<Vec3, 2> normals = {Vec3(-1, 0, 0), Vec3(-0.5, -std::sqrt(0.75), 0)};
  for (const double momentum : {0.0, 0.5, 0.85}) {
    SolverParameters parameters;
    parameters.momentum = momentum;
    std::array<SphereBody, 3> bodies;
    for (SphereBody& body : bodies) body.inverse_mass = 1.0;
    bodies[0].v = Vec3(0.3, -0.7, 0.2);
    bodies[2].u = Vec3(0.1, 0.5, -0.4);
    std::array<SphereBody, 3> previous = bodies;
    for (int sweep = 0; sweep < 100; ++sweep) {
      std::array<SphereBody, 3> start = bodies;
      for (std::size_t i = 0; i < 3; ++i) {
        start[i].v += momentum * (bodies[i].v - previous[i].v);
        start[i].u += momentum * (bodies[i].u - previous[i].u);
      }
      previous = bodies;
      bodies = start;
      for (std::size_t j = 0; j < 2; ++j) {
        Contact contact{.normal = normals[j], .friction = 1.0};
        contact.effective_mass =
            EffectiveMass(parameters, 1.0, 1.0, /*count_a=*/j == 1, /*count_b=*/j == 0,
                          /*remote_weight=*/1, /*may_pull=*/true);
        const Vec3 initial = 1e6 * normals[j];  // far inside the cone
        Vec3 impulse = initial;
        SphereBody a = start[j], b = start[j + 1];
        RelaxSphereContact(contact, impulse, a, b);
        ApplyImpulse(normals[j], impulse - initial, bodies[j], bodies[j + 1]);
      }
    }
    for (std::size_t j = 0; j < 2; ++j) {
      EXPECT_LT(RelativeVelocity(bodies[j], bodies[j + 1], normals[j]).norm(), 1e-8) << momentum;
    }
  }
}

TEST(EffectiveMass, FactorIsSmallerForSpheresOfSimilarSize) {
  // The terms for unequal spheres must not change any digit for equal spheres.
  for (const double weight : {1.0, 0.7, 3.1e5}) {
    EXPECT_EQ(SharingFactor(kNoMomentum, weight, weight, 3, 4), 0.5 * (1.0 + 0.55 * 3.5));
  }
  EXPECT_EQ(SharingFactor(kNoMomentum, 1.0, 1.0, 1, 0), 1.0);
  EXPECT_EQ(EffectiveMass({}, 2.0, 2.0, 0, 0), 0.25);
  EXPECT_DOUBLE_EQ(SharingFactor(kNoMomentum, 1.0, 0.0, 5, 0, 1, /*may_pull=*/true), 4.0);
}

TEST(EffectiveMass, FactorGrowsForABodyLighterThanItsPartner) {
  double previous = 0.0;
  for (const double weight : {0.01, 0.5, 1.0, 2.0, 10.0, 1000.0}) {
    const double kappa = SharingFactor(kNoMomentum, weight, 1.0, 5, 0);
    EXPECT_GE(kappa, previous) << weight;
    const double bound = std::max(1.0, 0.5 * (1.0 + 5.0 * weight / (1.0 + weight)));  // c = 1
    EXPECT_LE(kappa, bound + 1e-15) << weight;
    previous = kappa;
  }
  EXPECT_DOUBLE_EQ(SharingFactor(kNoMomentum, 1.0, 0.0, 5, 0), 3.0);  // against a wall
  EXPECT_DOUBLE_EQ(SharingFactor(kNoMomentum, 0.0, 1.0, 7, 5), 3.0);
}

TEST(EffectiveMass, WeightedContactsNeedNoExtraFactorForLightBodies) {
  EXPECT_DOUBLE_EQ(SharingFactor(kNoMomentum, 3.0, 1.0, 2, 1, 8),
                   0.5 * (1.0 + 8 * 0.55 * (2 * 0.75 + 1 * 0.25)));
  SolverParameters with_momentum;
  with_momentum.momentum = 0.5;  // requires c = 1, but only if remote_weight is 1
  EXPECT_DOUBLE_EQ(SharingFactor(with_momentum, 1.0, 0.0, 2, 0, 8),
                   2.0 / 3.0 * (1.0 + 8 * 0.55 * 2));
}

TEST(EffectiveMass, JacobiNeverExceedsTheStepOfASingleContact) {
  SolverParameters jacobi;
  jacobi.scheme = Scheme::kJacobi;
  EXPECT_EQ(EffectiveMass(jacobi, 1.0, 0.0, 1, 40), 1.0);  // a sphere on a plane
  EXPECT_EQ(EffectiveMass(jacobi, 1.0, 3.0, 1, 1), 0.25);  // an impact of two spheres
  EXPECT_EQ(EffectiveMass(jacobi, 1.0, 1.0, 1, 2), 0.5);   // the first contact in a row of three
  EXPECT_EQ(EffectiveMass(jacobi, 1.0, 1.0, 4, 6), 0.19);  // in a packing
}

/// The assembly relies on this for contacts whose bodies are on no other rank.
TEST(EffectiveMass, WithoutOtherRanksEqualsTheInverseBlockToTheLastBit) {
  test::Draw draw(1);
  for (int k = 0; k < 1000; ++k) {
    const double a = draw.Uniform(1.0, 1e6), b = draw.Uniform(0.0, 1e6);
    EXPECT_EQ(EffectiveMass({}, a, b, 0, 0), 1.0 / (a + b));
  }
}

}  // namespace
}  // namespace scree::effective_mass_test
