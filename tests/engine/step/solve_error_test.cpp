// The measured error of a solve, compared with the converged solution of another TimeStep.
#include "engine/step/solve_error.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "engine/particles/random.hpp"
#include "engine/step/time_step.hpp"
#include "tests/support/same_bits.hpp"
#include "tests/support/scenes.hpp"
#include "tests/support/schemes.hpp"

namespace scree::solve_error_test {
namespace {

constexpr double kRadius = 1e-3;

Scene BedScene() {
  Scene scene = test::EmptyScene(Vec3::Zero(), Vec3(0.02, 0.014, 0.05), 0.4);
  scene.domain.periodic = {true, true, false};
  scene.gravity = Vec3(1.0, 0, -9.81);
  test::AddPlane(scene, Vec3::Zero(), Vec3::UnitZ());
  return scene;
}

/// Loose spheres, all on root. Start distributes them.
State LooseSpheres(const Communicator& world) {
  State state;
  for (ParticleId id = 0; world.IsRoot() && id < 500; ++id) {
    const auto random = [&](std::uint64_t draw) { return UniformAroundZero(4, id, draw); };
    const Vec3 site(static_cast<double>(id % 9), static_cast<double>(id / 9 % 6),
                    static_cast<double>(id / 54));
    test::AddSphere(state.particles, id, 0.0022 * (site + Vec3::Constant(0.5)), kRadius,
                    0.1 * Vec3(random(1), random(2), random(3)));
  }
  return state;
}

StepParameters WithSweeps(int sweeps) {
  StepParameters parameters;
  parameters.dt = 1e-4;
  parameters.solver.sweeps = sweeps;
  return parameters;
}

/// ‖λ − λ*‖/‖λ*‖ over all ranks, with λ of `step` and λ* of `exact`.
/// @pre both have solved the same contacts in the same order
double Difference(const Communicator& world, const TimeStep& step, const TimeStep& exact) {
  const std::vector<Vec3> actual = step.Impulses(), expected = exact.Impulses();
  EXPECT_EQ(actual.size(), expected.size());
  double sums[2] = {};
  for (std::size_t j = 0; j < actual.size(); ++j) {
    sums[0] += (actual[j] - expected[j]).squaredNorm();
    sums[1] += expected[j].squaredNorm();
  }
  world.Sum(sums);
  return std::sqrt(sums[0] / sums[1]);
}

/// A bed that has just settled, in which forces still change.
struct SettlingBed {
  SettlingBed() : step(test::Run(world, scene, WithSweeps(6), state, 400)) {}
  /// Makes the next step with another number of sweeps on a copy of the state.
  TimeStep Next(int sweeps, State& copy, bool is_measured) {
    copy = test::CheckpointState(state);
    TimeStep next_step(world, scene, WithSweeps(sweeps), step.Partition(), copy, step.Point(state));
    next_step.KeepSolveError(is_measured);
    next_step.Advance(copy);
    return next_step;
  }

