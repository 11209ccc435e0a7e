// Bonds between two bodies break at their strengths: pull-off, shear, Mohr's line, bending. Chains
// of them migrate and restart.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "engine/contacts/contact_assembly.hpp"
#include "engine/geometry/triangle_mesh.hpp"
#include "engine/particles/body_mass.hpp"
#include "tests/support/clump_scenes.hpp"
#include "tests/support/meshes.hpp"
#include "tests/support/same_bits.hpp"
#include "tests/support/schemes.hpp"

namespace scree::bonds_test {
namespace {

constexpr double kRadius = 0.01, kTension = 2e4, kShear = 3e4;  // [m], [Pa]
constexpr double kMargin = 1e-6;  // relative distance of loads from the strength

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
  /// Adds two rounded cubes of side 2 kRadius. Their touching flat squares have sides of 1.9
  /// kRadius.
  void AddCubes(Kernel kernel) {
    parameters.solver.kernel = kernel;
    ClumpDescription cube;
    cube.name = "cube";
    cube.solid = "box";
    cube.size = {2.0 * kRadius, 2.0 * kRadius, 2.0 * kRadius};
    cube.rounding = 0.05 * kRadius;
    const ShapeId shape = test::AddShape(scene, cube);
    for (int k = 0; world.IsRoot() && k < 2; ++k) AddSolid(k, shape, Quaternion());
  }
  void AddSolid(int number, ShapeId shape, const Quaternion& orientation) {
    test::AddClump(scene, state.particles, number, shape,
                   Vec3((number == 0 ? -1.0 : 1.0) * kRadius, 0, 0), orientation);
  }

  /// Advances the pair under opposite forces at the centres, torques that balance the couple of
  /// these forces, and opposite moments.
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
    const auto bodies = test::GatherById(world, state.particles);
    return (bodies.at(1).position - bodies.at(0).position).norm();
  }
  double largest_area = 0.0;
};

void ExpectIntact(const BondCounts& counts, const char* load_name = "") {
  EXPECT_EQ(counts.intact, 1) << load_name;
  EXPECT_EQ(counts.broken_tension, 0) << load_name;
  EXPECT_EQ(counts.broken_shear, 0) << load_name;
}

class Bonds : public testing::TestWithParam<test::NamedScheme> {};
INSTANTIATE_TEST_SUITE_P(All, Bonds, testing::ValuesIn(test::kSchemes), test::NameOfScheme);

const double kArea = std::numbers::pi * kRadius * kRadius;

TEST_P(Bonds, SpheresPullOffAtTheTensileStrength) {
  for (const double dt : {1e-5, 1e-4, 1e-3}) {
    for (const double gap : {0.0, 5e-6}) {
      Pair below(GetParam(), dt);
      below.AddSpheres(gap);
      const double distance_before = below.Distance();
      ExpectIntact(below.Load(Vec3((1.0 - kMargin) * kTension * kArea, 0, 0)));
      EXPECT_NEAR(below.Distance(), distance_before, 1e-14);
      Pair above(GetParam(), dt);
      above.AddSpheres(gap);
      const BondCounts counts = above.Load(Vec3((1.0 + kMargin) * kTension * kArea, 0, 0));
      EXPECT_EQ(counts.intact, 0);
      EXPECT_EQ(counts.broken_tension, 1);
      EXPECT_EQ(counts.broken_shear, 0);
    }
  }
}

/// Shear force at failure of a bond of area S under a pull N: S σ_shear (1 − N/(S σ_tension));
/// N < 0 is pressure.
TEST_P(Bonds, SpheresShearOffOnMohrsLine) {
  for (const double pull : {-2.0, -0.5, 0.0, 0.25, 0.75}) {
    const double limit = (1.0 - pull) * kShear * kArea, normal = pull * kTension * kArea;
    Pair below(GetParam());
    below.AddSpheres();
    ExpectIntact(below.Load(Vec3(normal, (1.0 - kMargin) * limit, 0)));
    Pair above(GetParam());
    above.AddSpheres();
    const BondCounts counts = above.Load(Vec3(normal, (1.0 + kMargin) * limit, 0));
    EXPECT_EQ(counts.intact, 0) << pull;
    EXPECT_EQ(counts.broken_shear, 1) << pull;
  }
}

