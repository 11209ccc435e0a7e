// Periodic cells that deform: with given rates as in a sheared domain, and with given stresses that
// are exact in each step, on any number of ranks.
#include <gtest/gtest.h>

#include <cmath>

#include "engine/particles/random.hpp"
#include "tests/support/clump_scenes.hpp"
#include "tests/support/same_bits.hpp"
#include "tests/support/schemes.hpp"

namespace scree::cell_test {
namespace {

constexpr int kAcross = 6;
constexpr double kSpacing = 2e-3;
constexpr double kSide = kAcross * kSpacing;
constexpr double kStep = 2e-5;
constexpr double kStress = 1e3;

Scene Cube(double friction) {
  Scene scene = test::EmptyScene(Vec3::Zero(), Vec3::Constant(kSide), friction);
  scene.domain.periodic = {true, true, true};
  return scene;
}

/// The same stress along all axes.
Scene Pressed(double friction = 0.3) {
  Scene scene = Cube(friction);
  for (std::size_t k = 0; k < 3; ++k) scene.cell.drives[k] = {CellControlMode::kStress, kStress};
  scene.cell.max_rate = 100.0;
  return scene;
}

/// Sheared, and compressed along the gradient by a stress that grows with the shear strain.
Scene PressedAndSheared() {
  Scene scene = Cube(0.3);
  scene.cell.strain_component = kCellShear;
  scene.cell.points = {0.05, 0.15};
  scene.cell.drives[2] = {CellControlMode::kStress, 0.0, {kStress, 2.0 * kStress}};
  scene.cell.drives[kCellShear] = {CellControlMode::kRate, 30.0};
  return scene;
}

/// Spheres of several sizes near the sites of a lattice, created on rank 0.
State Grains(const Communicator& communicator, const Scene& scene, int across = kAcross) {
  State state;
  if (!communicator.IsRoot()) return state;
  for (ParticleId id = 0; id < across * across * across; ++id) {
    const auto random = [&](std::uint64_t draw) { return UniformAroundZero(7, id, draw); };
    const Vec3 site(static_cast<double>(id % across), static_cast<double>(id / across % across),
                    static_cast<double>(id / (across * across)));
    const Vec3 moved = 0.05 * Vec3(random(7), random(8), random(9));
    const Vec3 place = kSpacing * (site + Vec3::Constant(0.5) + moved);
    test::AddSphere(state.particles, id, place, 0.42 * kSpacing * (1.0 + 0.1 * random(0)),
                    scene.domain.MeanFlow(place) + 0.1 * Vec3(random(1), random(2), random(3)));
  }
  return state;
}

StepParameters With(const test::NamedScheme& scheme, int sweeps = 60) {
  StepParameters parameters = test::WithScheme(scheme);
  parameters.dt = kStep;
  parameters.solver.sweeps = sweeps;
  return parameters;
}

class CellOf : public testing::TestWithParam<test::NamedScheme> {};
INSTANTIATE_TEST_SUITE_P(All, CellOf, testing::ValuesIn(test::kSchemes), test::NameOfScheme);

TEST_P(CellOf, RunAtAGivenShearRateIsALeesEdwardsRun) {
  const Communicator world = Communicator::World();
  Scene sheared = Cube(0.3), cell = Cube(0.3);
  sheared.domain.shear.rate = 40.0;
  cell.cell.drives[kCellShear] = {CellControlMode::kRate, 40.0};
  State by_images = Grains(world, sheared), by_cell = Grains(world, sheared);
  // A cell starts at rest and gives its particles the mean flow in the first step.
  for (std::size_t i = 0; i < by_cell.particles.Size(); ++i) {
    by_cell.particles.velocity[i] -= sheared.domain.MeanFlow(by_cell.particles.position[i]);
  }
  const StepParameters parameters = With(GetParam(), 10);
  test::Run(world, sheared, parameters, by_images, 300);
  TimeStep of_cell = test::Start(world, cell, parameters, by_cell);
  std::int64_t met = 0;
  for (int k = 0; k < 300; ++k) {
    of_cell.Advance(by_cell);
    met += of_cell.Observe(by_cell).loaded_contacts;
  }
  const auto expected = test::AllById(world, by_images.particles);
  EXPECT_GT(met, 20);
  EXPECT_NEAR(by_cell.cell.shear_strain, 300 * kStep * 40.0, 1e-12);
  for (const auto& [id, body] : test::AllById(world, by_cell.particles)) {
    Vec3 apart = body.position - expected.at(id).position;
    for (double& x : apart) x = std::remainder(x, kSide);
    EXPECT_LT(apart.norm(), 1e-7 * kSpacing) << id;
  }
}

/// Maximum deviation of the stresses from their targets in these steps.
double WorstStress(const Scene& scene, int steps, TimeStep& step, State& state) {
  double worst = 0.0;
  for (int k = 0; k < steps; ++k) {
    const CellState begin = state.cell;
    step.Advance(state);
    const double target =
        scene.cell.PointOf(begin, step.Length() * static_cast<double>(state.step));
    for (std::size_t axis = 0; axis < 3; ++axis) {
      if (scene.cell.drives[axis].mode != CellControlMode::kStress) continue;
      worst =
          std::max(worst, std::abs(step.CellStress()[axis] / scene.cell.At(axis, target) - 1.0));
    }
  }
  return worst;
}

// Gauss-Seidel only: 200 sweeps of Jacobi also reach the stress, but take half a minute.
TEST(PeriodicCell, HoldsItsStressInEachStepOfAQuasiStaticPath) {
  const Communicator world = Communicator::World();
  Scene scene = Pressed();
  constexpr double kJammed = 0.03, kEnd = 0.04;  // [s]
  scene.cell.points = {kJammed, kEnd};
  for (std::size_t k = 0; k < 3; ++k) scene.cell.drives[k].values = {kStress, 1.2 * kStress};
  State state = Grains(world, scene);
  TimeStep step = test::Start(world, scene, With(test::kSchemes[0], 200), state);
  const double first = state.cell.box.Extent().prod();
  for (int k = 0; k < std::lround(kJammed / kStep); ++k) step.Advance(state);
  EXPECT_LT(state.cell.box.Extent().prod(), 0.7 * first);
  const auto steps = static_cast<int>(std::lround((kEnd - kJammed) / kStep));
  EXPECT_LT(WorstStress(scene, steps, step, state), 1e-3);
  const Observables end = step.Observe(state);
  EXPECT_LT(end.max_penetration, 0.01 * kSpacing);
  EXPECT_GT(end.cell->solid_fraction, 0.55);
  EXPECT_GT(end.Coordination(), 3.5);
}

TEST(PeriodicCell, ComesToRestUnderStressAlongOneAxisAlsoWithRestitution) {
  const Communicator world = Communicator::World();
  Scene scene = Cube(0.3);
  scene.materials.SetRestitution(0, 0, {.constant = 0.5});
  scene.cell.drives[2] = {CellControlMode::kStress, kStress};
  scene.cell.max_rate = 15.0;
  State state = Grains(world, scene);
  StepParameters parameters = With(test::kSchemes[0], kDefaultSweepsOfCells);
  parameters.dt = 1e-4;
  TimeStep step = test::Start(world, scene, parameters, state);
  for (int k = 0; k < 1000; ++k) step.Advance(state);
  EXPECT_NEAR(step.CellStress()[2], kStress, 1e-3 * kStress);
  EXPECT_LT(std::abs(state.cell.rates[2]), 1e-3 * scene.cell.max_rate);
}

/// Compression by 5 % along z, so slow that the cell's inertia hardly matters. The lateral stress
/// doubles over the strain since the start of the path.
TEST(PeriodicCell, HoldsAStressThatFollowsAStrain) {
  if (!test::RunsAlone()) GTEST_SKIP() << "paths on ranks: PressedAndSheared has one";
  const Communicator world = Communicator::World();
  Scene scene = Pressed();
  State state = Grains(world, scene);
  test::Run(world, scene, With(test::kSchemes[0], 30), state, 1000);
  constexpr double kRate = 0.2, kCompressed = 0.05, kLong = 5e-4;
  const double length = state.cell.box.Extent().z();
  scene.cell.since = 1000 * kStep;
  scene.cell.strain_component = 2;
  scene.cell.points = {0.0, kCompressed};
  scene.cell.drives[2] = {CellControlMode::kRate, -kRate};
  for (const std::size_t side : {0, 1}) {
    scene.cell.drives[side].values = {kStress, 2.0 * kStress};
  }
  StepParameters parameters = With(test::kSchemes[0], 100);
  parameters.dt = kLong;
  Resize(state.particles, state.particles.owned);
  TimeStep step = test::Start(world, scene, parameters, state);
  for (int k = 0; k < 20; ++k) step.Advance(state);
  EXPECT_NEAR(state.cell.StrainOfPath(2), std::log(length / state.cell.box.Extent().z()), 1e-14);
  const int steps = static_cast<int>(std::lround(kCompressed / (kRate * kLong)));
  EXPECT_LT(WorstStress(scene, steps, step, state), 1e-3);
  EXPECT_GT(state.cell.StrainOfPath(2), kCompressed);
  EXPECT_NEAR(step.CellStress()[0], 2.0 * kStress, 2.0);
}

/// Dumbbells and rounded cubes.
struct Bodies {
  static constexpr int kBodiesAcross = 5;
  Scene scene = Pressed();