  Communicator world = Communicator::World();
  Scene scene = BedScene();
  State state = LooseSpheres(world);
  TimeStep step;
};

TEST(SolveError, ErrorIsTheDistanceFromTheConvergedImpulses) {
  SettlingBed bed;
  State measured_state, exact_state;
  const TimeStep measured = bed.Next(6, measured_state, true);
  const TimeStep exact = bed.Next(4000, exact_state, false);
  ASSERT_TRUE(measured.ErrorOfSolve());
  const double error = Difference(bed.world, measured, exact);
  EXPECT_GT(error, 0.02);
  EXPECT_NEAR(measured.ErrorOfSolve()->ImpulseError(), error, 0.2 * error);
}

TEST(SolveError, EnergyErrorIsTheExcessOverTheConvergedEnergy) {
  SettlingBed bed;
  State measured_state, exact_state, twice_state;
  const TimeStep measured = bed.Next(6, measured_state, true);
  const TimeStep exact = bed.Next(4000, exact_state, false);
  const TimeStep twice_sweeps = bed.Next(12, twice_state, false);
  const SolveError& error = *measured.ErrorOfSolve();
  const double excess =
      measured.Observe(measured_state).kinetic_energy - exact.Observe(exact_state).kinetic_energy;
  EXPECT_NEAR(error.energy_error, excess, 0.2 * std::abs(excess));
  EXPECT_NEAR(error.RelativeEnergyError(), std::abs(error.energy_error) / error.dissipated, 1e-12);
  EXPECT_GT(error.dissipated, 0.0);
  EXPECT_NEAR(error.RemainingErrorRatio(),
              Difference(bed.world, twice_sweeps, exact) / Difference(bed.world, measured, exact),
              0.25);
}

TEST(SolveError, ErrorVanishesIfSweepsHaveConverged) {
  SettlingBed bed;
  State state;
  const TimeStep measured = bed.Next(2000, state, true);
  const SolveError& error = *measured.ErrorOfSolve();
  EXPECT_EQ(error.steps, 1);
  EXPECT_LT(error.ImpulseError(), 1e-4);
  EXPECT_LT(std::abs(error.NormalRmsError()), 1e-4);
  EXPECT_LT(std::abs(error.NormalMeanError()), 1e-5);
  ASSERT_EQ(error.squared_loads.size(), 1u);
  EXPECT_GT(error.squared_loads[0], 0.0);
  EXPECT_LT(error.LoadError(0), 1e-5);
}

/// The bed under a lid, which is a free wall that sweeps also move.
Scene WithLid() {
  Scene scene = BedScene();
  test::AddPlane(scene, Vec3(0, 0, 0.025), -Vec3::UnitZ());
  Wall& lid = scene.walls.back();
  lid.axis = Vec3::UnitZ();
  lid.free.freedom = Freedom::kAlong;
  lid.free.mass = 0.01;
  return scene;
}

/// A cell under pressure, which sweeps also deform.
Scene Cell() {
  Scene scene = test::EmptyScene(Vec3::Zero(), Vec3(0.0198, 0.0132, 0.023), 0.4);
  scene.domain.periodic = {true, true, true};
  for (std::size_t k = 0; k < 3; ++k) scene.cell.drives[k] = {CellControlMode::kStress, 1e3};
  scene.cell.max_rate = 100.0;
  return scene;
}

TEST(SolveError, StressErrorIsTheDistanceFromTheConvergedStress) {
  const Communicator world = Communicator::World();
  const Scene scene = Cell();
  State state = LooseSpheres(world);
  const TimeStep step = test::Run(world, scene, WithSweeps(10), state, 60);
  const auto stress = [&](int sweeps, SolveError* error) {
    State copy = test::CheckpointState(state);
    TimeStep next_step(world, scene, WithSweeps(sweeps), step.Partition(), copy, step.Point(state));
    next_step.KeepSolveError(error != nullptr);
    next_step.Advance(copy);
    if (error != nullptr) *error = *next_step.ErrorOfSolve();
    return next_step.CellStress();
  };
  SolveError error;
  const CellComponents few_stress = stress(20, &error), exact = stress(2000, nullptr);
  double sums[2] = {};
  for (std::size_t k = 0; k < kCellComponents; ++k) {
    sums[0] += (few_stress[k] - exact[k]) * (few_stress[k] - exact[k]);
    sums[1] += exact[k] * exact[k];
  }
  const double expected = std::sqrt(sums[0] / sums[1]);
  EXPECT_GT(expected, 1e-3);
  // The measurement adds ten times the sweeps. Cells converge slowly, so it finds only a part of
  // the error.
  EXPECT_GT(error.StressError(), 0.5 * expected);
  EXPECT_LT(error.StressError(), 1.1 * expected);
}

class SolveErrorOf : public testing::TestWithParam<test::NamedScheme> {};
INSTANTIATE_TEST_SUITE_P(All, SolveErrorOf, testing::ValuesIn(test::kSchemes), test::NameOfScheme);

TEST_P(SolveErrorOf, MeasurementChangesNoBit) {
  const Communicator world = Communicator::World();
  StepParameters parameters = test::WithScheme(GetParam());
  parameters.dt = 1e-4;
  for (const Scene& scene : {BedScene(), WithLid(), Cell()}) {
    State measured_state = LooseSpheres(world), unmeasured_state = LooseSpheres(world);
    TimeStep measured = test::Start(world, scene, parameters, measured_state);
    TimeStep unmeasured = test::Start(world, scene, parameters, unmeasured_state);
    for (int k = 0; k < 60; ++k) {
      measured.KeepSolveError(k % 10 == 0);
      measured.Advance(measured_state);
      unmeasured.Advance(unmeasured_state);
      EXPECT_EQ(measured.ErrorOfSolve().has_value(), k % 10 == 0);
      EXPECT_FALSE(unmeasured.ErrorOfSolve());
    }
    test::ExpectSameBits(test::GatherById(world, measured_state.particles),
                         test::GatherById(world, unmeasured_state.particles));
    EXPECT_EQ(measured_state.free_walls, unmeasured_state.free_walls);
    EXPECT_EQ(measured_state.cell.box.upper, unmeasured_state.cell.box.upper);
  }
}

TEST(SolveError, SumsOverStepsAreSumsOfSquares) {
  SolveError sum;
  sum += {.steps = 1,
          .squared_error = 4.0,
          .squared_impulses = 16.0,
          .normal_squares = {9.0, 4.0},
          .normal_impulses = {3.0, 4.0},
          .squared_error_of_twice = 1.0,
          .squared_load_errors = {1.0},
          .squared_loads = {4.0}};
  EXPECT_EQ(sum.ImpulseError(), 0.5);
  EXPECT_EQ(sum.NormalRmsError(), 0.5);
  EXPECT_EQ(sum.NormalMeanError(), -0.25);
  EXPECT_EQ(sum.LoadError(0), 0.5);
  EXPECT_EQ(sum.RemainingErrorRatio(), 0.5);
  EXPECT_EQ(sum.RelativeEnergyError(), std::numeric_limits<double>::infinity());
  sum += {.steps = 1,
          .energy_error = 2.0,
          .energy_error_squared = 4.0,
          .dissipated = 8.0,
          .squared_load_errors = {0.0},
          .squared_loads = {12.0}};
  EXPECT_EQ(sum.steps, 2);
  EXPECT_EQ(sum.LoadError(0), 0.25);
  EXPECT_EQ(sum.RelativeEnergyError(),
            (2.0 + std::sqrt(2.0)) / 8.0);  // errors 2 and 0: their sum and its standard error
}

}  // namespace
}  // namespace scree::solve_error_test