TEST_P(Bonds, FacesPullOffShearAndBendAtTheirStrengths) {
  for (const Kernel kernel : {Kernel::kCoulomb, Kernel::kMaxDissipation}) {
    const auto load = [&](double load_ratio, const Vec3& force, const Vec3& moment = Vec3::Zero()) {
      Pair pair(GetParam());
      pair.AddCubes(kernel);
      pair.parameters.solver.sweeps = 200;
      const BondCounts counts = pair.Load(load_ratio * force, 20, load_ratio * moment);
      EXPECT_NEAR(pair.largest_area, std::pow(1.9 * kRadius, 2), 1e-9 * kArea);
      return counts;
    };
    const double area = std::pow(1.9 * kRadius, 2), side = 1.9 * kRadius;
    const Vec3 pull(kTension * area, 0, 0), shear(0, kShear * area, 0);
    const Vec3 bend(0, 0, kTension * area * side / 6.0);
    constexpr double kDeviation = 1e-4;
    ExpectIntact(load(1.0 - kDeviation, pull), "tension");
    EXPECT_EQ(load(1.0 + kDeviation, pull).broken_tension, 1);
    ExpectIntact(load(1.0 - kDeviation, shear), "shear");
    EXPECT_EQ(load(1.0 + kDeviation, shear).broken_shear, 1);
    ExpectIntact(load(1.0 - kDeviation, Vec3::Zero(), bend), "bending");
    EXPECT_EQ(load(1.0 + kDeviation, Vec3::Zero(), bend).broken_tension, 1);
  }
}

/// Prisms with their axes along x touch each other, or a wall, with their ends.
struct PrismPair : Pair {
  PrismPair(const test::NamedScheme& scheme, int sides, bool has_wall) : Pair(scheme) {
    parameters.solver.kernel = Kernel::kCoulomb;
    parameters.solver.sweeps = 200;
    ClumpDescription prism;
    prism.name = "prism";
    prism.solid = "prism";
    prism.sides = sides;
    prism.size = {2.0 * kRadius, 2.0 * kRadius};
    prism.rounding = 0.05 * kRadius;
    shape = test::AddShape(scene, prism);
    if (has_wall) test::AddPlane(scene, Vec3::Zero(), Vec3::UnitX());
    for (int k = has_wall ? 1 : 0; world.IsRoot() && k < 2; ++k) {
      AddSolid(k, shape, Quaternion{1, 0, 1, 0});
    }
    const double inner_radius = (std::cos(std::numbers::pi / sides) - 0.05) * kRadius;
    area = sides * std::tan(std::numbers::pi / sides) * inner_radius * inner_radius;
  }
  double area;  // of the flat part of an end [m²]
  ShapeId shape;
};

/// The bond covers the whole end, and a central pull is distributed equally over it.
TEST_P(Bonds, EndsOfPrismsAreBondedOnTheirWholeArea) {
  for (const int sides : {5, 6, 24}) {
    for (const bool has_wall : {false, true}) {
      SCOPED_TRACE(testing::Message() << sides << " " << has_wall);
      PrismPair pair(GetParam(), sides, has_wall);
      TimeStep step = test::Start(pair.world, pair.scene, pair.parameters, pair.state);
      step.Advance(pair.state);
      EXPECT_NEAR(pair.AreaOf(step), pair.area, 1e-9 * pair.area);
      for (const Bond& bond : step.Bonds()) {
        Vec3 mean = Vec3::Zero();
        for (std::size_t k = 0; k < kMaxBondPoints; ++k) {
          mean += bond.area_fraction[k] * bond.on_a[k];
        }
        EXPECT_LT(std::hypot(mean.x(), mean.y()), 1e-9 * kRadius);
      }
      constexpr double kDeviation = 0.01;
      const Vec3 pull(kTension * pair.area, 0, 0);
      PrismPair below(GetParam(), sides, has_wall);
      ExpectIntact(below.Load((1.0 - kDeviation) * pull, 20));
      PrismPair above(GetParam(), sides, has_wall);
      EXPECT_EQ(above.Load((1.0 + kDeviation) * pull, 20).broken_tension, 1);
    }
  }
}

/// Weight alone does not tilt a body that hangs from its end.
TEST_P(Bonds, HexagonalPrismHangsFromAWallUpToItsStrength) {
  for (const double load_ratio : {0.99, 1.01}) {
    PrismPair prism(GetParam(), 6, true);
    prism.scene.gravity = Vec3(9.81, 0, 0);
    const double mass =
        MassOf(prism.scene, 0, prism.shape, prism.scene.ClumpOf(prism.shape).bounding_radius);
    prism.scene.bonds[0].tension = mass * 9.81 / (prism.area * load_ratio);
    prism.scene.bonds[0].shear = prism.scene.bonds[0].tension;
    EXPECT_EQ(prism.Load(Vec3::Zero(), 100).intact, load_ratio < 1.0 ? 1 : 0) << load_ratio;
  }
}

