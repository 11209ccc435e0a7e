// Periodic cells that deform: at a given rate they act like a sheared domain, and under a given
// stress they have this stress in each step, on any number of ranks.
#include <gtest/gtest.h>

#include <cmath>

#include "engine/particles/random.hpp"
#include "tests/support/clump_scenes.hpp"
#include "tests/support/same_bits.hpp"
#include "tests/support/schemes.hpp"

namespace scree::cell_test {
namespace {

constexpr int kSpheresPerSide = 6;
constexpr double kSpacing = 2e-3;
constexpr double kSide = kSpheresPerSide * kSpacing;
constexpr double kStep = 2e-5;
constexpr double kStress = 1e3;

Scene Cube(double friction) {
  Scene scene = test::EmptyScene(Vec3::Zero(), Vec3::Constant(kSide), friction);
  scene.domain.periodic = {true, true, true};
  return scene;
}

/// A cube under the same stress along all axes.
Scene PressedCube(double friction = 0.3) {
  Scene scene = Cube(friction);
  for (std::size_t k = 0; k < 3; ++k) scene.cell.drives[k] = {CellControlMode::kStress, kStress};
  scene.cell.max_rate = 100.0;
  return scene;
}

/// A cube that is sheared, and compressed along the gradient by a stress that grows with the shear
/// strain.
Scene PressedAndShearedCube() {
  Scene scene = Cube(0.3);
  scene.cell.strain_component = kCellShear;
  scene.cell.points = {0.05, 0.15};
  scene.cell.drives[2] = {CellControlMode::kStress, 0.0, {kStress, 2.0 * kStress}};
  scene.cell.drives[kCellShear] = {CellControlMode::kRate, 30.0};
  return scene;
}

/// Spheres of several sizes near the sites of a lattice, created on rank 0.
State Grains(const Communicator& communicator, const Scene& scene,
             int spheres_per_side = kSpheresPerSide) {
  State state;
  if (!communicator.IsRoot()) return state;
  for (ParticleId id = 0; id < spheres_per_side * spheres_per_side * spheres_per_side; ++id) {
    const auto random = [&](std::uint64_t draw) { return UniformAroundZero(7, id, draw); };
    const Vec3 site(static_cast<double>(id % spheres_per_side),
                    static_cast<double>(id / spheres_per_side % spheres_per_side),
                    static_cast<double>(id / (spheres_per_side * spheres_per_side)));
    const Vec3 disorder = 0.05 * Vec3(random(7), random(8), random(9));
    const Vec3 position = kSpacing * (site + Vec3::Constant(0.5) + disorder);
    test::AddSphere(state.particles, id, position, 0.42 * kSpacing * (1.0 + 0.1 * random(0)),
                    scene.domain.MeanFlow(position) + 0.1 * Vec3(random(1), random(2), random(3)));
  }
  return state;
}

StepParameters WithSweeps(const test::NamedScheme& scheme, int sweeps = 60) {
  StepParameters parameters = test::WithScheme(scheme);
  parameters.dt = kStep;
  parameters.solver.sweeps = sweeps;
  return parameters;
}

class CellWithScheme : public testing::TestWithParam<test::NamedScheme> {};
INSTANTIATE_TEST_SUITE_P(All, CellWithScheme, testing::ValuesIn(test::kSchemes),
                         test::NameOfScheme);

TEST_P(CellWithScheme, CellAtAShearRateEqualsALeesEdwardsDomain) {
  const Communicator world = Communicator::World();
  Scene sheared = Cube(0.3), cell = Cube(0.3);
  sheared.domain.shear.rate = 40.0;
  cell.cell.drives[kCellShear] = {CellControlMode::kRate, 40.0};
  State images_state = Grains(world, sheared), cell_state = Grains(world, sheared);
  // The first step of a cell adds the mean flow to the velocities, so they start without it.
  for (std::size_t i = 0; i < cell_state.particles.Size(); ++i) {
    cell_state.particles.velocity[i] -= sheared.domain.MeanFlow(cell_state.particles.position[i]);
  }
  const StepParameters parameters = WithSweeps(GetParam(), 10);
  test::Run(world, sheared, parameters, images_state, 300);
  TimeStep cell_step = test::Start(world, cell, parameters, cell_state);
  std::int64_t loaded_contacts = 0;
  for (int k = 0; k < 300; ++k) {
    cell_step.Advance(cell_state);
    loaded_contacts += cell_step.Observe(cell_state).loaded_contacts;
  }
  const auto expected = test::GatherById(world, images_state.particles);
  EXPECT_GT(loaded_contacts, 20);
  EXPECT_NEAR(cell_state.cell.shear_strain, 300 * kStep * 40.0, 1e-12);
  for (const auto& [id, body] : test::GatherById(world, cell_state.particles)) {
    Vec3 separation = body.position - expected.at(id).position;
    for (double& x : separation) x = std::remainder(x, kSide);
    EXPECT_LT(separation.norm(), 1e-7 * kSpacing) << id;
  }
}

/// Maximum relative deviation of the stress from the given stress in the next steps.
double MaxStressError(const Scene& scene, int steps, TimeStep& step, State& state) {
  double max_error = 0.0;
  for (int k = 0; k < steps; ++k) {
    const CellState begin = state.cell;
    step.Advance(state);
    const double point = scene.cell.PointOf(begin, step.Length() * static_cast<double>(state.step));
    for (std::size_t axis = 0; axis < 3; ++axis) {
      if (scene.cell.drives[axis].mode != CellControlMode::kStress) continue;
      max_error =
          std::max(max_error, std::abs(step.CellStress()[axis] / scene.cell.At(axis, point) - 1.0));
    }
  }
  return max_error;
}

// Gauss-Seidel only: 200 sweeps of Jacobi also reach the stress, but take half a minute.
TEST(PeriodicCell, QuasiStaticCellHasItsStressInEachStep) {
  const Communicator world = Communicator::World();
  Scene scene = PressedCube();
  constexpr double kJamTime = 0.03, kEndTime = 0.04;  // [s]
  scene.cell.points = {kJamTime, kEndTime};
  for (std::size_t k = 0; k < 3; ++k) scene.cell.drives[k].values = {kStress, 1.2 * kStress};
  State state = Grains(world, scene);
  TimeStep step = test::Start(world, scene, WithSweeps(test::kSchemes[0], 200), state);
  const double initial_volume = state.cell.box.Extent().prod();
  for (int k = 0; k < std::lround(kJamTime / kStep); ++k) step.Advance(state);
  EXPECT_LT(state.cell.box.Extent().prod(), 0.7 * initial_volume);
  const auto steps = static_cast<int>(std::lround((kEndTime - kJamTime) / kStep));
  EXPECT_LT(MaxStressError(scene, steps, step, state), 1e-3);
  const Observables end = step.Observe(state);
  EXPECT_LT(end.max_penetration, 0.01 * kSpacing);
  EXPECT_GT(end.cell->solid_fraction, 0.55);
  EXPECT_GT(end.Coordination(), 3.5);
}

TEST(PeriodicCell, CellUnderStressAlongOneAxisComesToRest) {
  const Communicator world = Communicator::World();
  Scene scene = Cube(0.3);
  scene.materials.SetRestitution(0, 0, {.constant = 0.5});
  scene.cell.drives[2] = {CellControlMode::kStress, kStress};
  scene.cell.max_rate = 15.0;
  State state = Grains(world, scene);
  StepParameters parameters = WithSweeps(test::kSchemes[0], kDefaultSweepsOfCells);
  parameters.dt = 1e-4;
  TimeStep step = test::Start(world, scene, parameters, state);
  for (int k = 0; k < 1000; ++k) step.Advance(state);
  EXPECT_NEAR(step.CellStress()[2], kStress, 1e-3 * kStress);
  EXPECT_LT(std::abs(state.cell.rates[2]), 1e-3 * scene.cell.max_rate);
}

/// Compression by 5 % along z, so slow that the cell's inertia is negligible. Meanwhile the given
/// lateral stress rises linearly to twice its value.
TEST(PeriodicCell, CellHasAStressThatFollowsAStrain) {
  if (!test::IsSingleRank())
    GTEST_SKIP() << "tests with PressedAndShearedCube run paths on several ranks";
  const Communicator world = Communicator::World();
  Scene scene = PressedCube();
  State state = Grains(world, scene);
  test::Run(world, scene, WithSweeps(test::kSchemes[0], 30), state, 1000);
  constexpr double kRate = 0.2, kFinalStrain = 0.05, kStepLength = 5e-4;
  const double length = state.cell.box.Extent().z();
  scene.cell.since = 1000 * kStep;
  scene.cell.strain_component = 2;
  scene.cell.points = {0.0, kFinalStrain};
  scene.cell.drives[2] = {CellControlMode::kRate, -kRate};
  for (const std::size_t side : {0, 1}) {
    scene.cell.drives[side].values = {kStress, 2.0 * kStress};
  }
  StepParameters parameters = WithSweeps(test::kSchemes[0], 100);
  parameters.dt = kStepLength;
  Resize(state.particles, state.particles.owned);
  TimeStep step = test::Start(world, scene, parameters, state);
  for (int k = 0; k < 20; ++k) step.Advance(state);
  EXPECT_NEAR(state.cell.StrainOfPath(2), std::log(length / state.cell.box.Extent().z()), 1e-14);
  const int steps = static_cast<int>(std::lround(kFinalStrain / (kRate * kStepLength)));
  EXPECT_LT(MaxStressError(scene, steps, step, state), 1e-3);
  EXPECT_GT(state.cell.StrainOfPath(2), kFinalStrain);
  EXPECT_NEAR(step.CellStress()[0], 2.0 * kStress, 2.0);
}

/// Dumbbells and rounded cubes.
struct Bodies {
  static constexpr int kBodiesAcross = 5;
  Scene scene = PressedCube();

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
    StepParameters parameters = WithSweeps(test::kSchemes[0], 100);
    parameters.solver.kernel = kDefaultKernelOfBodies;
    parameters.dt = 1e-4;
    return parameters;
  }
};

TEST(PeriodicCell, StressOfClumpsAndPolyhedraIsControlledAndItsWorkRecorded) {
  const Communicator world = Communicator::World();
  const Bodies bodies;
  State state = bodies.Start(world);
  TimeStep step = test::Start(world, bodies.scene, Bodies::Parameters(), state);
  step.EnableEnergyBalance(true);
  double turnover = 0.0;
  for (int k = 0; k < 500; ++k) {
    step.Advance(state);
    const EnergyBalance last_balance = SumOverRanks(world, step.Energy());
    turnover += std::abs(last_balance.contacts) + std::abs(last_balance.shear);
  }
  EXPECT_LT(std::abs(SumOverRanks(world, state.energy).Imbalance()), 1e-11 * turnover);
  EXPECT_LT(MaxStressError(bodies.scene, 50, step, state), 1e-3);
  EXPECT_GT(step.Observe(state).cell->solid_fraction, 0.5);
}

TEST_P(CellWithScheme, WorkOfTheCellIsRecorded) {
  const Communicator world = Communicator::World();
  for (const Scene& scene : {PressedCube(), PressedAndShearedCube()}) {
    State state = Grains(world, scene);
    TimeStep step = test::Start(world, scene, WithSweeps(GetParam(), 20), state);
    step.EnableEnergyBalance(true);
    const double initial_energy = step.Observe(state).kinetic_energy;
    double turnover = 0.0;
    for (int k = 0; k < 400; ++k) {
      step.Advance(state);
      const EnergyBalance last_balance = SumOverRanks(world, step.Energy());
      turnover += std::abs(last_balance.contacts) + std::abs(last_balance.shear);
    }
    const EnergyBalance total = SumOverRanks(world, state.energy);
    const double rounding =
        GetParam().scheme == Scheme::kJacobi ? 1e-8 : 1e-11;  // Jacobi rounds velocities of images
    EXPECT_LT(std::abs(total.Imbalance()), rounding * turnover);
    EXPECT_NEAR(step.Observe(state).kinetic_energy - initial_energy, total.kinetic,
                rounding * turnover);
    EXPECT_GT(total.shear, 0.0);
  }
}

TEST_P(CellWithScheme, RestartHasTheSameBits) {
  const Communicator world = Communicator::World();
  const Scene scene = PressedAndShearedCube();
  const StepParameters parameters = WithSweeps(GetParam(), 10);
  State state = Grains(world, scene);
  TimeStep step = test::Start(world, scene, parameters, state);
  int restarts_with_list = 0;
  for (const int part : {201, 1, 80}) {
    for (int k = 0; k < part; ++k) step.Advance(state);
    restarts_with_list += !step.Point(state).rebuild_due;
    test::ExpectRestartWithTheSameBits(world, scene, parameters, step, state, 60);
  }
  EXPECT_GT(restarts_with_list, 0);
}

TEST(PeriodicCell, JacobiHasTheSameBitsOnAnyNumberOfRanks) {
  const Communicator world = Communicator::World();
  const Communicator self = Communicator::Self();
  for (const Scene& scene : {PressedCube(), PressedAndShearedCube()}) {
    const StepParameters parameters = WithSweeps(test::kSchemes[1], 20);
    State parallel_state = Grains(world, scene), serial_state = Grains(self, scene);
    test::Run(world, scene, parameters, parallel_state, 400);
    const auto spheres = test::GatherById(world, parallel_state.particles);
    if (!world.IsRoot()) continue;
    test::Run(self, scene, parameters, serial_state, 400);
    EXPECT_EQ(parallel_state.cell, serial_state.cell);
    test::ExpectSameBits(spheres, test::GatherById(self, serial_state.particles));
  }
}

TEST(PeriodicCell, ClumpsAndPolyhedraHaveTheSameBitsOnAnyRanksWithJacobi) {
  const Communicator world = Communicator::World();
  const Communicator self = Communicator::Self();
  const Bodies bodies;
  StepParameters parameters = Bodies::Parameters();
  parameters.solver.scheme = Scheme::kJacobi;
  parameters.solver.sweeps = 20;
  State parallel_state = bodies.Start(world), serial_state = bodies.Start(self);
  test::Run(world, bodies.scene, parameters, parallel_state, 300);
  const auto parallel_particles = test::GatherById(world, parallel_state.particles);
  if (!world.IsRoot()) return;
  EXPECT_GT(test::Run(self, bodies.scene, parameters, serial_state, 300).Contacts().size(), 50u);
  EXPECT_EQ(parallel_state.cell, serial_state.cell);
  test::ExpectSameBits(parallel_particles, test::GatherById(self, serial_state.particles));
}

TEST(PeriodicCell, EdgesAndParticlesMoveUniformlyWithoutForces) {
  const Communicator self = Communicator::Self();
  Scene scene = Cube(0.0);
  scene.cell.drives[0] = {CellControlMode::kRate, -20.0};
  State state;
  const Vec3 start(0.2 * kSide, 0.5 * kSide, 0.5 * kSide);
  test::AddSphere(state.particles, 0, start, 0.3 * kSpacing);
  test::Run(self, scene, WithSweeps(test::kSchemes[0]), state, 100);
  // The rate is relative to the current length, so all lengths shrink as (1 − ε dt)ⁿ.
  const double ratio = std::pow(1.0 - 20.0 * kStep, 100);
  EXPECT_NEAR(state.cell.box.Extent().x(), ratio * kSide, 1e-12 * kSide);
  EXPECT_NEAR(state.particles.position[0].x() - 0.5 * kSide, ratio * (start.x() - 0.5 * kSide),
              1e-12 * kSide);
}

}  // namespace
}  // namespace scree::cell_test
