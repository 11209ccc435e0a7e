// Bonds between two bodies, compared with their strengths: pull-off, shear, Mohr's line, bending.
// Chains that migrate and restart.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "tests/support/clump_scenes.hpp"
#include "tests/support/same_bits.hpp"
#include "tests/support/schemes.hpp"

namespace scree::bonds_test {
namespace {

constexpr double kRadius = 0.01, kTension = 2e4, kShear = 3e4;  // [m], [Pa]
constexpr double kClose = 1e-6;  // relative distance of loads from the strength

/// Two bodies with centres on the x axis, one on either side of x = 0, where ranks meet.
struct Pair {
  const Communicator world = Communicator::World();
  Scene scene = test::EmptyScene(Vec3(-0.1, -0.1, -0.1), Vec3(0.1, 0.1, 0.1), 0.3);
  State state;
  StepParameters parameters;

  explicit Pair(const test::NamedScheme& scheme, double dt = 1e-4) {
    parameters = test::WithScheme(scheme);
    parameters.dt = dt;
    scene.bonds.push_back({.name = "glue", .gap = 1e-5, .tension = kTension, .shear = kShear});
  }
  void AddSpheres(double gap = 0.0) {
    for (int k = 0; world.IsRoot() && k < 2; ++k) {
      const double x = (k == 0 ? -1.0 : 1.0) * (kRadius + 0.5 * gap);
      test::AddSphere(state.particles, k, Vec3(x, 0, 0), kRadius);
    }
  }
  /// Two rounded cubes of side 2 kRadius; the flat squares that touch have sides of 1.9 kRadius.
  void AddCubes(Kernel kernel) {
    parameters.solver.kernel = kernel;
    ClumpDescription cube;
    cube.name = "cube";
    cube.solid = "box";
    cube.size = {2.0 * kRadius, 2.0 * kRadius, 2.0 * kRadius};
    cube.rounding = 0.05 * kRadius;
    const ShapeId shape = test::AddShape(scene, cube);
    for (int k = 0; world.IsRoot() && k < 2; ++k) {
      test::AddClump(scene, state.particles, k, shape, Vec3((k == 0 ? -1.0 : 1.0) * kRadius, 0, 0),
                     Quaternion());
    }
  }