/// The moment at which a round section of area S fails, with the strengths σ_n in tension and σ_t
/// in shear. Under the tension N it bends off at σ_n π r³/4 (1 − N/(S σ_n)) and twists off at σ_t π
/// r³/2 (1 − N/(S σ_n)); N < 0 is pressure.
/// @param pull    N/(S σ_n)
/// @param radius  r, in radii of the spheres
Vec3 SectionMoment(bool is_bending, double pull, double radius) {
  const double r = radius * kRadius, size = std::numbers::pi * r * r * r * (1.0 - pull);
  return is_bending ? Vec3(0, 0.6, -0.8) * (0.25 * kTension * size)
                    : Vec3(-0.5 * kShear * size, 0, 0);
}

TEST_P(Bonds, SpheresBendAndTwistOffAtTheStrengthOfASection) {
  for (const Kernel kernel : {Kernel::kSphere, Kernel::kCoulomb, Kernel::kMaxDissipation}) {
    for (const double radius : {1.0, 0.3}) {
      for (const double pull : {-1.0, 0.0, 0.5}) {
        for (const bool is_bending : {true, false}) {
          const auto load = [&](double load_ratio) {
            Pair pair(GetParam());
            pair.AddSpheres();
            pair.parameters.solver.kernel = kernel;
            pair.scene.bonds[0].radius = radius;
            pair.scene.bonds[0].moments = true;
            const Vec3 force(pull * kTension * kArea * radius * radius, 0, 0);
            return pair.Load(force, 5, load_ratio * SectionMoment(is_bending, pull, radius));
          };
          SCOPED_TRACE(testing::Message() << radius << " " << pull << " " << is_bending);
          ExpectIntact(load(1.0 - kMargin));
          const BondCounts counts = load(1.0 + kMargin);
          EXPECT_EQ(counts.intact, 0);
          EXPECT_EQ(counts.broken_tension, is_bending ? 1 : 0);
          EXPECT_EQ(counts.broken_shear, is_bending ? 0 : 1);
        }
      }
    }
  }
}

/// Wall friction and the moment of the bond both resist the rotation. Ten Jacobi sweeps would not
/// balance them and leave a velocity in the first step, which a bond this near its strength could
/// not stop. Hence 200 sweeps.
TEST_P(Bonds, SphereBendsAndTwistsOffAWall) {
  for (const bool is_bending : {true, false}) {
    for (const double load_ratio : {1.0 - kMargin, 1.0 + kMargin}) {
      Pair pair(GetParam());
      test::AddPlane(pair.scene, Vec3::Zero(), Vec3::UnitX());
      pair.scene.bonds[0].moments = true;
      pair.parameters.solver.sweeps = 200;
      if (pair.world.IsRoot()) {
        test::AddSphere(pair.state.particles, 1, Vec3(kRadius, 0, 0), kRadius);
      }
      const Vec3 moment = load_ratio * SectionMoment(is_bending, 0.0, 1.0);
      EXPECT_EQ(pair.Load(Vec3::Zero(), 5, moment).intact, load_ratio < 1.0 ? 1 : 0) << is_bending;
    }
  }
}

/// A row of spheres that sticks out of a wall. At the wall its weight has the moment n² m g r.
TEST_P(Bonds, CantileverOfSpheresBendsOffTheWall) {
  constexpr int kCount = 4;
  constexpr double kGravity = 9.81;
  const double moment = kCount * kCount * test::Mass(kRadius) * kGravity * kRadius;
  const double stress = 4.0 * moment / (std::numbers::pi * std::pow(kRadius, 3));
  for (const double load : {0.95, 1.05}) {
    Pair row(GetParam());
    test::AddPlane(row.scene, Vec3::Zero(), Vec3::UnitX());
    row.scene.gravity = Vec3(0, 0, -kGravity);
    row.scene.bonds[0].tension = stress / load;
    row.scene.bonds[0].shear = 10.0 * stress;
    row.scene.bonds[0].moments = true;
    for (int k = 0; row.world.IsRoot() && k < kCount; ++k) {
      test::AddSphere(row.state.particles, k, Vec3((2 * k + 1) * kRadius, 0, 0), kRadius);
    }
    TimeStep step = test::Start(row.world, row.scene, row.parameters, row.state);
    for (int k = 0; k < 200; ++k) step.Advance(row.state);
    const std::int64_t broken_at_wall =
        row.world.Sum(static_cast<std::int64_t>(std::ranges::count_if(
            step.Bonds(), [](const Bond& bond) { return bond.wall >= 0 && !bond.IsIntact(); })));
    const BondCounts counts = step.CountBonds();
    EXPECT_EQ(counts.broken_tension, load > 1.0 ? 1 : 0) << counts.waiting;
    EXPECT_EQ(broken_at_wall, load > 1.0 ? 1 : 0);
    EXPECT_EQ(counts.broken_shear, 0);
  }
}

