// The rule of restitution case by case, and the laws of pairs compared with integrated impacts.
#include "engine/contacts/restitution.hpp"

#include <gtest/gtest.h>

#include <limits>

#include "engine/particles/random.hpp"
#include "solvers/base/check.hpp"
#include "tests/support/allocation_counter.hpp"
#include "tests/support/scenes.hpp"

namespace scree::restitution_test {
namespace {

constexpr double kStep = 1e-3;
constexpr double kInfinity = std::numeric_limits<double>::infinity();

Scene SceneWith(const PairRestitution& restitution) {
  Scene scene = test::EmptyScene(Vec3::Zero(), Vec3::Ones(), 0.0);
  scene.materials.SetRestitution(0, 0, restitution);
  return scene;
}

Rebound ReboundOf(const Restitution& restitution, const NormalMotion& motion, double inelastic_bias,
                  const ImpactingBodies& bodies) {
  return restitution.NeedsCoefficient(motion, inelastic_bias)
             ? restitution.Apply(motion, inelastic_bias, bodies)
             : Rebound{inelastic_bias, false};
}

/// The rule at e = 0.5 with a threshold of 0.1 m/s.
Rebound ReboundWithHalf(const NormalMotion& motion, double inelastic_bias) {
  Scene scene = SceneWith({.constant = 0.5});
  scene.restitution_threshold = 0.1;
  const Restitution restitution(scene, kStep);
  return ReboundOf(restitution, motion, inelastic_bias, ImpactingBodies());
}

TEST(Restitution, ImpactRequiresAFractionOfTheApproachInsteadOfTheGap) {
  for (const double bias : {0.0, 0.5, -0.3}) {
    const double gap = bias > 0.0 ? bias * kStep : 0.1 * bias * kStep;
    const Rebound rebound = ReboundWithHalf({gap, -2.0, -2.0}, bias);
    EXPECT_EQ(rebound.bias, -1.0);
    EXPECT_TRUE(rebound.is_impact);
  }
}

TEST(Restitution, ForcesDecideWhetherAGapClosesButNotHowFastItReopens) {
  EXPECT_EQ(ReboundWithHalf({1.5e-3, -1.0, -2.0}, 1.5).bias, -0.5);  // only the forces close it
  EXPECT_EQ(ReboundWithHalf({1.5e-3, -2.0, -1.0}, 1.5).bias,
            -1.0);  // closes even without the forces
  EXPECT_EQ(ReboundWithHalf({2.5e-3, -2.0, -1.0}, 2.5).bias, 2.5);  // stays open
  EXPECT_FALSE(ReboundWithHalf({2.5e-3, -2.0, -1.0}, 2.5).is_impact);
}

TEST(Restitution, ContactDoesNotReboundIfItsLoadStopsItWithinFiveSteps) {
  const Restitution restitution(SceneWith({.constant = 0.5}), kStep, 1e-4);
  EXPECT_TRUE(restitution.IsUnderLoad({1e-4, -0.49, -0.49}, 0.1));
  EXPECT_TRUE(restitution.IsUnderLoad({-1e-6, 0.49, 0.49}, 0.1));
  EXPECT_FALSE(restitution.IsUnderLoad({1e-4, -0.51, -0.51}, 0.1));
  EXPECT_FALSE(restitution.IsUnderLoad({2e-4, -0.1, -0.1}, 0.1)) << "it does not touch";
  EXPECT_FALSE(restitution.IsUnderLoad({0.0, -1e-9, -1e-9}, 0.0)) << "it carried no impulse";
}

/// The rebound from a wall under gravity g, at e = 0.5.
Rebound ReboundUnderGravity(const NormalMotion& motion, double inelastic_bias, double g) {
  const Restitution restitution(SceneWith({.constant = 0.5}), kStep);
  return ReboundOf(restitution, motion, inelastic_bias, {.load = g});
}

TEST(Restitution, ReboundHeightCountsFromTheWall) {
  const double g = 10.0, m = -2.0, kick = 0.5 * kStep * g;
  for (const double gap : {0.0, 5e-4, 1.5e-3}) {
    const double c = -ReboundUnderGravity({gap, m, m}, gap / kStep, g).bias;
    // Heights above the wall: a fall from drop_height gives the speed m; the rebound c rises to
    // rebound_height.
    const double drop_height = 0.5 * std::pow(kick - m, 2) / g + gap;
    const double rebound_height = 0.5 * std::pow(kick + c, 2) / g + gap;
    EXPECT_NEAR(rebound_height, 0.25 * drop_height, 1e-15) << gap;
    EXPECT_LE(c, -0.5 * m);
  }
  // A rebound that would not reach the present height gets the larger of −g dt/2 and
  // c₀ = −inelastic_bias.
  EXPECT_EQ(ReboundUnderGravity({1.5e-3, -0.2, -1.6}, 1.5, 1000.0).bias, 0.5);
  EXPECT_EQ(ReboundUnderGravity({1e-4, -0.02, -1.02}, 0.1, 1000.0).bias, 0.1);
  // An overlap does not count as a drop height.
  EXPECT_EQ(ReboundUnderGravity({-1e-3, m, m}, 0.0, g).bias,
            ReboundUnderGravity({0.0, m, m}, 0.0, g).bias);
}

TEST(Restitution, SlowContactsAreInelastic) {
  for (const double m : {-0.1, -0.05, 0.0, 0.05, 0.1}) {
    const Rebound rebound = ReboundWithHalf({-1e-3, m, m - 5.0}, -0.25);
    EXPECT_EQ(rebound.bias, -0.25) << m;
    EXPECT_FALSE(rebound.is_impact);
  }
  EXPECT_TRUE(ReboundWithHalf({0.0, -0.100001, -0.1}, 0.0).is_impact);
}

TEST(Restitution, SeparatingContactsMayReverseAtAFractionOfTheirSpeed) {
  EXPECT_EQ(ReboundWithHalf({0.0, 2.0, 2.0}, 0.0).bias, 1.0);
  EXPECT_EQ(ReboundWithHalf({1e-4, 2.0, 2.0}, 0.1).bias, 1.0);
  EXPECT_EQ(ReboundWithHalf({2e-3, 2.0, 2.0}, 2.0).bias, 2.0);  // the gap allows more
  EXPECT_EQ(ReboundWithHalf({-1e-3, 2.0, 2.0}, -0.8).bias, 1.0);
  EXPECT_FALSE(ReboundWithHalf({0.0, 2.0, 2.0}, 0.0).is_impact);
}

TEST(Restitution, InelasticPairsKeepTheBiasOfTheirGap) {
  EXPECT_FALSE(Restitution(SceneWith({}), kStep).CanRebound());
  Scene scene = SceneWith({});
  const MaterialId other_material = scene.materials.Add({"other"}, 0.0, {.constant = 0.5});
  const Restitution restitution(scene, kStep);
  ASSERT_TRUE(restitution.CanRebound());
  const auto bias = [&](MaterialId a, const NormalMotion& motion) {
    ImpactingBodies bodies;
    bodies.b = a;
    return ReboundOf(restitution, motion, 0.3, bodies).bias;
  };
  EXPECT_EQ(bias(0, {3e-4, -2.0, -2.0}), 0.3);  // an inelastic pair keeps the bias of its gap
  EXPECT_EQ(bias(0, {3e-4, 2.0, 2.0}), 1.0);    // but may reverse as fast as the other pairs
  EXPECT_EQ(bias(other_material, {3e-4, -2.0, -2.0}), -1.0);
}

TEST(Restitution, GapsUpToTheTouchingGapCountAsTouching) {
  const double touching_gap = 1e-4;
  const Restitution restitution(SceneWith({.constant = 0.5}), kStep, touching_gap);
  const double threshold = restitution.Threshold();
  EXPECT_EQ(threshold, 0.0);  // without gravity
  const ImpactingBodies bodies;
  EXPECT_TRUE(ReboundOf(restitution, {touching_gap, -0.01, -0.01}, 0.1, bodies).is_impact);
  EXPECT_TRUE(ReboundOf(restitution, {1.1 * touching_gap, -0.02, -0.02}, 0.11, bodies).is_impact);
  EXPECT_FALSE(
      ReboundOf(restitution, {1.1 * touching_gap, -0.001, -0.001}, 0.11, bodies).is_impact);
  EXPECT_EQ(restitution.InelasticBias(touching_gap, 0.1), threshold);
  EXPECT_EQ(restitution.InelasticBias(1.1 * touching_gap, 0.11), 0.11);
  EXPECT_EQ(restitution.InelasticBias(-touching_gap, -0.25), -0.25);
}

TEST(Restitution, ThresholdIsGivenOrFollowsFromTheWeight) {
  Scene scene = SceneWith({.constant = 0.5});
  scene.gravity = Vec3(0, 6, -8);
  EXPECT_DOUBLE_EQ(Restitution(scene, kStep).Threshold(), 0.05);
  scene.restitution_threshold = 0.2;
  EXPECT_DOUBLE_EQ(Restitution(scene, kStep).Threshold(), 0.2);
}

// ---- laws

constexpr const char* kLaws[] = {"kuwabara-kono", "hunt-crossley", "hertz-linear", "linear"};

/// A dissipation that gives a medium restitution at 1 m/s.
double DissipationFor(const impact::ContactModel& model, const impact::ContactConstants& contact) {
  constexpr double kGamma = 0.15;
  impact::ContactConstants balanced = contact;
  balanced.dissipation = 1.0;
  return kGamma / impact::Scale(model, balanced, 1.0).gamma;
}

TEST(Restitution, LawEqualsTheIntegratedImpactForAllSizesAndSpeeds) {
  for (const char* law : kLaws) {
    const impact::ContactModel model = impact::FindContactModel(law);
    for (const bool load : {false, true}) {
      // Building a table with loads takes a second; restitution_law_test checks these tables for
      // all laws.
      if (load && law != kLaws[1]) continue;
      const double k = 3e6;
      impact::ContactConstants contact{2e-6, k, 0.0, 0.0};
      contact.dissipation = DissipationFor(model, contact);
      const Restitution restitution(
          SceneWith({.law = law, .stiffness = k, .dissipation = contact.dissipation, .load = load}),
          kStep);
      for (int i = 0; i < 60; ++i) {
        const auto random = [i](std::uint64_t draw) { return UniformAroundZero(5, i, draw); };
        contact.mass = 2e-6 * std::exp(2.0 * random(0));
        const double speed = std::exp(2.0 * random(1)), weight = 10.0 * (1.0 + random(2));
        const double e =
            restitution.Coefficient({0, 0, 1.0 / contact.mass, 2e-3, 2e-3, weight}, speed);
        contact.acceleration = load ? weight : 0.0;
        const double exact = impact::ExactRestitution({model}, contact, speed);
        if (load) {
          EXPECT_NEAR(e * e, exact * exact, impact::RestitutionTable::kLoadedError)
              << law << " " << i;
        } else {
          EXPECT_NEAR(e, exact, impact::RestitutionTable::kUnloadedError) << law << " " << i;
        }
      }
    }
  }
}

TEST(Restitution, LoadCountsOnlyIfEnabledAndNonzeroWithoutAllocation) {
  const PairRestitution base{.law = "kuwabara-kono", .stiffness = 1e5, .dissipation = 2e-4};
  PairRestitution loaded = base;
  loaded.load = true;
  const Restitution unloaded(SceneWith(base), kStep), loaded_law(SceneWith(loaded), kStep);
  const double speed = 0.02, w = 1e3;
  const ImpactingBodies wall_impact{0, 0, w, 1e-3, kInfinity, 9.81},
      in_air{0, 0, w, 1e-3, kInfinity, 0.0};
  const std::size_t allocations = test::AllocationCount();
  EXPECT_EQ(unloaded.Coefficient(wall_impact, speed), unloaded.Coefficient(in_air, speed));
  EXPECT_EQ(loaded_law.Coefficient(in_air, speed), unloaded.Coefficient(in_air, speed));
  EXPECT_LT(loaded_law.Coefficient(wall_impact, speed),
            unloaded.Coefficient(wall_impact, speed) - 0.01);
  EXPECT_EQ(test::AllocationCount(), allocations);
}

TEST(Restitution, AttractionSpeedsUpTheImpactAndSlowsDownTheReturn) {
  const Restitution restitution(SceneWith({.constant = 0.5}), kStep, 1e-4);
  ImpactingBodies bodies;
  bodies.attraction = {.acceleration = 50.0, .range = 2e-3};  // 2 a d = 0.2 m²/s²
  const auto bias_at = [&](double gap, double v) {
    return ReboundOf(restitution, {gap, v, -3.0}, gap / kStep, bodies).bias;
  };
  const double out_of_range = 2.5e-3, escaping = std::sqrt(0.25 * (9.0 + 0.2) - 0.2);
  EXPECT_NEAR(bias_at(out_of_range, -3.0), -escaping, 1e-15);
  EXPECT_EQ(bias_at(out_of_range, -0.7), out_of_range / kStep) << "it sticks";
  // After a slow rebound, c is the velocity in the middle of the step, and so is v within the
  // range.
  const double kick = 0.5 * 50.0 * kStep;
  EXPECT_NEAR(bias_at(0.0, -2.0), kick - 1.0, 1e-15);
  EXPECT_LT(kStep * (1.0 - kick), 2e-3);
  bodies.attraction.last_dt = kStep;
  const double gap = 2e-4, work = 2.0 * 50.0 * gap;
  const double impact_square = (2.0 + kick) * (2.0 + kick) + work;
  EXPECT_NEAR(bias_at(gap, -2.0), kick - std::sqrt(0.25 * impact_square - work), 1e-15);
}

TEST(Restitution, StiffnessByHertzUsesBothRadiiAndBothMaterials) {
  Scene scene = SceneWith({});
  scene.materials = MaterialTable();
  const Material steel{"steel", 7800.0, 2.1e11, 0.29}, glass{"glass", 2500.0, 7e10, 0.22};
  scene.materials.Add(steel, 0.0, {.law = "kuwabara-kono", .dissipation = 3e-6});
  scene.materials.Add(glass, 0.0, {.law = "kuwabara-kono", .dissipation = 3e-6});
  const Restitution restitution(scene, kStep);
  const double mass = 1e-5, ra = 1e-3, rb = 3e-3, speed = 0.7;
  for (const double b : {rb, kInfinity}) {
    const double k =
        impact::HertzStiffness({steel.young, steel.poisson, ra}, {glass.young, glass.poisson, b});
    const double exact = impact::ExactRestitution({impact::FindContactModel("kuwabara-kono")},
                                                  {mass, k, 3e-6, 0.0}, speed);
    const ImpactingBodies bodies{0, 1, 1.0 / mass, ra, b, 0.0};
    EXPECT_NEAR(restitution.Coefficient(bodies, speed), exact,
                impact::RestitutionTable::kUnloadedError);
    EXPECT_LT(exact, 0.98);
    ImpactingBodies exchanged = bodies;
    std::swap(exchanged.a, exchanged.b);
    std::swap(exchanged.radius_a, exchanged.radius_b);
    EXPECT_EQ(restitution.Coefficient(exchanged, speed), restitution.Coefficient(bodies, speed));
  }
}

TEST(Restitution, LawWithoutDissipationIsElastic) {
  const Restitution restitution(SceneWith({.law = "linear", .stiffness = 1e5}), kStep);
  EXPECT_NEAR(restitution.Coefficient({0, 0, 1e3, 1e-3, 1e-3, 0.0}, 1.0), 1.0, 1e-7);
}

std::string ErrorOf(const PairRestitution& pair) {
  try {
    Restitution(SceneWith(pair), kStep);
  } catch (const InputError& error) {
    return error.what();
  }
  return "none";
}

TEST(Restitution, ErrorsNameTheBadConstant) {
  const double nan = std::nan("");
  for (const double e : {-0.1, 1.1, kInfinity, nan}) {
    EXPECT_NE(ErrorOf({.constant = e}).find("expected 0 to 1"), std::string::npos) << e;
  }
  const auto law = [](const char* name, double k, double dissipation) {
    return ErrorOf({.law = name, .stiffness = k, .dissipation = dissipation});
  };
  EXPECT_NE(law("kuwabara-kono", 0.0, 1e-6).find("Young's modulus of grain"), std::string::npos);
  EXPECT_NE(law("linear", 0.0, 1e-6).find("not Hertzian"), std::string::npos);
  EXPECT_NE(law("soft", 1e6, 1e-6).find("choose one of"), std::string::npos);
  for (const double bad : {-1.0, nan, kInfinity}) {
    EXPECT_NE(law("linear", bad, 1e-6).find("the stiffness of"), std::string::npos) << bad;
    EXPECT_NE(law("linear", 1e6, bad).find("the dissipation of"), std::string::npos) << bad;
  }
}

}  // namespace
}  // namespace scree::restitution_test