  /// Advances the pair. Opposite forces act at the centres, with torques that balance their couple,
  /// and opposite moments.
  /// @param force  on the body with x > 0
  BondCounts Load(const Vec3& force, int steps = 5, const Vec3& moment = Vec3::Zero()) {
    TimeStep step = test::Start(world, scene, parameters, state);
    for (int k = 0; k < steps; ++k) {
      BodyForces forces;
      for (std::size_t i = 0; i < state.particles.owned; ++i) {
        const double sign = state.particles.id[i] == 1 ? 1.0 : -1.0;
        forces.force.push_back(sign * force);
        forces.torque.push_back(sign * moment - Vec3(kRadius, 0, 0).cross(force));
      }
      step.Advance(state, {}, 0, kNoEvent, &forces);
      largest_area = std::max(largest_area, AreaOf(step));
    }
    return step.CountBonds();
  }
  double AreaOf(const TimeStep& step) const {
    double area = 0.0;
    for (const Bond& bond : step.Bonds()) area = std::max(area, bond.area);
    return world.Max(area);
  }
  double Distance() const {
    const auto all = test::AllById(world, state.particles);
    return (all.at(1).position - all.at(0).position).norm();
  }
  double largest_area = 0.0;
};

void ExpectIntact(const BondCounts& counts, const char* under = "") {
  EXPECT_EQ(counts.intact, 1) << under;
  EXPECT_EQ(counts.broken_tension, 0) << under;
  EXPECT_EQ(counts.broken_shear, 0) << under;
}

class Bonds : public testing::TestWithParam<test::NamedScheme> {};
INSTANTIATE_TEST_SUITE_P(All, Bonds, testing::ValuesIn(test::kSchemes), test::NameOfScheme);

const double kArea = std::numbers::pi * kRadius * kRadius;

TEST_P(Bonds, SpheresPullOffAtTheTensileStrength) {
  for (const double dt : {1e-5, 1e-4, 1e-3}) {
    for (const double gap : {0.0, 5e-6}) {
      Pair below(GetParam(), dt);
      below.AddSpheres(gap);
      const double before = below.Distance();
      ExpectIntact(below.Load(Vec3((1.0 - kClose) * kTension * kArea, 0, 0)));
      EXPECT_NEAR(below.Distance(), before, 1e-14);
      Pair above(GetParam(), dt);
      above.AddSpheres(gap);
      const BondCounts counts = above.Load(Vec3((1.0 + kClose) * kTension * kArea, 0, 0));
      EXPECT_EQ(counts.intact, 0);
      EXPECT_EQ(counts.broken_tension, 1);
      EXPECT_EQ(counts.broken_shear, 0);
    }
  }
}

/// Shear force at failure under a pull N: S σ_shear (1 − N/(S σ_tension)); N < 0 is pressure.
TEST_P(Bonds, SpheresShearOffOnMohrsLine) {
  for (const double pull : {-2.0, -0.5, 0.0, 0.25, 0.75}) {
    const double limit = (1.0 - pull) * kShear * kArea, normal = pull * kTension * kArea;
    Pair below(GetParam());
    below.AddSpheres();
    ExpectIntact(below.Load(Vec3(normal, (1.0 - kClose) * limit, 0)));
    Pair above(GetParam());
    above.AddSpheres();
    const BondCounts counts = above.Load(Vec3(normal, (1.0 + kClose) * limit, 0));
    EXPECT_EQ(counts.intact, 0) << pull;
    EXPECT_EQ(counts.broken_shear, 1) << pull;
  }
}

TEST_P(Bonds, FacesPullOffShearAndBendAtTheirStrengths) {
  for (const Kernel kernel : {Kernel::kCoulomb, Kernel::kMaxDissipation}) {
    const auto load = [&](double share, const Vec3& force, const Vec3& moment = Vec3::Zero()) {
      Pair pair(GetParam());
      pair.AddCubes(kernel);
      pair.parameters.solver.sweeps = 200;
      const BondCounts counts = pair.Load(share * force, 20, share * moment);
      EXPECT_NEAR(pair.largest_area, std::pow(1.9 * kRadius, 2), 1e-9 * kArea);
      return counts;
    };
    const double area = std::pow(1.9 * kRadius, 2), side = 1.9 * kRadius;
    const Vec3 pull(kTension * area, 0, 0), shear(0, kShear * area, 0);
    const Vec3 bend(0, 0, kTension * area * side / 6.0);
    constexpr double kOff = 1e-4;
    ExpectIntact(load(1.0 - kOff, pull), "tension");
    EXPECT_EQ(load(1.0 + kOff, pull).broken_tension, 1);
    ExpectIntact(load(1.0 - kOff, shear), "shear");
    EXPECT_EQ(load(1.0 + kOff, shear).broken_shear, 1);
    ExpectIntact(load(1.0 - kOff, Vec3::Zero(), bend), "bending");
    EXPECT_EQ(load(1.0 + kOff, Vec3::Zero(), bend).broken_tension, 1);
  }
}

/// A suddenly applied load is far from balanced after ten sweeps of a step.
TEST(BondsAlone, FewSweepsDoNotBreakWhatManyHold) {
  const double area = std::pow(1.9 * kRadius, 2), share = 0.99;
  const Vec3 bend(0, 0, kTension * area * 1.9 * kRadius / 6.0);
  for (const Vec3& pull : {Vec3(kTension * area, 0, 0), Vec3(Vec3::Zero())}) {
    Pair pair(test::kSchemes[0]);
    pair.AddCubes(Kernel::kCoulomb);
    pair.parameters.solver.sweeps = 10;
    const Vec3 moment = pull.isZero(0.0) ? bend : Vec3(Vec3::Zero());
    ExpectIntact(pair.Load(share * pull, 20, share * moment));
  }
}

TEST_P(Bonds, NoneAreBornBeforeTheirTimeOrAcrossWiderGaps) {
  Pair wide(GetParam());
  wide.AddSpheres(2e-5);
  EXPECT_EQ(wide.Load(Vec3::Zero()).intact, 0);
  Pair late(GetParam());
  late.scene.bonds[0].time = 4e-4;
  late.AddSpheres();
  EXPECT_EQ(late.Load(Vec3::Zero(), 4).intact, 0);
  Pair born(GetParam());
  born.scene.bonds[0].time = 4e-4;
  born.AddSpheres();
  EXPECT_EQ(born.Load(Vec3::Zero(), 5).intact, 1);
}

TEST_P(Bonds, ABondWiderThanItsBodiesIsAnError) {
  Pair pair(GetParam());
  pair.AddSpheres();
  pair.scene.bonds[0].area = 1.01 * kArea;
  EXPECT_THROW(pair.Load(Vec3::Zero()), InputError);
}

/// A chain of bonded spheres that crosses the borders of subdomains and a periodic end, and is
/// continued from its restart point.
TEST_P(Bonds, MigrateAndContinueWithTheSameBits) {
  Pair pair(GetParam());
  pair.scene.domain.periodic = {true, false, false};
  constexpr int kSpheres = 6;
  for (int k = 0; pair.world.IsRoot() && k < kSpheres; ++k) {
    test::AddSphere(pair.state.particles, k, Vec3(-0.09 + 2.0 * kRadius * k, 0, 0), kRadius,
                    Vec3(5.0, 0.002 * (k % 2), 0.001 * k));
  }
  // Spheres at rest: lists are rebuilt, because the chain moves relative to them.
  for (int k = 0; pair.world.IsRoot() && k < 2 * kSpheres; ++k) {
    test::AddSphere(pair.state.particles, 100 + k, Vec3(-0.09 + 0.015 * k, 0.08, 0), 0.5 * kRadius);
  }
  pair.parameters.dt = 1e-4;
  TimeStep step = test::Start(pair.world, pair.scene, pair.parameters, pair.state);
  for (int k = 0; k < 200; ++k) step.Advance(pair.state);
  EXPECT_EQ(step.CountBonds().intact, kSpheres - 1);
  State kept = pair.state;
  Resize(kept.particles, kept.particles.owned);
  TimeStep again(pair.world, pair.scene, pair.parameters, step.Partition(), kept,
                 step.Point(pair.state));
  for (int k = 0; k < 200; ++k) {
    step.Advance(pair.state);
    again.Advance(kept);
  }
  EXPECT_GT(step.Rebuilds(), 2);
  EXPECT_EQ(again.CountBonds().intact, kSpheres - 1);
  const auto one = test::AllById(pair.world, pair.state.particles);
  for (const auto& [id, other] : test::AllById(pair.world, kept.particles)) {
    EXPECT_EQ(one.at(id).position, other.position);
    EXPECT_EQ(one.at(id).velocity, other.velocity);
  }
}

}  // namespace
}  // namespace scree::bonds_test
