// The problem of one contact: energy, normalisation, stick, and inadmissible problems.
#include "solvers/one_contact/one_contact.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>
#include <string>

#include "solvers/one_contact/contact_law.hpp"
#include "tests/support/random_contacts.hpp"

namespace scree::one_contact_test {
namespace {

TEST(OneContact, EnergyIsTheQuadraticForm) {
  Mat3 a;
  a << 4, 1, 0, 1, 3, 0.5, 0, 0.5, 2;
  const OneContact contact{a, Vec3(1, 2, 3), 0.5};
  const Vec3 x(0.5, -1, 2);
  EXPECT_DOUBLE_EQ(Energy(contact, x), 0.5 * x.dot(a * x) - x.dot(contact.b));
  EXPECT_DOUBLE_EQ((VelocityAfter(contact, x) - (a * x - contact.b)).norm(), 0.0);
}

TEST(OneContact, OnlyTheUpperTriangleIsRead) {
  Mat3 a = Mat3::Identity();
  a(1, 0) = a(2, 0) = a(2, 1) = std::numeric_limits<double>::quiet_NaN();
  EXPECT_DOUBLE_EQ(Energy({a, Vec3(1, 0, 0), 0.5}, Vec3(1, 1, 1)), 0.5);
}

TEST(OneContact, NormalisationIsExact) {
  test::RandomContacts random(1);
  for (int i = 0; i < 100; ++i) {
    OneContact contact = random.Draw(test::ContactKind::kGeneric, 4.0);
    contact.b *= 1e-30;
    const NormalizedContact normalized(contact);
    EXPECT_GE(normalized.contact.a.diagonal().maxCoeff(), 1.0);
    EXPECT_LT(normalized.contact.a.diagonal().maxCoeff(), 2.0);
    EXPECT_GE(normalized.contact.b.cwiseAbs().maxCoeff(), 1.0);
    EXPECT_LT(normalized.contact.b.cwiseAbs().maxCoeff(), 2.0);
    const double factor = normalized.contact.a(0, 0) / contact.a(0, 0);
    EXPECT_EQ(normalized.contact.a, Mat3(factor * contact.a));
  }
}

TEST(OneContact, StickLeavesNoVelocity) {
  test::RandomContacts random(2);
  for (int i = 0; i < 100; ++i) {
    const OneContact contact = random.Draw(test::ContactKind::kGeneric, 2.0);
    EXPECT_LE(VelocityAfter(contact, FindStick(contact).x).norm(), 1e-12 * contact.b.norm());
    EXPECT_TRUE(IsSticking(contact, FindStick(contact).x));
    EXPECT_FALSE(IsSticking(contact, 1.001 * FindStick(contact).x + Vec3(0, 1e-6, 0)));
  }
}

/// With Cramer's rule the errors would be 10³ to 10⁸ times as large.
TEST(OneContact, StickOfIllConditionedBlocksIsAccurateToRounding) {
  std::mt19937_64 engine(test::SeedOf(3));
  std::normal_distribution<double> normal;
  const auto random_vector = [&] {
    const double x = normal(engine), y = normal(engine), z = normal(engine);
    return Vec3(x, y, z);
  };
  constexpr double kMaxError = 8.0 * std::numeric_limits<double>::epsilon();
  for (const double condition : {1e6, 1e8, 1e10, 1e12}) {
    for (int i = 0; i < 1000; ++i) {
      const double middle = std::pow(condition, std::uniform_real_distribution<>(0.0, 1.0)(engine));
      const Mat3 rotation =
          Eigen::AngleAxisd(3.0 * normal(engine), random_vector().normalized()).toRotationMatrix();
      OneContact contact;
      contact.a = rotation * Vec3(1.0, middle, condition).asDiagonal() * rotation.transpose();
      contact.a = 0.5 * (contact.a + contact.a.transpose()).eval();
      contact.b = random_vector();
      const Vec3 x = FindStick(contact).x;
      const double terms = contact.a.norm() * x.norm() + contact.b.norm();
      EXPECT_LE(VelocityAfter(contact, x).norm(), kMaxError * terms) << condition << " " << i;
    }
  }
}

/// x is linear in b, down to the smallest subnormal numbers.
TEST(OneContact, SubnormalInputHasTheScaledSolution) {
  constexpr double kMin = std::numeric_limits<double>::denorm_min();
  test::RandomContacts random(4);
  for (int i = 0; i < 500; ++i) {
    const OneContact contact = random.Draw(test::ContactKind::kGeneric, 2.0);
    for (const ContactLaw law : {ContactLaw::kMaxDissipation, ContactLaw::kCoulomb}) {
      for (const int k : {-1022, -1040, -1060}) {
        OneContact tiny = contact, scaled_back = contact;
        for (int entry = 0; entry < 3; ++entry) {
          tiny.b[entry] = std::ldexp(contact.b[entry], k);
          scaled_back.b[entry] = std::ldexp(tiny.b[entry], -k);
        }
        const OneContactSolution tiny_solution = SolveOneContact(tiny, law);
        const OneContactSolution expected = SolveOneContact(scaled_back, law);
        EXPECT_EQ(tiny_solution.state, expected.state);
        for (int entry = 0; entry < 3; ++entry) {
          EXPECT_NEAR(tiny_solution.x[entry], std::ldexp(expected.x[entry], k), kMin);
        }
      }
      // With a tiny block as well, the impulse is of order one.
      OneContact heavy = contact;
      heavy.a = contact.a.unaryExpr([](double x) { return std::ldexp(x, -1000); });
      heavy.b = contact.b.unaryExpr([](double x) { return std::ldexp(x, -1000); });
      EXPECT_EQ(SolveOneContact(heavy, law).x, SolveOneContact(contact, law).x);
    }
  }
}

TEST(OneContact, StickIsInTheConeForLargeFrictionOnly) {
  const Vec3 b(1, 0.3, -0.4);
  EXPECT_TRUE(FindStick({Mat3::Identity(), b, 0.51}).in_cone);
  EXPECT_FALSE(FindStick({Mat3::Identity(), b, 0.49}).in_cone);
  EXPECT_FALSE(FindStick({Mat3::Identity(), Vec3(-1, 0, 0), 10.0}).in_cone);
}

TEST(OneContact, DefectNamesTheBadValue) {
  const Mat3 good = Vec3(1, 2, 3).asDiagonal();
  const Vec3 b(1, 1, 1);
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const double infinity = std::numeric_limits<double>::infinity();
  const auto defect = [](const Mat3& a, const Vec3& rhs, double mu) {
    return std::string(Defect({a, rhs, mu}));
  };
  EXPECT_EQ(defect(good, b, 0.5), "");
  Mat3 a = good;
  a(0, 1) = 0.5;
  EXPECT_NE(defect(a, b, 0.5).find("symmetric"), std::string::npos);
  EXPECT_NE(defect(Vec3(1, -2, 3).asDiagonal(), b, 0.5).find("positive definite"),
            std::string::npos);
  EXPECT_NE(defect(Mat3::Zero(), b, 0.5).find("positive definite"), std::string::npos);
  EXPECT_NE(defect(Mat3::Ones(), b, 0.5).find("positive definite"), std::string::npos);
  EXPECT_NE(defect(nan * good, b, 0.5).find("A has"), std::string::npos);
  EXPECT_NE(defect(good, Vec3(1, nan, 1), 0.5).find("b has"), std::string::npos);
  EXPECT_NE(defect(good, b, -0.1).find("negative"), std::string::npos);
  EXPECT_NE(defect(good, b, infinity).find("finite"), std::string::npos);
  EXPECT_EQ(defect(1e-12 * good, b, 0.5), "") << "small is not indefinite";
}

}  // namespace
}  // namespace scree::one_contact_test
