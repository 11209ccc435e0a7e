// All Coulomb solutions: reference counts and values, the laws, and the choice for sweeps.
#include "solvers/one_contact/coulomb.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <string>
#include <vector>

#include "solvers/one_contact/max_dissipation.hpp"
#include "tests/support/csv_rows.hpp"
#include "tests/support/random_contacts.hpp"

namespace scree::coulomb_test {
namespace {

using test::ContactKind;
using test::RandomContacts;

struct Reference {
  OneContact contact;
  bool stick_feasible = false;
  std::vector<Vec3> slips;
};

std::map<std::string, Reference> ReadReferences() {
  std::map<std::string, Reference> references;
  for (const auto& fields : test::ReadRows("contact_coulomb.csv")) {
    Reference& reference = references[fields[0]];
    reference.contact = test::ContactFromFields(fields, 2);
    reference.stick_feasible = fields[1] == "1";
    reference.slips.push_back(test::VectorFromFields(fields, 15));
  }
  return references;
}

double SlipError(const OneContact& contact, const Vec3& x) {
  // ‖v_to‖ x_to + ‖x_to‖ v_to = 0, relative to the terms of v.
  const Vec3 v = VelocityAfter(contact, x);
  const double slip = std::hypot(v[1], v[2]), friction = std::hypot(x[1], x[2]);
  if (friction == 0.0) return 0.0;
  const double terms = (contact.a.cwiseAbs() * x.cwiseAbs() + contact.b.cwiseAbs()).norm();
  return std::hypot(slip * x[1] + friction * v[1], slip * x[2] + friction * v[2]) /
         (friction * terms);
}

TEST(Coulomb, AllReferenceSolutionsAreFound) {
  const auto references = ReadReferences();
  ASSERT_GE(references.size(), 70u);
  for (const auto& [number, reference] : references) {
    SCOPED_TRACE("problem " + number);
    const CoulombSolutions solutions = FindCoulombSolutions(reference.contact);
    const std::size_t stick_count = reference.stick_feasible ? 1 : 0;
    ASSERT_EQ(static_cast<std::size_t>(solutions.count), reference.slips.size() + stick_count);
    for (const Vec3& slip : reference.slips) {
      double min_distance = 1e300;
      for (const auto& solution : solutions)
        min_distance = std::min(min_distance, (solution.x - slip).norm());
      EXPECT_LE(min_distance, 1e-9 * slip.norm());
    }
    EXPECT_EQ(solutions.values[0].state == ContactState::kStick, reference.stick_feasible);
  }
}

TEST(Coulomb, AllSolutionsObeySignoriniAndCoulomb) {
  RandomContacts random(21);
  int multiple_count = 0;
  for (int i = 0; i < 60000; ++i) {
    const auto kind = static_cast<ContactKind>(i % test::kContactKinds);
    const OneContact contact = random.Draw(kind, 3.0);
    const CoulombSolutions solutions = FindCoulombSolutions(contact);
    ASSERT_GE(solutions.count, 1) << "problem " << i;
    multiple_count += solutions.count > 1 ? 1 : 0;
    for (const auto& solution : solutions) {
      const Vec3& x = solution.x;
      ASSERT_GE(x[0], 0.0);
      ASSERT_LE(std::hypot(x[1], x[2]), contact.mu * x[0] * (1.0 + 1e-12));
      const bool slips = solution.state == ContactState::kSlip;
      ASSERT_LE(slips ? SlipError(contact, x) : 0.0, 1e-12);
      const Vec3 row = contact.a.row(0);
      if (x[0] > 0.0) {
        ASSERT_NEAR(row.dot(x), contact.b[0], 1e-12 * row.cwiseAbs().dot(x.cwiseAbs()));
      }
    }
  }
  EXPECT_GT(multiple_count, 100);
}

TEST(Coulomb, CollidingContactsHaveAnOddNumberOfSolutions) {
  RandomContacts random(22);
  for (int i = 0; i < 30000; ++i) {
    const CoulombSolutions solutions =
        FindCoulombSolutions(random.Draw(ContactKind::kGeneric, 2.0));
    EXPECT_EQ(solutions.count % 2, 1) << "problem " << i;
  }
}

// Where stick and a slip coincide on the cone's surface, rounding makes them indistinguishable; the
// count must stay odd.
TEST(Coulomb, NumberOfSolutionsIsOddAtThresholds) {
  RandomContacts random(8);
  for (int thresholds = 0; thresholds < 60;) {
    const OneContact three_solutions = random.Draw(ContactKind::kGeneric, 2.0);
    if (FindCoulombSolutions(three_solutions).count != 3) continue;
    ++thresholds;
    OneContact one_solution = three_solutions;
    do {
      one_solution.b = random.Draw(ContactKind::kGeneric, 2.0).b;
    } while (FindCoulombSolutions(one_solution).count != 1);
    const auto interpolate = [&](double t) {
      OneContact contact = three_solutions;
      contact.b = (1.0 - t) * three_solutions.b + t * one_solution.b;
      return contact;
    };
    double low = 0.0, high = 1.0;
    for (int k = 0; k < 60; ++k) {
      const double middle = 0.5 * (low + high);
      (FindCoulombSolutions(interpolate(middle)).count > 1 ? low : high) = middle;
    }
    for (int k = 0; k < 100; ++k) {
      const double offset = (k % 2 == 0 ? 1e-16 : -1e-16) * std::pow(10.0, 0.1 * (k / 2));
      ASSERT_EQ(FindCoulombSolutions(interpolate(low + offset)).count % 2, 1)
          << "threshold " << thresholds << ", " << offset << " from it";
    }
  }
}

// There are as many solutions as for an approach of 1e-200, all finite and in the cone.
TEST(Coulomb, SubnormalApproachHasTheSameNumberOfSolutions) {
  RandomContacts random(9);
  for (int k = 0; k < 2000; ++k) {
    OneContact contact = random.Draw(ContactKind::kGeneric, 2.0);
    contact.b[0] = 1e-200;
    const int count = FindCoulombSolutions(contact).count;
    const Vec3 max_dissipation = SolveMaxDissipation(contact).x;
    for (const double approach : {1e-305, 1e-310, 1e-320, 5e-324}) {
      contact.b[0] = approach;
      const CoulombSolutions solutions = FindCoulombSolutions(contact);
      ASSERT_EQ(solutions.count, count) << "problem " << k << ", " << approach;
      for (const auto& solution : solutions) {
        const Vec3& x = solution.x;
        ASSERT_TRUE(x.allFinite());
        ASSERT_LE(std::hypot(x[1], x[2]), contact.mu * x[0] * (1.0 + 1e-12));
      }
      const Vec3 x = SolveMaxDissipation(contact).x;
      ASSERT_LE((x - max_dissipation).norm(), 1e-9 * max_dissipation.norm() + 1e-190);
    }
  }
}

TEST(Coulomb, SolveCoulombChoosesTheMostDissipativeSolution) {
  RandomContacts random(23);
  for (int i = 0; i < 20000; ++i) {
    const OneContact contact = random.Draw(static_cast<ContactKind>(i % 3), 2.0);
    const OneContactSolution chosen = SolveCoulomb(contact);
    for (const auto& solution : FindCoulombSolutions(contact)) {
      EXPECT_LE(chosen.energy, solution.energy);
    }
    EXPECT_GE(chosen.energy, SolveMaxDissipation(contact).energy - 1e-11 * std::abs(chosen.energy));
  }
}

TEST(Coulomb, EqualsMaximumDissipationWithoutNormalCoupling) {
  RandomContacts random(24);
  for (int i = 0; i < 5000; ++i) {
    OneContact contact = random.Draw(ContactKind::kGeneric, 2.0);
    contact.a(0, 1) = contact.a(0, 2) = contact.a(1, 0) = contact.a(2, 0) = 0.0;
    const Vec3 x = SolveMaxDissipation(contact).x;
    EXPECT_LE((SolveCoulomb(contact).x - x).norm(), 1e-12 * x.norm());
  }
}

TEST(Coulomb, SeparatingContactGetsNoImpulse) {
  const CoulombSolutions solutions = FindCoulombSolutions({Mat3::Identity(), Vec3(-1, 2, 3), 10.0});
  ASSERT_EQ(solutions.count, 1);
  EXPECT_EQ(solutions.values[0].state, ContactState::kSeparating);
}

TEST(Coulomb, GrazingContactAllowsZeroImpulse) {
  RandomContacts random(25);
  for (int i = 0; i < 2000; ++i) {
    bool has_zero = false;
    for (const auto& solution : FindCoulombSolutions(random.Draw(ContactKind::kGrazing, 2.0))) {
      has_zero = has_zero || solution.x.isZero(0.0);
    }
    EXPECT_TRUE(has_zero);
  }
}

TEST(Coulomb, FrictionlessImpulseIsNormal) {
  const CoulombSolutions solutions =
      FindCoulombSolutions({Vec3(4, 1, 1).asDiagonal(), Vec3(2, 5, -7), 0.0});
  ASSERT_EQ(solutions.count, 1);
  EXPECT_EQ(solutions.values[0].x, Vec3(0.5, 0, 0));
}

}  // namespace
}  // namespace scree::coulomb_test
