// Friction that depends on the slip of a contact.
#include "engine/contacts/friction.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "tests/support/message_of.hpp"

namespace scree::friction_test {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

TEST(Friction, PairsWithoutAKineticCoefficientHaveNoLaw) {
  MaterialTable materials;
  EXPECT_FALSE(Friction(materials).HasLaws());
  materials.Add({"glass"}, 0.4);
  materials.Add({"steel"}, 0.3);
  materials.SetSlip(0, 1, {.kinetic = -1.0, .speed = 0.1});  // negative: no law
  EXPECT_FALSE(Friction(materials).HasLaws());
}

TEST(Friction, FrictionFallsFromTheStaticToTheKineticCoefficient) {
  MaterialTable materials;
  materials.Add({"glass"}, 0.6);
  materials.SetSlip(0, 0, {.kinetic = 0.2, .speed = 0.5});
  const Friction friction(materials);
  ASSERT_TRUE(friction.HasLaws());
  EXPECT_EQ(friction.Coefficient(0, 0, 0.0), 0.6);
  EXPECT_NEAR(friction.Coefficient(0, 0, 0.5), 0.2 + 0.4 * std::exp(-1.0), 1e-15);
  EXPECT_NEAR(friction.Coefficient(0, 0, 100.0), 0.2, 1e-15);
}

TEST(Friction, FrictionMayRiseWithSlip) {
  MaterialTable materials;
  materials.Add({"teflon"}, 0.05, {}, {}, {.kinetic = 0.15, .speed = 0.02});
  const Friction friction(materials);
  EXPECT_EQ(friction.Coefficient(0, 0, 0.0), 0.05);
  EXPECT_NEAR(friction.Coefficient(0, 0, 1.0), 0.15, 1e-15);
}

TEST(Friction, FrictionComesFromThePairOfMaterials) {
  MaterialTable materials;
  materials.Add({"glass"}, 0.6);
  materials.Add({"steel"}, 0.3);
  materials.SetSlip(1, 0, {.kinetic = 0.1, .speed = 1.0});
  const Friction friction(materials);
  for (const double slip : {0.0, 0.3, 5.0}) {
    EXPECT_EQ(friction.Coefficient(0, 0, slip), 0.6);
    EXPECT_EQ(friction.Coefficient(1, 1, slip), 0.3);
    EXPECT_EQ(friction.Coefficient(0, 1, slip), friction.Coefficient(1, 0, slip));
  }
  EXPECT_LT(friction.Coefficient(0, 1, 5.0), 0.11);
}

TEST(Friction, ErrorNamesTheBadConstant) {
  MaterialTable materials;
  materials.Add({"glass"}, 0.6);
  materials.Add({"steel"}, 0.3);
  const auto error_of = [&](const PairSlip& slip) {
    materials.SetSlip(0, 1, slip);
    return MessageOf<InputError>([&] { Friction friction(materials); });
  };
  EXPECT_EQ(error_of({.kinetic = 0.2, .speed = 0.0}),
            "the speed of friction of the materials glass and steel is 0; expected a number above "
            "0 m/s");
  for (const PairSlip& bad :
       {PairSlip{.kinetic = 0.2, .speed = -1.0}, PairSlip{.kinetic = 0.2, .speed = kNaN},
        PairSlip{.kinetic = kNaN, .speed = 1.0},
        PairSlip{.kinetic = std::numeric_limits<double>::infinity(), .speed = 1.0}}) {
    EXPECT_NE(error_of(bad), "");
  }
}

}  // namespace
}  // namespace scree::friction_test