  Bodies() {
    scene.domain.box.upper.setConstant(kBodiesAcross * kSpacing);
    scene.cell.max_rate = 20.0;
    test::AddShape(scene, test::Dumbbell(0.5));
    ClumpDescription cube;
    cube.name = "cube";
    cube.solid = "box";
    cube.size = {1.0, 1.0, 1.0};
    cube.rounding = 0.05;
    scene.clumps.push_back(MakeClumpShape(cube));
  }
  State Start(const Communicator& communicator) const {
    State state = Grains(communicator, scene, kBodiesAcross);
    for (std::size_t i = 0; i < state.particles.Size(); ++i) {
      const ParticleId id = state.particles.id[i];
      const auto random = [&](std::uint64_t draw) { return UniformAroundZero(9, id, draw); };
      state.particles.shape[i] = static_cast<ShapeId>(1 + id % 2);
      state.particles.orientation[i] =
          Normalized(Quaternion{random(0), random(1), random(2), random(3)});
    }
    return state;
  }
  static StepParameters Parameters() {
    StepParameters parameters = With(test::kSchemes[0], 100);
    parameters.solver.kernel = kDefaultKernelOfBodies;
    parameters.dt = 1e-4;
    return parameters;
  }
};

TEST(PeriodicCell, HoldsTheStressOfClumpsAndPolyhedraAndRecordsItsWork) {
  const Communicator world = Communicator::World();
  const Bodies bodies;
  State state = bodies.Start(world);
  TimeStep step = test::Start(world, bodies.scene, Bodies::Parameters(), state);
  step.EnableEnergyBalance(true);
  double turnover = 0.0;
  for (int k = 0; k < 500; ++k) {
    step.Advance(state);
    const EnergyBalance last = SumOverRanks(world, step.Energy());
    turnover += std::abs(last.contacts) + std::abs(last.shear);
  }
  EXPECT_LT(std::abs(SumOverRanks(world, state.energy).Imbalance()), 1e-11 * turnover);
  EXPECT_LT(WorstStress(bodies.scene, 50, step, state), 1e-3);
  EXPECT_GT(step.Observe(state).cell->solid_fraction, 0.5);
}

TEST_P(CellOf, RecordsItsWork) {
  const Communicator world = Communicator::World();
  for (const Scene& scene : {Pressed(), PressedAndSheared()}) {
    State state = Grains(world, scene);
    TimeStep step = test::Start(world, scene, With(GetParam(), 20), state);
    step.EnableEnergyBalance(true);
    const double start = step.Observe(state).kinetic_energy;
    double turnover = 0.0;
    for (int k = 0; k < 400; ++k) {
      step.Advance(state);
      const EnergyBalance last = SumOverRanks(world, step.Energy());
      turnover += std::abs(last.contacts) + std::abs(last.shear);
    }
    const EnergyBalance total = SumOverRanks(world, state.energy);
    const double share =
        GetParam().scheme == Scheme::kJacobi ? 1e-8 : 1e-11;  // because velocities are rounded
    EXPECT_LT(std::abs(total.Imbalance()), share * turnover);
    EXPECT_NEAR(step.Observe(state).kinetic_energy - start, total.kinetic, share * turnover);
    EXPECT_GT(total.shear, 0.0);
  }
}

TEST_P(CellOf, ContinuesAfterARestartWithTheSameBits) {
  const Communicator world = Communicator::World();
  const Scene scene = PressedAndSheared();
  const StepParameters parameters = With(GetParam(), 10);
  State state = Grains(world, scene);
  TimeStep step = test::Start(world, scene, parameters, state);
  int with_list = 0;
  for (const int part : {201, 1, 80}) {
    for (int k = 0; k < part; ++k) step.Advance(state);
    with_list += !step.Point(state).rebuild_due;
    test::ExpectRestartWithTheSameBits(world, scene, parameters, step, state, 60);
  }
  EXPECT_GT(with_list, 0);
}

TEST(PeriodicCell, HasTheSameBitsOnAnyNumberOfRanksWithJacobi) {
  const Communicator world = Communicator::World();
  const Communicator self = Communicator::Self();
  for (const Scene& scene : {Pressed(), PressedAndSheared()}) {
    const StepParameters parameters = With(test::kSchemes[1], 20);
    State many = Grains(world, scene), one = Grains(self, scene);
    test::Run(world, scene, parameters, many, 400);
    const auto spheres = test::AllById(world, many.particles);
    if (!world.IsRoot()) continue;
    test::Run(self, scene, parameters, one, 400);
    EXPECT_EQ(many.cell, one.cell);
    test::ExpectSameBits(spheres, test::AllById(self, one.particles));
  }
}

TEST(PeriodicCell, ClumpsAndPolyhedraHaveTheSameBitsOnAnyNumberOfRanksWithJacobi) {
  const Communicator world = Communicator::World();
  const Communicator self = Communicator::Self();
  const Bodies bodies;
  StepParameters parameters = Bodies::Parameters();
  parameters.solver.scheme = Scheme::kJacobi;
  parameters.solver.sweeps = 20;
  State many = bodies.Start(world), one = bodies.Start(self);
  test::Run(world, bodies.scene, parameters, many, 300);
  const auto found = test::AllById(world, many.particles);
  if (!world.IsRoot()) return;
  EXPECT_GT(test::Run(self, bodies.scene, parameters, one, 300).Contacts().size(), 50u);
  EXPECT_EQ(many.cell, one.cell);
  test::ExpectSameBits(found, test::AllById(self, one.particles));
}

TEST(PeriodicCell, EdgesAndParticlesMoveUniformlyWithoutForces) {
  const Communicator self = Communicator::Self();
  Scene scene = Cube(0.0);
  scene.cell.drives[0] = {CellControlMode::kRate, -20.0};
  State state;
  const Vec3 start(0.2 * kSide, 0.5 * kSide, 0.5 * kSide);
  test::AddSphere(state.particles, 0, start, 0.3 * kSpacing);
  test::Run(self, scene, With(test::kSchemes[0]), state, 100);
  // With a rate relative to the current length all lengths shrink as (1 − ε dt)ⁿ about the centre.
  const double shrunk = std::pow(1.0 - 20.0 * kStep, 100);
  EXPECT_NEAR(state.cell.box.Extent().x(), shrunk * kSide, 1e-12 * kSide);
  EXPECT_NEAR(state.particles.position[0].x() - 0.5 * kSide, shrunk * (start.x() - 0.5 * kSide),
              1e-12 * kSide);
}

}  // namespace
}  // namespace scree::cell_test
