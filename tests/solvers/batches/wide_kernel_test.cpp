// The kernels for packets of eight contacts, compared with the scalar kernels.
#include "solvers/batches/wide_kernel.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <string>
#include <vector>

#include "solvers/batches/wide_coulomb.hpp"
#include "solvers/batches/wide_max_dissipation.hpp"
#include "solvers/one_contact/contact_law.hpp"
#include "tests/support/clump_contacts.hpp"
#include "tests/support/random_contacts.hpp"

namespace scree::wide_kernel_test {
namespace {

using enum ContactLaw;
using test::ContactKind;

struct Answer {
  std::array<Vec3, kLanes> x;
  unsigned scalar_lanes = 0;

  bool IsUnsolved(std::size_t lane) const { return (scalar_lanes >> lane & 1u) != 0; }
};

template <ContactLaw kLaw>
Answer SolveEight(const std::array<OneContact, kLanes>& contacts) {
  Block8 a;
  Double8 mu, b_n, b_t, b_o;
  for (std::size_t lane = 0; lane < kLanes; ++lane) {
    const Mat3& block = contacts[lane].a;
    a.nn[lane] = block(0, 0), a.nt[lane] = block(0, 1), a.no[lane] = block(0, 2);
    a.tt[lane] = block(1, 1), a.to[lane] = block(1, 2), a.oo[lane] = block(2, 2);
    mu[lane] = contacts[lane].mu;
    b_n[lane] = contacts[lane].b[0], b_t[lane] = contacts[lane].b[1];
    b_o[lane] = contacts[lane].b[2];
  }
  using Kernel8 = WideKernel<kLaw>;
  TangentBasis8 basis;
  std::array<Double8, 2> g;
  typename Kernel8::Shape shape;
  const LaneKinds kinds = Kernel8::SetUp(a, mu, basis, g, shape);
  const Double8 b1 = Fnma(g[0], b_n, Fma(basis.t1_t, b_t, basis.t1_o * b_o));
  const Double8 b2 = Fnma(g[1], b_n, Fma(basis.t2_t, b_t, basis.t2_o * b_o));
  const Solved8 solved = Kernel8::Solve(shape, kinds, 1.0 / a.nn, g, mu, {b_n, b1, b2});
  Answer answer;
  answer.scalar_lanes = solved.scalar_lanes;
  for (std::size_t lane = 0; lane < kLanes; ++lane) {
    const double y1 = solved.x.y1[lane], y2 = solved.x.y2[lane];
    answer.x[lane] = {solved.x.n[lane], basis.t1_t[lane] * y1 + basis.t2_t[lane] * y2,
                      basis.t1_o[lane] * y1 + basis.t2_o[lane] * y2};
  }
  return answer;
}

struct Comparison {
  long count = 0, slips = 0, unsolved = 0;
  double worst = 0.0;  // relative error of the energy
};

template <ContactLaw kLaw>
void Compare(const std::array<OneContact, kLanes>& contacts, Comparison& comparison) {
  const Answer answer = SolveEight<kLaw>(contacts);
  for (std::size_t lane = 0; lane < kLanes; ++lane) {
    const OneContactSolution expected = SolveOneContact(contacts[lane], kLaw);
    ++comparison.count;
    comparison.slips += expected.state == ContactState::kSlip;
    if (answer.IsUnsolved(lane)) {
      ++comparison.unsolved;
      continue;
    }
    const double difference = std::abs(Energy(contacts[lane], answer.x[lane]) - expected.energy);
    if (difference > 0.0) {
      comparison.worst = std::max(comparison.worst, difference / std::abs(expected.energy));
    }
    ASSERT_TRUE(answer.x[lane].allFinite());
  }
}

template <ContactLaw kLaw>
Comparison CompareClumps() {
  const char* setting = std::getenv("SCREE_CLUMP_BLOCKS");
  const long blocks = setting == nullptr ? 200'000 : std::atol(setting);
  test::Draw draw(22);
  Comparison comparison;
  for (long k = 0; k < blocks; k += kLanes) {
    std::array<OneContact, kLanes> contacts;
    for (OneContact& contact : contacts) contact = test::RandomClumpContact(draw).Block();
    Compare<kLaw>(contacts, comparison);
  }
  std::printf(
      "%s: %ld blocks, %ld slip, %ld left to the one-contact kernel; energies within %.1e\n",
      Name(kLaw), comparison.count, comparison.slips, comparison.unsolved, comparison.worst);
  return comparison;
}

TEST(WideKernel, ClumpImpulsesHaveTheMinimumEnergy) {
  const Comparison comparison = CompareClumps<kMaxDissipation>();
  EXPECT_GT(comparison.slips, comparison.count / 10);
  EXPECT_LT(comparison.worst, 1e-12);
  EXPECT_LE(comparison.unsolved, comparison.count / 100'000);
}

TEST(WideKernel, ClumpContactsObeyCoulombsLaw) {
  const Comparison comparison = CompareClumps<kCoulomb>();
  EXPECT_GT(comparison.slips, comparison.count / 10);
  EXPECT_LT(comparison.worst, 1e-12);
  EXPECT_LT(comparison.unsolved, comparison.count / 100);
}

/// Random blocks that no body has, near each border of the decision tree.
TEST(WideKernel, RandomBlocksAgreeOrGoToTheScalarKernel) {
  for (const ContactKind kind :
       {ContactKind::kGeneric, ContactKind::kGrazing, ContactKind::kAlmostGrazing,
        ContactKind::kAlmostParabolic, ContactKind::kAlmostSticking, ContactKind::kSphere}) {
    for (const double decades : {1.0, 3.0, 8.0}) {
      test::RandomContacts random(5);
      Comparison dissipation, coulomb;
      for (int k = 0; k < 1000; ++k) {
        std::array<OneContact, kLanes> contacts;
        for (OneContact& contact : contacts) contact = random.Draw(kind, decades);
        Compare<kMaxDissipation>(contacts, dissipation);
        Compare<kCoulomb>(contacts, coulomb);
      }
      // Rounding errors of A times its condition number, which is at most 10⁴ in the lanes that the
      // packet kernel solves.
      constexpr double kRounding = 1e-11;
      EXPECT_LT(dissipation.worst, kRounding) << static_cast<int>(kind) << " " << decades;
      EXPECT_LT(coulomb.worst, kRounding) << static_cast<int>(kind) << " " << decades;
      EXPECT_LT(dissipation.unsolved, dissipation.count);
    }
  }
}

/// If ratios overflow, contacts must go to the scalar kernel.
TEST(WideKernel, SlowApproachesAgreeOrGoToTheScalarKernel) {
  for (const double approach : {1e-100, 1e-140, 1e-155, 1e-200, 1e-310}) {
    test::RandomContacts random(5);
    Comparison dissipation, coulomb;
    for (int k = 0; k < 300; ++k) {
      std::array<OneContact, kLanes> contacts;
      for (OneContact& contact : contacts) {
        contact = random.Draw(ContactKind::kGeneric, 1.0);
        contact.b[0] = approach;
        // With this friction the section is open. On a closed section impulse and energy would be
        // small too.
        contact.mu += contact.a(0, 0) / std::hypot(contact.a(0, 1), contact.a(0, 2));
      }
      Compare<kMaxDissipation>(contacts, dissipation);
      Compare<kCoulomb>(contacts, coulomb);
    }
    EXPECT_LT(dissipation.worst, 1e-9) << approach;
    EXPECT_LT(coulomb.worst, 1e-9) << approach;
    EXPECT_GT(dissipation.slips, dissipation.count / 10);
  }
}

/// Solves a packet of eight contacts that are equal except for the first.
template <ContactLaw kLaw>
Answer SolveInFirstLane(const OneContact& contact) {
  std::array<OneContact, kLanes> contacts;
  contacts.fill({Mat3::Identity(), Vec3(1.0, 0.1, 0.2), 0.5});
  contacts[0] = contact;
  Answer answer = SolveEight<kLaw>(contacts);
  EXPECT_EQ(answer.scalar_lanes & ~1u, 0u) << "other lanes are affected";
  EXPECT_NEAR(answer.x[5][0], 1.0, 1e-15);
  return answer;
}

OneContact ObliqueContact() {
  OneContact contact;
  contact.a << 2.0, 0.5, -0.3, 0.5, 3.0, 0.4, -0.3, 0.4, 4.0;
  contact.b = {1.0, 3.0, -2.0};
  contact.mu = 0.6;
  return contact;
}

template <ContactLaw kLaw>
void ExpectScalar(const OneContact& contact) {
  EXPECT_EQ(SolveInFirstLane<kLaw>(contact).scalar_lanes, 1u);
}
template <ContactLaw kLaw>
void ExpectAgreement(const OneContact& contact) {
  const Answer answer = SolveInFirstLane<kLaw>(contact);
  ASSERT_EQ(answer.scalar_lanes, 0u);
  const Vec3 expected = SolveOneContact(contact, kLaw).x;
  EXPECT_LE((answer.x[0] - expected).norm(), 1e-13 * expected.norm());
}
void ExpectAgreement(const OneContact& contact) {
  ExpectAgreement<kMaxDissipation>(contact);
  ExpectAgreement<kCoulomb>(contact);
}
void ExpectScalar(const OneContact& contact) {
  ExpectScalar<kMaxDissipation>(contact);
  ExpectScalar<kCoulomb>(contact);
}

TEST(WideKernel, FrictionlessImpulseIsNormal) {
  OneContact contact = ObliqueContact();
  contact.mu = 0.0;
  ExpectAgreement(contact);
  EXPECT_EQ(SolveInFirstLane<kMaxDissipation>(contact).x[0], Vec3(0.5, 0.0, 0.0));
  EXPECT_EQ(SolveInFirstLane<kCoulomb>(contact).x[0], Vec3(0.5, 0.0, 0.0));
}

TEST(WideKernel, LargeFrictionGoesToTheScalarKernelUnlessIsotropic) {
  OneContact contact = ObliqueContact();
  contact.mu = 101.0;
  ExpectScalar(contact);
  contact.a = Vec3(2.0, 7.0, 7.0).asDiagonal();
  contact.mu = 1e6;
  ExpectAgreement(contact);
}

TEST(WideKernel, IsotropicBlocksMatchTheScalarKernel) {
  OneContact contact = ObliqueContact();
  contact.a = 3.0 * Mat3::Identity();
  ExpectAgreement(contact);
  contact.b = {1.0, 0.0, 0.0};
  ExpectAgreement(contact);
  // Â is isotropic, but a_T is not zero.
  contact.b = {1.0, 3.0, -2.0};
  contact.a << 2.0, 1.0, 0.0, 1.0, 3.5, 0.0, 0.0, 0.0, 3.0;
  ExpectAgreement(contact);
}

TEST(WideKernel, SeparatingAndGrazingContactsMatchTheScalarKernel) {
  OneContact contact = ObliqueContact();
  contact.b[0] = -1e-300;
  ExpectAgreement(contact);
  contact.b[0] = 0.0;  // an ellipse: the impulse is zero
  ExpectAgreement(contact);
  contact.b = Vec3::Zero();
  ExpectAgreement(contact);
  contact = ObliqueContact();
  contact.mu = 5.0;  // a hyperbola: the impulse is on one of two rays
  contact.b[0] = 0.0;
  ExpectScalar(contact);
}

TEST(WideKernel, BlocksNearAParabolaMatchTheScalarKernel) {
  OneContact contact = ObliqueContact();
  const double parabola = 2.0 / std::hypot(0.5, -0.3);
  for (const double offset : {0.0, 1e-16, -1e-16, 1e-12, -1e-12, 1e-6, -1e-6, 0.1, -0.1}) {
    contact.mu = parabola * (1.0 + offset);
    // On both sides of the parabola, away from stick.
    for (const double side : {3.0, -3.0}) {
      contact.b = {1e-3, 30.0, side};
      const Answer answer = SolveInFirstLane<kMaxDissipation>(contact);
      ASSERT_EQ(answer.scalar_lanes, 0u) << offset;
      const OneContactSolution expected = SolveMaxDissipation(contact);
      EXPECT_NEAR(Energy(contact, answer.x[0]), expected.energy, 1e-13 * std::abs(expected.energy))
          << offset;
    }
  }
}

TEST(WideKernel, InvalidNumbersGoToTheScalarKernel) {
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  for (const double bad : {kNan, kInfinity}) {
    for (int entry = 0; entry < 3; ++entry) {
      OneContact contact = ObliqueContact();
      contact.a(0, entry) = contact.a(entry, 0) = bad;
      ExpectScalar(contact);
      contact = ObliqueContact();
      contact.b[entry] = bad;
      ExpectScalar(contact);
    }
    OneContact contact = ObliqueContact();
    contact.mu = bad;
    ExpectScalar(contact);
  }
  OneContact contact = ObliqueContact();
  contact.mu = -0.5;
  ExpectScalar(contact);
}

TEST(WideKernel, IllConditionedAndIndefiniteBlocksGoToTheScalarKernel) {
  OneContact contact = ObliqueContact();
  contact.a = Vec3(1.0, 1.0, 1.1e6).asDiagonal();
  contact.a(0, 1) = contact.a(1, 0) = 0.1;
  ExpectScalar(contact);
  contact = ObliqueContact();
  contact.a(1, 1) = 0.1;
  ExpectScalar(contact);
  contact.a = Mat3::Zero();
  ExpectScalar(contact);
}

TEST(WideKernel, TinyAndHugeVelocitiesAgreeOrGoToTheScalarKernel) {
  for (const double scale : {1e-320, 1e-310, 1e-200, 1e-100, 1e100, 1e200, 1e300}) {
    OneContact contact = ObliqueContact();
    contact.b *= scale;
    const auto check = [&](const Answer& answer, ContactLaw law) {
      if (answer.scalar_lanes != 0) return;
      // A multiple of the solution at scale 1, with the precision of subnormal numbers.
      const Vec3 expected = SolveOneContact(ObliqueContact(), law).x;
      const double tolerance = std::max(1e-13 * scale, 1e-322);
      EXPECT_LE((answer.x[0] - scale * expected).cwiseAbs().maxCoeff(), tolerance) << scale;
    };
    check(SolveInFirstLane<kMaxDissipation>(contact), kMaxDissipation);
    check(SolveInFirstLane<kCoulomb>(contact), kCoulomb);
  }
}

TEST(WideKernel, BitsOfALaneDoNotDependOnItsNeighbours) {
  test::Draw draw(23);
  test::RandomContacts random(6);
  const auto random_contact = [&] {
    return draw.Uniform(0.0, 1.0) < 0.5 ? test::RandomClumpContact(draw).Block()
                                        : random.Draw(ContactKind::kGeneric, 2.0);
  };
  for (int k = 0; k < 2000; ++k) {
    const OneContact contact = random_contact();
    std::array<OneContact, kLanes> first, second;
    for (std::size_t lane = 0; lane < kLanes; ++lane)
      first[lane] = random_contact(), second[lane] = random_contact();
    const auto lane_of_first = static_cast<std::size_t>(draw.Integer(0, 7));
    const auto lane = static_cast<std::size_t>(draw.Integer(0, 7));
    first[lane_of_first] = second[lane] = contact;
    const auto compare = [&](const Answer& x, const Answer& y) {
      ASSERT_EQ(x.IsUnsolved(lane_of_first), y.IsUnsolved(lane));
      if (!x.IsUnsolved(lane_of_first)) {
        EXPECT_EQ(x.x[lane_of_first], y.x[lane]);
      }
    };
    compare(SolveEight<kMaxDissipation>(first), SolveEight<kMaxDissipation>(second));
    compare(SolveEight<kCoulomb>(first), SolveEight<kCoulomb>(second));
  }
}

}  // namespace
}  // namespace scree::wide_kernel_test
