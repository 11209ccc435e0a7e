// Structures of many bonds, solved with few sweeps: above the failure load of statics they break
// within a few steps, below it never.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

#include "tests/support/clump_scenes.hpp"
#include "tests/support/same_bits.hpp"
#include "tests/support/schemes.hpp"

namespace scree::bond_breaking_test {
namespace {

constexpr double kRadius = 0.01, kSide = 2.0 * kRadius;  // [m]
constexpr double kFlat = 1.9 * kRadius;                  // side of a face without the rounding [m]
constexpr double kGravity = 9.81;                        // [m/s²]

/// Bodies in a row along x, the first bonded to a wall.
struct Row {
  Scene scene;
  State state;
  StepParameters parameters;

  Row(int count, const test::NamedScheme& scheme) {
    scene = test::EmptyScene(Vec3(-0.02, -0.05, -0.1), Vec3(kSide * count + 0.1, 0.05, 0.1), 0.3);
    test::AddPlane(scene, Vec3::Zero(), Vec3::UnitX());
    parameters = test::WithScheme(scheme);
    parameters.solver.momentum = 0.85;  // as in scenes
    parameters.dt = 1e-4;
  }
  /// @param strength  of the bonds [Pa]
  void AddBonds(double strength) {
    scene.bonds.push_back(
        {.name = "glue", .gap = 1e-5, .tension = strength, .shear = 10.0 * strength});
  }
};

/// Spheres that hang from the wall.
/// @param load  of the first bond, relative to its strength
Row Chain(const Communicator& world, int count, const test::NamedScheme& scheme, double load) {
  Row row(count, scheme);
  row.scene.gravity = Vec3(kGravity, 0, 0);
  for (int k = 0; world.IsRoot() && k < count; ++k) {
    test::AddSphere(row.state.particles, k, Vec3((k + 0.5) * kSide, 0, 0), kRadius);
  }
  const double area = std::numbers::pi * kRadius * kRadius;
  row.AddBonds(count * test::Mass(kRadius) * kGravity / (load * area));
  return row;
}

/// Mass of the cubes of a row, of which rounding removes little [kg].
double CubeMass(const Row& row) {
  const ClumpShape& body = row.scene.clumps[0];
  return 2650.0 * body.volume * std::pow(body.bounding_radius, 3);
}

/// A row of cubes that sticks out of the wall.
/// @param load  bending stress of the section at the wall, relative to the strength
Row Cantilever(const Communicator& world, int count, const test::NamedScheme& scheme, double load) {
  Row row(count, scheme);
  row.parameters.solver.kernel = Kernel::kCoulomb;
  row.scene.gravity = Vec3(0, 0, -kGravity);
  ClumpDescription cube;
  cube.name = "cube";
  cube.solid = "box";
  cube.size = {kSide, kSide, kSide};
  cube.rounding = 0.05 * kRadius;
  const ShapeId shape = test::AddShape(row.scene, cube);
  for (int k = 0; world.IsRoot() && k < count; ++k) {
    test::AddClump(row.scene, row.state.particles, k, shape, Vec3((k + 0.5) * kSide, 0, 0),
                   Quaternion());
  }
  // The moment at the wall is M = n² m g a/2, and the section resists σ S a/6.
  const double moment = 0.5 * count * count * CubeMass(row) * kGravity * kSide;
  row.AddBonds(moment / (kFlat * kFlat * kFlat / 6.0) / load);
  return row;
}

enum class LoadOfWall { kPull, kTwist };

/// A sphere or a cube that is bonded to a wall and to a heavy free wall. The free wall pulls or
/// twists it.
/// @param load  of each bond, relative to its strength
Row BetweenWalls(const Communicator& world, bool is_cube, LoadOfWall kind,
                 const test::NamedScheme& scheme, double load) {
  constexpr double kTension = 1e4;
  Row row = is_cube ? Cantilever(world, 1, scheme, 1.0) : Chain(world, 1, scheme, 1.0);
  row.scene.gravity.setZero();
  BondRule& rule = row.scene.bonds[0];
  rule.tension = kTension;
  rule.shear = kTension;
  rule.moments = kind == LoadOfWall::kTwist;
  Wall lid{"lid", {{Plane{Vec3(kSide, 0, 0), -Vec3::UnitX()}}}};
  lid.axis = Vec3::UnitX();
  lid.free.mass = 100.0 * test::Mass(kRadius);
  if (kind == LoadOfWall::kTwist) {
    lid.free.freedom = Freedom::kAbout;
    lid.free.inertia = 100.0 * 0.4 * test::Mass(kRadius) * kRadius * kRadius;
    lid.free.torque = load * kTension * 0.5 * std::numbers::pi * std::pow(kRadius, 3);
  } else {
    lid.free.freedom = Freedom::kAlong;
    const double area = is_cube ? kFlat * kFlat : std::numbers::pi * kRadius * kRadius;
    lid.free.force = load * kTension * area;
  }
  row.scene.walls.push_back(lid);
  return row;
}

constexpr double kSpin = 10.0, kTurn = 2.0 * std::numbers::pi / kSpin;  // [rad/s], [s]

enum class Spinning { kSpheres, kRollingSpheres, kCubes, kSphereOnWall };

/// Two bodies that spin about their common centre with automatic steps, or a sphere on a wall that
/// turns about an axis at the distance 3 kRadius from the sphere.
/// @param load  centrifugal force, relative to the strength of the bond
Row SpinningPair(const Communicator& world, Spinning kind, const test::NamedScheme& scheme,
                 double load) {
  const bool is_cube = kind == Spinning::kCubes, is_on_wall = kind == Spinning::kSphereOnWall;
  const int count = is_on_wall ? 1 : 2;
  Row row = is_cube ? Cantilever(world, count, scheme, 1.0) : Chain(world, count, scheme, 1.0);
  const double arm = is_on_wall ? 3.0 * kRadius : kRadius;
  const Vec3 axis = is_on_wall ? Vec3(-2.0 * kRadius, 0, 0) : Vec3(kSide, 0, 0);
  row.scene.gravity.setZero();
  row.scene.walls.clear();
  row.scene.domain.box = {Vec3::Constant(-0.2), Vec3::Constant(0.2)};
  if (is_on_wall) {
    Wall block{"block",
               {{Block{Vec3(-4 * kRadius, -kRadius, -kRadius), Vec3(0, kRadius, kRadius)}}}};
    block.rotation = {axis, kSpin * Vec3::UnitZ()};
    row.scene.walls.push_back(block);
  }
  Particles& particles = row.state.particles;
  for (std::size_t i = 0; i < particles.owned; ++i) {
    particles.angular_velocity[i] = kSpin * Vec3::UnitZ();
    particles.velocity[i] = particles.angular_velocity[i].cross(particles.position[i] - axis);
  }
  const double force = (is_cube ? CubeMass(row) : test::Mass(kRadius)) * kSpin * kSpin * arm;
  const double area = is_cube ? kFlat * kFlat : std::numbers::pi * kRadius * kRadius;
  row.scene.bonds[0].tension = force / (area * load);
  row.scene.bonds[0].shear = 10.0 * row.scene.bonds[0].tension;
  row.scene.bonds[0].moments = kind == Spinning::kSpheres || is_on_wall;
  row.parameters.dt = kBaseStep;
  row.parameters.accuracy = kAccuracy;
  return row;
}

/// Runs until a bond breaks or until `end` [s].
/// @returns whether a bond has broken
bool BreaksUntil(const Communicator& world, Row& row, double end) {
  TimeStep step = test::Start(world, row.scene, row.parameters, row.state);
  while (row.parameters.dt * static_cast<double>(row.state.step) < end) {
    step.Advance(row.state);
    const BondCounts counts = step.CountBonds();
    if (counts.broken_tension + counts.broken_shear > 0) return true;
  }
  return false;
}

struct Outcome {
  int first_break = -1;             // the step after which a bond was broken; −1: none
  BondCounts at_first_break;        // in that step; without a break, at the end
  std::int64_t broken_at_wall = 0;  // at the end
  int extended_steps = 0;           // number of steps that made more than the set sweeps
  double speed = 0.0;               // of the fastest body at the end [m/s]
};

Outcome RunRow(const Communicator& world, Row row, int steps) {
  TimeStep step = test::Start(world, row.scene, row.parameters, row.state);
  Outcome outcome;
  for (int k = 1; k <= steps; ++k) {
    step.Advance(row.state);
    outcome.extended_steps += step.Report().sweeps > row.parameters.solver.sweeps ? 1 : 0;
    if (outcome.first_break > 0) continue;
    outcome.at_first_break = step.CountBonds();
    const BondCounts& counts = outcome.at_first_break;
    if (counts.broken_tension + counts.broken_shear > 0) outcome.first_break = k;
  }
  outcome.broken_at_wall = world.Sum(static_cast<std::int64_t>(std::ranges::count_if(
      step.Bonds(), [](const Bond& bond) { return bond.wall >= 0 && !bond.IsIntact(); })));
  for (const auto& [id, body] : test::GatherById(world, row.state.particles)) {
    outcome.speed = std::max(outcome.speed, body.velocity.norm());
  }
  return outcome;
}

class BondBreaking : public testing::TestWithParam<test::NamedScheme> {
 protected:
  const Communicator world = Communicator::World();
};
INSTANTIATE_TEST_SUITE_P(All, BondBreaking, testing::ValuesIn(test::kSchemes), test::NameOfScheme);

/// Ten sweeps transmit a load over ten bonds, so some steps pass until the load reaches the wall.
/// Jacobi's sweeps have no heavy-ball momentum and are slower.
TEST_P(BondBreaking, ChainsBreakAtTheWallWithinAFewSteps) {
  const bool is_slow = GetParam().scheme == Scheme::kJacobi;
  for (const int count : {20, 50}) {
    const Outcome outcome = RunRow(world, Chain(world, count, GetParam(), 1.05), 100);
    EXPECT_GT(outcome.first_break, 0) << count;
    EXPECT_LE(outcome.first_break, count * (is_slow ? 2 : 1)) << count;
    EXPECT_EQ(outcome.at_first_break.broken_tension, 1) << count;
    EXPECT_EQ(outcome.broken_at_wall, 1) << count;
  }
}

TEST_P(BondBreaking, ChainsBelowTheirStrengthNeverBreak) {
  for (const int count : {20, 50}) {
    const Outcome outcome = RunRow(world, Chain(world, count, GetParam(), 0.95), 400);
    EXPECT_EQ(outcome.first_break, -1) << count;
    EXPECT_EQ(outcome.at_first_break.intact, count);
  }
}

/// The sudden load leaves velocities in the first steps. Bonds use part of their strength to stop
/// them, so the load is only 0.3 of the strength.
TEST_P(BondBreaking, FarFromFailureNoSweepsAreAdded) {
  const Outcome outcome = RunRow(world, Chain(world, 20, GetParam(), 0.3), 200);
  EXPECT_EQ(outcome.extended_steps, 0);
  EXPECT_EQ(outcome.at_first_break.intact, 20);
  EXPECT_EQ(outcome.at_first_break.waiting, 0);
}

/// The wall pulls at a constant speed. A growing velocity would show that a bond fails, but after
/// the first step no velocity grows.
TEST_P(BondBreaking, WallThatPullsAtAConstantSpeedBreaksABond) {
  constexpr int kCount = 20;
  Row row = Chain(world, kCount, GetParam(), 0.5);
  row.scene.gravity.setZero();
  test::AddPlane(row.scene, Vec3(kCount * kSide, 0, 0), -Vec3::UnitX(), Vec3(0.01, 0, 0));
  const Outcome outcome = RunRow(world, row, 100);
  EXPECT_GT(outcome.first_break, 0);
}

/// The sweeps need many steps to find the load, because the wall is a hundred times heavier than
/// the body. Meanwhile the wall moves, and the bonds stop it.
TEST_P(BondBreaking, FreeWallBreaksBondsAtTheirStrength) {
  for (const auto& [is_cube, kind] :
       {std::pair(false, LoadOfWall::kPull), std::pair(false, LoadOfWall::kTwist),
        std::pair(true, LoadOfWall::kPull)}) {
    SCOPED_TRACE(testing::Message() << (is_cube ? "cube, " : "sphere, ")
                                    << (kind == LoadOfWall::kPull ? "pull" : "twist"));
    const auto run_with_load = [&](double load) {
      return RunRow(world, BetweenWalls(world, is_cube, kind, GetParam(), load), 200);
    };
    for (const double load : {0.7, 0.9}) {
      EXPECT_EQ(run_with_load(load).at_first_break.intact, 2) << load;
    }
    EXPECT_GT(run_with_load(1.05).first_break, 0);
  }
}

/// Four courses of bricks on a floor. A ram pushes the two upper courses at a constant speed.
/// Twenty of the 33 bonds are at their limits, and for most of them the sweeps do not show whether
/// they break.
TEST(BondsBreaking, BrickWallUnderARamBreaksWithinAFewSteps) {
  if (!test::IsSingleRank()) GTEST_SKIP() << "slow, the same on all ranks";
  const Communicator world = Communicator::World();
  Scene scene = test::EmptyScene(Vec3(-1, -1, -0.1), Vec3(2, 1, 1), 0.6);
  scene.gravity = Vec3(0, 0, -kGravity);
  const MaterialId steel = scene.materials.Add({"steel", 7800.0}, 0.6);
  test::AddPlane(scene, Vec3::Zero(), Vec3::UnitZ());
  scene.walls.push_back(
      {"ram", {{Block{Vec3(-0.1, -0.1, 0.21), Vec3(0, 0.1, 0.39)}}}, Vec3(2e-3, 0, 0), steel});
  scene.bonds.push_back({.name = "mortar", .gap = 1e-4, .tension = 5e4, .shear = 2.5e4});
  ClumpDescription brick;
  brick.name = "brick";
  brick.solid = "box";
  brick.size = {0.2, 0.1, 0.1};
  brick.rounding = 5e-4;
  const ShapeId whole = test::AddShape(scene, brick);
  brick.name = "half";
  brick.size = {0.1, 0.1, 0.1};
  const ShapeId half = test::AddShape(scene, brick);
  State state;
  int id = 0;
  const auto add = [&](ShapeId shape, double x, int course) {
    test::AddClump(scene, state.particles, id++, shape, Vec3(x, 0, 0.1 * course + 0.05),
                   Quaternion());
  };
  for (int course = 0; course < 4; ++course) {
    const bool is_odd = course % 2 != 0;
    if (is_odd) add(half, 0.05, course);
    for (int k = 0; k < (is_odd ? 2 : 3); ++k) add(whole, 0.2 * k + (is_odd ? 0.2 : 0.1), course);
    if (is_odd) add(half, 0.55, course);
  }
  StepParameters parameters = test::WithScheme(test::kSchemes[0]);
  parameters.solver.kernel = Kernel::kCoulomb;
  parameters.solver.momentum = 0.85;
  parameters.solver.sweeps = 100;
  parameters.dt = 2e-4;
  const TimeStep step = test::Run(world, scene, parameters, state, 20);
  EXPECT_EQ(step.CountBonds().broken_tension, 0);
  EXPECT_GT(step.CountBonds().broken_shear, 0);
  EXPECT_EQ(step.CountBonds().waiting, 0);
}

/// The old velocities of bodies that turn would open a bond on its turned normal: they are part of
/// the load of a step, not an error that the last step left.
TEST_P(BondBreaking, CentrifugalLoadBreaksBondsAtTheirStrength) {
  for (const Spinning kind :
       {Spinning::kSpheres, Spinning::kRollingSpheres, Spinning::kCubes, Spinning::kSphereOnWall}) {
    for (const double load : {1.05, 2.0, 10.0}) {
      Row row = SpinningPair(world, kind, GetParam(), load);
      EXPECT_TRUE(BreaksUntil(world, row, 0.2 * kTurn)) << static_cast<int>(kind) << " " << load;
    }
  }
}

/// Centres move along tangents, and bonds close the gap that this opens in a step.
TEST_P(BondBreaking, SpinningBodiesBelowTheirStrengthHoldAndKeepTheirDistance) {
  for (const Spinning kind :
       {Spinning::kSpheres, Spinning::kRollingSpheres, Spinning::kCubes, Spinning::kSphereOnWall}) {
    for (const double load : {0.05, 0.95}) {
      SCOPED_TRACE(testing::Message() << static_cast<int>(kind) << ", load " << load);
      Row row = SpinningPair(world, kind, GetParam(), load);
      EXPECT_FALSE(BreaksUntil(world, row, 2.0 * kTurn));
      const auto bodies = test::GatherById(world, row.state.particles);
      const Vec3 centre =
          kind == Spinning::kSphereOnWall ? Vec3(-2.0 * kRadius, 0, 0) : Vec3(kSide, 0, 0);
      const double arm = kind == Spinning::kSphereOnWall ? 3.0 * kRadius : kRadius;
      for (const auto& [id, body] : bodies) {
        EXPECT_NEAR((body.position - centre).norm() / arm, 1.0, 1e-4);
        EXPECT_NEAR(body.angular_velocity.z() / kSpin, 1.0, 1e-3);
      }
    }
  }
}

/// Half a period after the start the wall pulls the sphere with the largest acceleration.
TEST_P(BondBreaking, ShakenWallBreaksABondAtItsStrength) {
  constexpr double kPeriod = 0.05, kAmplitude = 1e-3, kRate = 2.0 * std::numbers::pi / kPeriod;
  for (const double load : {0.95, 1.05}) {
    Row row = Chain(world, 1, GetParam(), load * kGravity / (kAmplitude * kRate * kRate));
    row.scene.gravity.setZero();
    row.scene.walls[0].oscillation = {Vec3(kAmplitude, 0, 0), 1.0 / kPeriod};
    for (Vec3& v : row.state.particles.velocity) v = Vec3(kAmplitude * kRate, 0, 0);
    EXPECT_EQ(BreaksUntil(world, row, kPeriod), load > 1.0) << load;
  }
}

/// A beam that has begun to turn down about the wall is no reason to wait.
TEST_P(BondBreaking, CantileversOfSpheresBreakUnderTheLoadOfStaticsInAutomaticSteps) {
  for (const auto& [count, load] : {std::pair(6, 0.95), std::pair(6, 1.05), std::pair(12, 2.0)}) {
    Row row = Chain(world, count, GetParam(), 1.0);
    row.scene.gravity = Vec3(0, 0, -kGravity);
    BondRule& rule = row.scene.bonds[0];
    const double moment = count * count * test::Mass(kRadius) * kGravity * kRadius;
    rule.tension = 4.0 * moment / (std::numbers::pi * std::pow(kRadius, 3)) / load;
    rule.shear = 10.0 * rule.tension;
    rule.moments = true;
    row.parameters.dt = kBaseStep;
    row.parameters.accuracy = kAccuracy;
    EXPECT_EQ(BreaksUntil(world, row, 0.05), load > 1.0) << count << " " << load;
  }
}

TEST(BondsBreaking, JacobiBreaksWithTheSameBitsOnAnyRanks) {
  const Communicator world = Communicator::World(), self = Communicator::Self();
  const auto run = [](const Communicator& ranks) {
    Row row = Chain(ranks, 30, test::kSchemes[1], 1.05);
    const TimeStep step = test::Run(ranks, row.scene, row.parameters, row.state, 100);
    EXPECT_EQ(step.CountBonds().broken_tension, 1);
    return test::GatherById(ranks, row.state.particles);
  };
  test::ExpectSameBits(run(world), run(self));
}

/// The restart comes while overloaded bonds still wait to break.
TEST_P(BondBreaking, ContinuesFromARestartPointWithTheSameBits) {
  Row row = Chain(world, 20, GetParam(), 1.05);
  const TimeStep step = test::Run(world, row.scene, row.parameters, row.state, 4);
  EXPECT_EQ(step.CountBonds().intact, 20);
  const auto [restarted, state] =
      test::ExpectRestartWithTheSameBits(world, row.scene, row.parameters, step, row.state, 40);
  EXPECT_EQ(restarted.CountBonds().broken_tension, 1);
}

TEST_P(BondBreaking, BrittleBondsReleaseNoEnergy) {
  Row row = Chain(world, 20, GetParam(), 1.05);
  TimeStep step = test::Start(world, row.scene, row.parameters, row.state);
  step.EnableEnergyBalance(true);
  for (int k = 0; k < 100; ++k) step.Advance(row.state);
  EXPECT_EQ(step.CountBonds().broken_tension, 1);
  const EnergyBalance total = step.Observe(row.state).energy.value();
  EXPECT_GT(total.forces, 0.0);
  EXPECT_LT(std::abs(total.Imbalance()), 1e-12 * total.forces);
  EXPECT_LE(total.contacts, 1e-12 * total.forces);
}

TEST(BondsBreaking, CantileverBreaksAtTheWallUnderTheLoadOfStatics) {
  const Communicator world = Communicator::World();
  for (const int sweeps : {10, 1000}) {
    const auto run_with_load = [&](double load) {
      Row row = Cantilever(world, 6, test::kSchemes[0], load);
      row.parameters.solver.sweeps = sweeps;
      return RunRow(world, std::move(row), 60);
    };
    const Outcome above = run_with_load(1.05);
    EXPECT_GT(above.first_break, 0) << sweeps;
    EXPECT_EQ(above.at_first_break.broken_tension, 1) << sweeps;
    EXPECT_EQ(above.at_first_break.broken_shear, 0) << sweeps;
    EXPECT_EQ(above.broken_at_wall, 1) << sweeps;
    EXPECT_EQ(run_with_load(0.95).first_break, -1) << sweeps;
  }
}

/// With ten sweeps alone the beam would shake. The added sweeps keep its speed below g dt.
TEST(BondsBreaking, BeamBelowItsStrengthRests) {
  if (!test::IsSingleRank()) GTEST_SKIP() << "many steps, the same on all ranks";
  const Communicator world = Communicator::World();
  const Row row = Cantilever(world, 6, test::kSchemes[0], 0.8);
  const Outcome outcome = RunRow(world, row, 10000);
  EXPECT_EQ(outcome.at_first_break.intact, 6);
  EXPECT_EQ(outcome.at_first_break.waiting, 0);
  EXPECT_LT(outcome.speed, kGravity * row.parameters.dt);
}

}  // namespace
}  // namespace scree::bond_breaking_test