/// Some bonds have their home on the rank left of x = 0, others on the rank right of it.
TEST_P(Bonds, BreaksAcrossASubdomainBorderAreCounted) {
  constexpr int kPairs = 6;
  Pair pairs(GetParam());
  for (int k = 0; pairs.world.IsRoot() && k < 2 * kPairs; ++k) {
    const bool is_left = (k % 2 == 0) == (k / 2 % 2 == 0);
    test::AddSphere(pairs.state.particles, k,
                    Vec3(is_left ? -kRadius : kRadius, 0.03 * (k / 2) - 0.075, 0), kRadius);
  }
  TimeStep step = test::Start(pairs.world, pairs.scene, pairs.parameters, pairs.state);
  step.Advance(pairs.state);
  EXPECT_EQ(step.CountBonds().intact, kPairs);
  for (int k = 0; k < 5; ++k) {
    BodyForces forces;
    for (std::size_t i = 0; i < pairs.state.particles.owned; ++i) {
      const double sign = pairs.state.particles.position[i].x() < 0.0 ? -1.0 : 1.0;
      forces.force.push_back(sign * 1.1 * kTension * kArea * Vec3::UnitX());
      forces.torque.push_back(Vec3::Zero());
    }
    step.Advance(pairs.state, {}, 0, kNoEvent, &forces);
  }
  EXPECT_EQ(step.CountBonds().broken_tension, kPairs);
  EXPECT_EQ(step.CountBonds().intact, 0);
}

/// While a bond holds, rolling friction of the pair of materials does not act.
TEST_P(Bonds, SpheresWithoutMomentsRollOnEachOther) {
  Pair pair(GetParam());
  pair.AddSpheres();
  pair.scene.materials.SetLaw<RollingLaw>(0, 0, {10.0, 10.0});
  ExpectIntact(pair.Load(Vec3::Zero(), 5, 1e-3 * SectionMoment(true, 0.0, 1.0)));
  for (const auto& [id, body] : test::GatherById(pair.world, pair.state.particles)) {
    EXPECT_GT(body.angular_velocity.norm(), 1e-3);
  }
}

/// Two rods side by side touch at two pairs of spheres.
TEST(BondsAlone, EachBondOfTwoClumpsDrawsItsOwnStrength) {
  Pair pair(test::kSchemes[0]);
  pair.scene.bonds[0].weibull = 2.0;
  pair.parameters.solver.kernel = Kernel::kCoulomb;
  const ShapeId shape = test::AddShape(pair.scene, test::Dumbbell(kRadius));
  for (int k = 0; k < 2; ++k) {
    test::AddClump(pair.scene, pair.state.particles, k, shape, Vec3(0, (2 * k - 1) * kRadius, 0),
                   Quaternion());
  }
  const TimeStep step = test::Run(pair.world, pair.scene, pair.parameters, pair.state, 1);
  const std::span<const Bond> bonds = step.Bonds();
  ASSERT_EQ(bonds.size(), 2U);
  EXPECT_GT(std::abs(bonds[0].strength - bonds[1].strength), 1e-3);
}

/// Ten sweeps are far from balancing a suddenly applied load.
TEST(BondsAlone, FewSweepsBreakNoBondThatManySweepsHold) {
  const double area = std::pow(1.9 * kRadius, 2), load_ratio = 0.99;
  const Vec3 bend(0, 0, kTension * area * 1.9 * kRadius / 6.0);
  for (const Vec3& pull : {Vec3(kTension * area, 0, 0), Vec3(Vec3::Zero())}) {
    Pair pair(test::kSchemes[0]);
    pair.AddCubes(Kernel::kCoulomb);
    pair.parameters.solver.sweeps = 10;
    const Vec3 moment = pull.isZero(0.0) ? bend : Vec3(Vec3::Zero());
    ExpectIntact(pair.Load(load_ratio * pull, 20, load_ratio * moment));
  }
}

