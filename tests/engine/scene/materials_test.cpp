// The material table: properties of pairs are symmetric, and new materials do not change them.
#include "engine/scene/materials.hpp"

#include <gtest/gtest.h>

namespace scree::materials_test {
namespace {

TEST(Materials, FrictionOfAPairIsSymmetric) {
  MaterialTable table;
  const MaterialId glass = table.Add({"glass", 2500.0}, 0.4);
  const MaterialId steel = table.Add({"steel", 7800.0}, 0.4);
  table.SetFriction(steel, glass, 0.2);
  EXPECT_EQ(table.Friction(glass, steel), 0.2);
  EXPECT_EQ(table.Friction(steel, glass), 0.2);
  EXPECT_EQ(table.Friction(steel, steel), 0.4);
  EXPECT_EQ(table.Friction(glass, glass), 0.4);
  EXPECT_EQ(table[glass].name, "glass");
  EXPECT_EQ(table[steel].density, 7800.0);
}

TEST(Materials, AddingAMaterialKeepsTheExistingPairs) {
  MaterialTable table;
  for (int a = 0; a < 4; ++a) {
    EXPECT_EQ(table.Add({"m", 1000.0 + a}, 0.1 * a), a);
    for (int b = 0; b <= a; ++b) {
      EXPECT_EQ(table.Friction(a, b), 0.1 * a);
      table.SetFriction(a, b, 10.0 * a + b);
    }
  }
  for (int a = 0; a < 4; ++a) {
    for (int b = 0; b < 4; ++b) {
      EXPECT_EQ(table.Friction(a, b), 10.0 * std::max(a, b) + std::min(a, b));
    }
  }
  EXPECT_EQ(table.Size(), 4u);
}

TEST(Materials, RestitutionOfAPairIsSymmetricAndKept) {
  MaterialTable table;
  const PairRestitution common{.constant = 0.3}, law{.law = "linear", .stiffness = 1e4};
  const MaterialId glass = table.Add({"glass", 2500.0}, 0.4, common);
  const MaterialId steel = table.Add({"steel", 7800.0}, 0.4, common);
  table.SetRestitution(steel, glass, law);
  const MaterialId rubber = table.Add({"rubber", 1100.0}, 0.4);
  EXPECT_EQ(table.Restitution(glass, steel), law);
  EXPECT_EQ(table.Restitution(steel, glass), law);
  EXPECT_EQ(table.Restitution(steel, steel), common);
  EXPECT_EQ(table.Restitution(rubber, steel), PairRestitution());
  EXPECT_TRUE(law.CanRebound() && common.CanRebound());
  EXPECT_FALSE(PairRestitution().CanRebound());
}

TEST(Materials, SlipOfAPairIsSymmetricAndKept) {
  MaterialTable table;
  const PairSlip common{.kinetic = 0.3, .speed = 0.1}, other{.kinetic = 0.0, .speed = 2.0};
  const MaterialId glass = table.Add({"glass", 2500.0}, 0.4, {}, {}, common);
  const MaterialId steel = table.Add({"steel", 7800.0}, 0.4, {}, {}, common);
  table.SetSlip(steel, glass, other);
  const MaterialId rubber = table.Add({"rubber", 1100.0}, 0.4);
  EXPECT_EQ(table.Slip(glass, steel), other);
  EXPECT_EQ(table.Slip(steel, glass), other);
  EXPECT_EQ(table.Slip(steel, steel), common);
  EXPECT_EQ(table.Slip(rubber, steel), PairSlip());
  EXPECT_TRUE(common.IsActive() && other.IsActive());
  EXPECT_FALSE(PairSlip().IsActive());
}

TEST(Materials, RollingOfAPairIsSymmetricAndKept) {
  MaterialTable table;
  const MaterialId glass = table.Add({"glass", 2500.0}, 0.4);
  const MaterialId steel = table.Add({"steel", 7800.0}, 0.4);
  EXPECT_FALSE(table.HasActiveLaw());
  const PairRolling spinning{.spinning = 0.01};
  table.SetLaw<RollingLaw>(steel, glass, spinning);
  EXPECT_TRUE(table.HasActiveLaw());
  const PairRolling common{.rolling = 0.1};
  PairLaws laws;
  std::get<PairRolling>(laws) = common;
  const MaterialId rubber = table.Add({"rubber", 1100.0}, 0.4, {}, laws);
  EXPECT_EQ(table.PairOf<RollingLaw>(glass, steel), spinning);
  EXPECT_EQ(table.PairOf<RollingLaw>(steel, glass), spinning);
  EXPECT_EQ(table.PairOf<RollingLaw>(steel, steel), PairRolling());
  EXPECT_EQ(table.PairOf<RollingLaw>(rubber, glass), common);
}

TEST(Materials, AttractionRangeIsTheLargestRangeWithAForce) {
  MaterialTable table;
  const MaterialId dry = table.Add({"dry", 2500.0}, 0.4);
  const MaterialId wet = table.Add({"wet", 2500.0}, 0.4);
  EXPECT_EQ(table.AttractionRange(0.1), 0.0);
  table.SetLaw<CohesionLaw>(dry, dry, {.range = 0.3});  // without a force
  EXPECT_EQ(table.AttractionRange(0.1), 0.0);
  table.SetLaw<CohesionLaw>(wet, dry, {.force = 1.0});
  EXPECT_EQ(table.AttractionRange(0.1), 1e-3 * 0.1);
  table.SetLaw<CohesionLaw>(wet, wet, {.adhesion = 1.0, .range = 0.2});
  EXPECT_EQ(table.AttractionRange(0.1), 0.2);
}

TEST(Materials, SphereVolumeIsCorrect) {
  EXPECT_NEAR(SphereVolume(2.0), 33.510321638291124, 1e-14);
  EXPECT_EQ(SphereVolume(0.0), 0.0);
}

}  // namespace
}  // namespace scree::materials_test
