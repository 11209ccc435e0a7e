// The maximally dissipative impulse: reference problems, brute force, scale, every branch.
#include "solvers/one_contact/max_dissipation.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <set>
#include <string>

#include "tests/support/brute_force_contact.hpp"
#include "tests/support/csv_rows.hpp"
#include "tests/support/random_contacts.hpp"

namespace scree::max_dissipation_test {
namespace {

using test::ConditionNumber;
using test::ContactKind;
using test::MinEnergyByBruteForce;
using test::RandomContacts;

constexpr double kFeasible = 1e-12;
constexpr double kEps = 2.22e-16;

/// The accuracy of energies depends on the condition number of A.
double EnergyTolerance(const Mat3& a) { return std::max(1e-10, 10.0 * kEps * ConditionNumber(a)); }

/// Change of the minimum energy if μ changes in its last digits. Near a parabola with b_n → 0 it is
/// large, so that no solver can be accurate.
double Sensitivity(const OneContact& contact) {
  OneContact less_friction = contact, more_friction = contact;
  less_friction.mu *= 1.0 - 2.0 * kEps;
  more_friction.mu *= 1.0 + 2.0 * kEps;
  return std::abs(static_cast<double>(MinEnergyByBruteForce(more_friction) -
                                      MinEnergyByBruteForce(less_friction)));
}

void ExpectFeasible(const OneContact& contact, const OneContactSolution& solution) {
  const Vec3& x = solution.x;
  EXPECT_GE(x[0], 0.0);
  EXPECT_LE(std::hypot(x[1], x[2]), contact.mu * x[0] * (1.0 + kFeasible));
  if (contact.b[0] < 0.0 || x.isZero(0.0)) return;
  const Vec3 row = contact.a.row(0);
  EXPECT_NEAR(row.dot(x), contact.b[0], kFeasible * row.cwiseAbs().dot(x.cwiseAbs()));
}

TEST(MaxDissipation, ReferenceProblemsAreSolvedOnAllBranches) {
  std::set<std::string> categories, states;
  for (const auto& fields : test::ReadRows("contact_problems.csv")) {
    const OneContact contact = test::ContactFromFields(fields, 2);
    const double energy = std::stod(fields.at(18));
    SCOPED_TRACE(fields[0] + " mu " + fields[14]);
    const OneContactSolution solution = SolveMaxDissipation(contact);
    EXPECT_EQ(Name(solution.state), fields[1]);
    EXPECT_NEAR(solution.energy, energy, EnergyTolerance(contact.a) * std::abs(energy));
    ExpectFeasible(contact, solution);
    if (energy == 0.0) {
      EXPECT_EQ(solution.x, Vec3(Vec3::Zero()));
    }
    categories.insert(fields[0]);
    states.insert(fields[1]);
  }
  EXPECT_EQ(categories.size(), 14u);
  EXPECT_EQ(states.size(), 5u);
}

class MaxDissipationRandom : public testing::TestWithParam<ContactKind> {};

TEST_P(MaxDissipationRandom, BruteForceFindsNoLowerEnergy) {
  constexpr int kProblems = 20000;
  RandomContacts random(2017u + static_cast<unsigned>(GetParam()));
  for (int i = 0; i < kProblems; ++i) {
    const OneContact contact = random.Draw(GetParam(), i % 2 == 0 ? 2.0 : 8.0);
    const OneContactSolution solution = SolveMaxDissipation(contact);
    const double min = static_cast<double>(MinEnergyByBruteForce(contact));
    double tolerance = EnergyTolerance(contact.a) * std::abs(min);
    if (std::abs(solution.energy - min) > tolerance) tolerance += Sensitivity(contact);
    ASSERT_NEAR(solution.energy, min, tolerance) << "problem " << i;
    ExpectFeasible(contact, solution);
    ASSERT_FALSE(HasFailure()) << "problem " << i;
  }
}

INSTANTIATE_TEST_SUITE_P(Kinds, MaxDissipationRandom,
                         testing::Values(ContactKind::kGeneric, ContactKind::kGrazing,
                                         ContactKind::kAlmostGrazing, ContactKind::kAlmostParabolic,
                                         ContactKind::kAlmostSticking, ContactKind::kSphere));

TEST(MaxDissipation, SolutionScalesWithTheProblem) {
  RandomContacts random(5);
  for (int i = 0; i < 300; ++i) {
    const OneContact contact = random.Draw(static_cast<ContactKind>(i % 3), 3.0);
    const OneContactSolution solution = SolveMaxDissipation(contact);
    for (const double s : {1e-12, 1e-5, 1e12}) {
      for (const double t : {1e-12, 1e3, 1e12}) {
        const OneContactSolution scaled =
            SolveMaxDissipation({s * contact.a, t * contact.b, contact.mu});
        EXPECT_EQ(scaled.state, solution.state);
        const Vec3 difference = scaled.x * (s / t) - solution.x;
        EXPECT_LE(difference.norm(), 1e-11 * solution.x.norm());
      }
    }
    const OneContactSolution exact =
        SolveMaxDissipation({0x1p-40 * contact.a, 0x1p30 * contact.b, contact.mu});
    EXPECT_EQ(exact.x, 0x1p70 * solution.x) << "powers of two must not cause rounding";
  }
}

TEST(MaxDissipation, RotatingTheTangentFrameRotatesTheSolution) {
  RandomContacts random(6);
  for (int i = 0; i < 300; ++i) {
    const OneContact contact = random.Draw(ContactKind::kGeneric, 2.0);
    Mat3 rotation = Mat3::Identity();
    rotation.bottomRightCorner<2, 2>() << std::cos(i), -std::sin(i), std::sin(i), std::cos(i);
    const OneContact rotated{rotation * contact.a * rotation.transpose(), rotation * contact.b,
                             contact.mu};
    const Vec3 difference =
        SolveMaxDissipation(rotated).x - rotation * SolveMaxDissipation(contact).x;
    EXPECT_LE(difference.norm(), 1e-11 * (1.0 + SolveMaxDissipation(contact).x.norm()));
  }
}

TEST(MaxDissipation, GrazingContactChoosesTheRayOfLowerEnergy) {
  // The Euclidean test of the paper's equation (9) gives x = 0 here.
  Mat3 a;
  a << 15, 1, -12, 1, 11, -4, -12, -4, 14;
  const OneContactSolution solution = SolveMaxDissipation({a, Vec3(0, 4, -5), 3.0});
  EXPECT_EQ(solution.state, ContactState::kSlip);
  EXPECT_NEAR(solution.energy, -0.0817351572230943, 1e-15);
  EXPECT_NEAR(std::hypot(solution.x[1], solution.x[2]), 0.156931779500936, 1e-14);
}

TEST(MaxDissipation, ContactAtRestStaysAtRest) {
  const OneContactSolution solution =
      SolveMaxDissipation({Vec3(1, 1, 2).asDiagonal(), Vec3::Zero(), 0.5});
  EXPECT_EQ(solution.x, Vec3(Vec3::Zero()));
  EXPECT_EQ(solution.energy, 0.0);
}

TEST(MaxDissipation, ImpulseIsContinuousBetweenStickAndSlip) {
  // b = A x with x on the cone: rounding decides the state but hardly changes the impulse.
  RandomContacts random(8);
  for (int i = 0; i < 1000; ++i) {
    OneContact contact = random.Draw(ContactKind::kGeneric, 2.0);
    const Vec3 x(1.0, contact.mu * std::cos(i), contact.mu * std::sin(i));
    contact.b = contact.a * x;
    if (contact.b[0] <= 0.0) continue;
    EXPECT_LE((SolveMaxDissipation(contact).x - x).norm(), 1e-9 * x.norm());
  }
}

TEST(MaxDissipation, ImpulseStaysFiniteForLargeFriction) {
  RandomContacts random(9);
  for (int i = 0; i < 1000; ++i) {
    OneContact contact = random.Draw(ContactKind::kGeneric, 3.0);
    contact.mu = std::pow(10.0, 1 + i % 12);
    const OneContactSolution solution = SolveMaxDissipation(contact);
    ASSERT_TRUE(solution.x.allFinite());
    ExpectFeasible(contact, solution);
    const double min = static_cast<double>(MinEnergyByBruteForce(contact));
    EXPECT_NEAR(solution.energy, min, 1e-9 * std::abs(min)) << contact.mu;
  }
}

}  // namespace
}  // namespace scree::max_dissipation_test