TEST_P(Bonds, NoBondIsBornBeforeItsTimeOrAcrossAWiderGap) {
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

TEST_P(Bonds, BondWiderThanItsBodiesIsAnError) {
  Pair pair(GetParam());
  pair.AddSpheres();
  pair.scene.bonds[0].area = 1.01 * kArea;
  EXPECT_THROW(pair.Load(Vec3::Zero()), InputError);
}

/// A chain of bonded spheres crosses the borders of subdomains and a periodic end, and continues
/// from its restart point.
void ExpectSameAfterRestart(const test::NamedScheme& scheme, bool has_moments) {
  Pair pair(scheme);
  pair.scene.bonds[0].moments = has_moments;
  pair.scene.domain.periodic = {true, false, false};
  constexpr int kSpheres = 6;
  for (int k = 0; pair.world.IsRoot() && k < kSpheres; ++k) {
    test::AddSphere(pair.state.particles, k, Vec3(-0.09 + 2.0 * kRadius * k, 0, 0), kRadius,
                    Vec3(5.0, 0.002 * (k % 2), 0.001 * k));
  }
  // Spheres at rest: because the chain moves relative to them, lists are rebuilt.
  for (int k = 0; pair.world.IsRoot() && k < 2 * kSpheres; ++k) {
    test::AddSphere(pair.state.particles, 100 + k, Vec3(-0.09 + 0.015 * k, 0.08, 0), 0.5 * kRadius);
  }
  pair.parameters.dt = 1e-4;
  TimeStep step = test::Start(pair.world, pair.scene, pair.parameters, pair.state);
  for (int k = 0; k < 200; ++k) step.Advance(pair.state);
  EXPECT_EQ(step.CountBonds().intact, kSpheres - 1);
  const auto [restarted, restarted_state] = test::ExpectRestartWithTheSameBits(
      pair.world, pair.scene, pair.parameters, step, pair.state, 200);
  for (int k = 0; k < 200; ++k) step.Advance(pair.state);
  EXPECT_GT(step.Rebuilds(), 2);
  EXPECT_EQ(restarted.CountBonds().intact, kSpheres - 1);
  test::ExpectSameBits(test::GatherById(pair.world, restarted_state.particles),
                       test::GatherById(pair.world, pair.state.particles));
}

TEST_P(Bonds, BondsMigrateAndContinueWithTheSameBits) {
  ExpectSameAfterRestart(GetParam(), false);
  ExpectSameAfterRestart(GetParam(), true);
}

/// Two bonded cubes spin freely, one radian in 250 steps. In each step their points leave each
/// other by (ω dt)²/2 of the distance from the axis, and the bond closes this gap.
TEST_P(Bonds, SpinningPairOfCubesKeepsItsAngularMomentumAndItsShape) {
  Pair pair(GetParam(), 2e-4);
  pair.AddCubes(Kernel::kCoulomb);
  pair.parameters.solver.sweeps = 200;
  pair.scene.bonds[0].tension = pair.scene.bonds[0].shear = 1e6;
  const Vec3 spin(0, 0, 20);
  Particles& particles = pair.state.particles;
  for (std::size_t i = 0; i < particles.owned; ++i) {
    particles.angular_velocity[i] = spin;
    particles.velocity[i] = spin.cross(particles.position[i]);
  }
  TimeStep step = test::Start(pair.world, pair.scene, pair.parameters, pair.state);
  const auto angular_momentum = [&] {
    double sum = 0.0;
    for (std::size_t i = 0; i < particles.owned; ++i) {
      const double mass = MassOf(particles, i, pair.scene);
      const PrincipalInertia inertia = InertiaOf(particles, i, 1.0 / mass, pair.scene.clumps);
      sum += mass * particles.position[i].cross(particles.velocity[i]).z() +
             inertia.AngularMomentum(particles.orientation[i], particles.angular_velocity[i]).z();
    }
    return pair.world.Sum(sum);
  };
  const double before = angular_momentum();
  for (int k = 0; k < 2000; ++k) step.Advance(pair.state);
  EXPECT_NEAR(angular_momentum() / before, 1.0, 1e-3);
  EXPECT_NEAR(pair.Distance() / (2.0 * kRadius), 1.0, 1e-3);
  // The line of centres turns with the cubes.
  const auto bodies = test::GatherById(pair.world, particles);
  const Vec3 line = (bodies.at(1).position - bodies.at(0).position).normalized();
  const Vec3 axis = RotationMatrix(bodies.at(0).orientation) * Vec3::UnitX();
  EXPECT_GT(line.dot(axis), 1.0 - 1e-6);
  ExpectIntact(step.CountBonds());
}

/// The direct distance of the spheres is less than twice their diameter, but they touch across the
/// periodic end.
TEST_P(Bonds, BondAcrossAShortPeriodicDomainHoldsTheNearerImage) {
  Pair pair(GetParam());
  pair.scene.domain.periodic = {true, false, false};
  pair.scene.domain.box.lower.x() = -2.95 * kRadius;
  pair.scene.domain.box.upper.x() = 2.95 * kRadius;
  for (int k = 0; pair.world.IsRoot() && k < 2; ++k) {
    test::AddSphere(pair.state.particles, k, Vec3((k == 0 ? -1.95 : 1.95) * kRadius, 0, 0),
                    kRadius);
  }
  ExpectIntact(pair.Load(Vec3::Zero(), 100));
  for (const auto& [id, body] : test::GatherById(pair.world, pair.state.particles)) {
    EXPECT_LT(body.velocity.norm(), 1e-12) << id;
  }
}

/// A cube with walls, on the rank of x < 0.
struct CubeOnWalls : Pair {
  explicit CubeOnWalls(const test::NamedScheme& scheme) : Pair(scheme) {
    AddCubes(Kernel::kCoulomb);
    Particles& particles = state.particles;
    Resize(particles, std::min<std::size_t>(particles.owned, 1));  // without the second cube
    parameters.solver.sweeps = 200;
  }
  /// A wall of planes through faces of the cube.
  Wall& AddWall(const std::vector<Vec3>& normals) {
    Wall wall;
    wall.name = "wall";
    for (const Vec3& normal : normals) {
      wall.shape.parts.push_back(Plane{Vec3(-kRadius, 0, 0) - kRadius * normal, normal});
    }
    return scene.walls.emplace_back(wall);
  }
  double KineticEnergy() const {
    double energy = 0.0;
    for (std::size_t i = 0; i < state.particles.owned; ++i) {
      energy += 0.5 * MassOf(state.particles, i, scene) * state.particles.velocity[i].squaredNorm();
    }
    return world.Sum(energy);
  }
};

/// Each vertex of the cube has a contact with the nearest face of a wall only. Two vertices lie on
/// both faces, so one of the faces has only a line of contacts, and no bond.
TEST_P(Bonds, CubeInTheCornerOfOneWallIsBondedToOneWholeFace) {
  CubeOnWalls cube(GetParam());
  cube.AddWall({Vec3::UnitZ(), Vec3::UnitX()});
  TimeStep step = test::Start(cube.world, cube.scene, cube.parameters, cube.state);
  for (int k = 0; k < 3; ++k) step.Advance(cube.state);
  EXPECT_EQ(step.CountBonds().intact, 1);
  for (const Bond& bond : step.Bonds()) {
    EXPECT_NEAR(bond.area, std::pow(1.9 * kRadius, 2), 1e-9 * kArea);
    EXPECT_NEAR(bond.normal.cwiseAbs().maxCoeff(), 1.0, 1e-12);
  }
}

TEST_P(Bonds, BeltCarriesABondedCubeWithoutStrain) {
  for (const double fracture_energy : {0.0, 0.2}) {
    CubeOnWalls cube(GetParam());
    cube.scene.bonds[0].fracture_energy = fracture_energy;
    cube.AddWall({Vec3::UnitZ()}).surface_velocity = Vec3(-0.5, 0, 0);
    for (Vec3& v : cube.state.particles.velocity) v = Vec3(-0.5, 0, 0);
    const double before = cube.KineticEnergy();
    TimeStep step = test::Start(cube.world, cube.scene, cube.parameters, cube.state);
    for (int k = 0; k < 500; ++k) step.Advance(cube.state);
    EXPECT_EQ(step.CountBonds().intact, 1) << fracture_energy;
    EXPECT_NEAR(cube.KineticEnergy() / before, 1.0, 1e-6) << fracture_energy;
  }
}

/// Output after a step counts no bonds of particles that left in this step.
TEST_P(Bonds, BondsLeaveWithTheirParticles) {
  Pair pair(GetParam());
  pair.scene.outflow[0][1] = true;
  pair.AddSpheres();
  for (Vec3& v : pair.state.particles.velocity) v = Vec3(1.0, 0, 0);
  TimeStep step = test::Start(pair.world, pair.scene, pair.parameters, pair.state);
  std::int64_t particles = 2;
  for (int k = 0; k < 1200; ++k) {
    step.Advance(pair.state);
    particles = 2 - pair.world.Sum(pair.state.deleted);
    ASSERT_EQ(step.CountBonds().intact, particles == 2 ? 1 : 0) << k;
  }
  EXPECT_EQ(particles, 0);
}

TEST_P(Bonds, WallTakesItsBondsAlongWhenItIsRemoved) {
  CubeOnWalls cube(GetParam());
  cube.AddWall({Vec3::UnitZ()}).removed_at = 5e-4;
  TimeStep step = test::Start(cube.world, cube.scene, cube.parameters, cube.state);
  for (int k = 0; k < 3; ++k) step.Advance(cube.state);
  EXPECT_EQ(step.CountBonds().intact, 1);
  for (int k = 0; k < 5; ++k) step.Advance(cube.state);
  EXPECT_EQ(step.CountBonds().intact, 0);
  EXPECT_EQ(step.CountBonds().broken_tension, 0);
}

/// A sphere that is bonded to a wall, without moments, and rolls on it.
struct BeadOnWall : Pair {
  explicit BeadOnWall(const test::NamedScheme& scheme, const Shape& shape) : Pair(scheme, 5e-5) {
    Wall wall;
    wall.name = "wall";
    wall.shape = shape;
    scene.walls.push_back(wall);
    scene.gravity = Vec3(0, 0, -kGravity);
    scene.bonds[0].tension = scene.bonds[0].shear = 1e6;
    parameters.solver.kernel = Kernel::kCoulomb;
  }
  /// Adds a rolling sphere.
  void Add(const Vec3& position, const Vec3& normal, const Vec3& velocity) {
    if (!world.IsRoot()) return;
    test::AddSphere(state.particles, 0, position, kRadius, velocity,
                    normal.cross(velocity) / kRadius);
  }
  /// Advances the body and checks that the bonded sphere stays at the wall.
  /// @param distance  distance(body): of the sphere's centre from the surface [m]
  template <class Distance>
  void Roll(int steps, Distance&& distance) {
    constexpr int kStepsPerCheck = 20;  // a check gathers the body from the ranks
    TimeStep step = test::Start(world, scene, parameters, state);
    for (int k = 0; k < steps; ++k) {
      step.Advance(state);
      if (k % kStepsPerCheck != 0) continue;
      const test::Kinematics body = Body();
      ASSERT_NEAR(distance(body), kRadius, 1e-3 * kRadius) << k << ": " << body.position;
      lowest = std::min(lowest, body.position.z());
    }
    ExpectIntact(step.CountBonds());
  }
  /// Roll of a sphere, which loses no energy.
  template <class Distance>
  void RollWithoutLoss(int steps, Distance&& distance) {
    constexpr double kLoss = 0.02;
    const double energy = Energy();
    Roll(steps, [&](const test::Kinematics& body) { return distance(body.position); });
    EXPECT_NEAR(Energy(), energy, kLoss * kGravity * kRadius);
  }
  test::Kinematics Body() const { return test::GatherById(world, state.particles).at(0); }
  double Energy() const {  // per mass
    const test::Kinematics body = Body();
    return 0.7 * body.velocity.squaredNorm() + kGravity * body.position.z();
  }
  static constexpr double kGravity = 9.81;
  double lowest = 1.0;
};

constexpr double kTrack = 0.04;  // distance of the sphere's centre from the axis [m]
double DistanceFromAxis(const Vec3& x) { return std::hypot(x.x(), x.z()); }

TEST_P(Bonds, SphereRollsRoundARodToWhichItIsBonded) {
  if (!test::IsSingleRank()) GTEST_SKIP() << "one rank suffices";
  const double radius = kTrack - kRadius;
  BeadOnWall bead(GetParam(), {{Cylinder{Vec3(0, -0.1, 0), Vec3(0, 0.1, 0), radius}}});
  const Vec3 start(std::sin(0.3), 0, std::cos(0.3));
  bead.Add(kTrack * start, start, Vec3::Zero());
  bead.RollWithoutLoss(8000, [&](const Vec3& x) { return DistanceFromAxis(x) - radius; });
  EXPECT_LT(bead.lowest, -0.999 * kTrack);
}

TEST_P(Bonds, SphereRollsAlongThePipeToWhichItIsBonded) {
  if (!test::IsSingleRank()) GTEST_SKIP() << "one rank suffices";
  const double radius = kTrack + kRadius;
  BeadOnWall bead(GetParam(), {{Pipe{Vec3(0, -0.1, 0), Vec3(0, 0.1, 0), radius}}});
  const Vec3 start(std::sin(0.3), 0, std::cos(0.3));
  bead.Add(kTrack * start, -start, Vec3::Zero());
  bead.RollWithoutLoss(8000, [&](const Vec3& x) { return radius - DistanceFromAxis(x); });
  EXPECT_LT(bead.lowest, -0.999 * kTrack);
}

/// The surface of a box with its top at z = 0, as a block and as triangles.
std::vector<Shape> ShapesOf(const Box& box) {
  Mesh mesh;
  mesh.surface = std::make_shared<TriangleMesh>(test::BoxSurface(box), MeshSolid::kInside);
  return {{{Block{box}}}, {{mesh}}};
}

TEST_P(Bonds, SphereRollsOverTheEdgeOfABoxToWhichItIsBonded) {
  if (!test::IsSingleRank()) GTEST_SKIP() << "one rank suffices";
  const Box box{Vec3(-0.09, -0.05, -0.09), Vec3(0.02, 0.06, 0)};
  for (const Shape& shape : ShapesOf(box)) {
    BeadOnWall bead(GetParam(), shape);
    bead.Add(Vec3(0, 0, kRadius), Vec3::UnitZ(), Vec3(0.2, 0.01, 0));
    bead.RollWithoutLoss(4000,
                         [&](const Vec3& x) { return NearestSurface(Block{box}, x).distance; });
    EXPECT_LT(bead.lowest, -2.0 * kRadius);
    EXPECT_NEAR(bead.Body().position.x(), 0.02 + kRadius, 1e-3 * kRadius);
  }
}

/// The sphere hangs on the ceiling of a box. In the corner the side wall is as near.
TEST_P(Bonds, SphereInACornerStaysOnTheFaceToWhichItIsBonded) {
  if (!test::IsSingleRank()) GTEST_SKIP() << "one rank suffices";
  Mesh mesh;
  mesh.surface = std::make_shared<TriangleMesh>(
      test::Reversed(test::BoxSurface({Vec3(-0.03, -0.03, -0.08), Vec3(0.03, 0.03, 0)})),
      MeshSolid::kOutside);
  BeadOnWall bead(GetParam(), {{mesh}});
  bead.Add(Vec3(0, 0.005, -kRadius), -Vec3::UnitZ(), Vec3(0.2, 0.02, 0));
  bead.Roll(6000, [](const test::Kinematics& body) {
    EXPECT_LT(body.position.x(), 0.03 - (1.0 - 1e-3) * kRadius);
    return -body.position.z();
  });
}

TEST_P(Bonds, SphereRollsPastThePeriodicEndOfThePipeToWhichItIsBonded) {
  if (!test::IsSingleRank()) GTEST_SKIP() << "one rank suffices";
  const double radius = kTrack + kRadius;
  BeadOnWall bead(GetParam(), {{Pipe{Vec3(0, -0.1, 0), Vec3(0, 0.1, 0), radius}}});
  bead.scene.domain.periodic = {false, true, false};
  bead.scene.gravity = Vec3::Zero();
  bead.Add(Vec3(0, 0, kTrack), -Vec3::UnitZ(), Vec3(0, 1.0, 0));
  bead.RollWithoutLoss(6000, [&](const Vec3& x) { return radius - DistanceFromAxis(x); });
  EXPECT_NEAR(bead.Body().velocity.y(), 1.0, 1e-6);
}

TEST_P(Bonds, SphereThatRollsRoundARodContinuesWithTheSameBits) {
  const double radius = kTrack - kRadius;
  for (const double fracture_energy : {0.0, 0.2}) {
    BeadOnWall bead(GetParam(), {{Cylinder{Vec3(0, -0.1, 0), Vec3(0, 0.1, 0), radius}}});
    bead.scene.bonds[0].fracture_energy = fracture_energy;
    bead.Add(kTrack * Vec3::UnitZ(), Vec3::UnitZ(), Vec3(1.0, 0.1, 0));
    TimeStep step = test::Start(bead.world, bead.scene, bead.parameters, bead.state);
    for (int k = 0; k < 500; ++k) step.Advance(bead.state);
    EXPECT_NEAR(DistanceFromAxis(bead.Body().position), kTrack, 1e-3 * kRadius) << fracture_energy;
    test::ExpectRestartWithTheSameBits(bead.world, bead.scene, bead.parameters, step, bead.state,
                                       500);
  }
}

/// One of two spheres of a clump is bonded.
TEST_P(Bonds, ClumpRollsRoundARodToWhichItIsBonded) {
  if (!test::IsSingleRank()) GTEST_SKIP() << "one rank suffices";
  const double radius = kTrack - kRadius;
  BeadOnWall bead(GetParam(), {{Cylinder{Vec3(0, -0.1, 0), Vec3(0, 0.1, 0), radius}}});
  const ShapeId shape = test::AddShape(bead.scene, test::Dumbbell(kRadius));
  if (bead.world.IsRoot()) {
    test::AddClump(bead.scene, bead.state.particles, 0, shape, Vec3(0, 0, kTrack + kRadius),
                   Quaternion{1, 0, -1, 0}, Vec3(0.5, 0, 0));
  }
  bead.Roll(8000, [&](const test::Kinematics& body) {
    const Vec3 member = body.position - kRadius * RotationMatrix(body.orientation).col(0);
    return DistanceFromAxis(member) - radius;
  });
  EXPECT_LT(bead.lowest, kTrack);
}

}  // namespace
}  // namespace scree::bonds_test
