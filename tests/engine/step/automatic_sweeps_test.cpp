// The number of sweeps follows from the measured error of the solves.
#include "engine/step/automatic_sweeps.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "engine/particles/random.hpp"
#include "engine/step/time_step.hpp"
#include "tests/support/same_bits.hpp"
#include "tests/support/scenes.hpp"

namespace scree::automatic_sweeps_test {
namespace {

/// A SolveError with these relative errors of the impulses, of their mean and of the wall loads.
/// @param remaining  fraction of the error of the impulses that remains after twice the sweeps
SolveError MakeError(double impulses, double mean, double load = 0.0, double remaining = 0.4) {
  SolveError error;
  error.steps = 1;
  error.squared_impulses = 4.0;
  error.squared_error = 4.0 * impulses * impulses;
  error.squared_error_of_twice = remaining * remaining * error.squared_error;
  error.normal_squares[0] = error.normal_squares[1] = 3.0;
  error.normal_impulses[0] = 1.0 + mean;
  error.normal_impulses[1] = 1.0;
  error.squared_loads = {0.0, 9.0, 16.0};
  error.squared_load_errors = {0.0, 0.0, 25.0 * load * load};
  return error;
}

StepParameters AutomaticParameters(double accuracy) {
  StepParameters parameters;
  parameters.accuracy = accuracy;
  parameters.automatic_sweeps = true;
  return parameters;
}

TEST(AutomaticSweeps, LargestErrorRelativeToItsLimitCounts) {
  StepParameters parameters = AutomaticParameters(0.01);
  EXPECT_NEAR(MaxErrorRatio(parameters, MakeError(0.1, 0.0)), 2.0, 1e-12);
  EXPECT_NEAR(MaxErrorRatio(parameters, MakeError(0.1, -0.03)), 3.0, 1e-12);
  EXPECT_NEAR(MaxErrorRatio(parameters, MakeError(0.1, 0.0, 0.04)), 4.0, 1e-12);
  SolveError cell_error = MakeError(0.1, 0.0);
  cell_error.squared_stresses = 100.0;
  cell_error.squared_stress_errors = 0.25;
  EXPECT_NEAR(MaxErrorRatio(parameters, cell_error), 5.0, 1e-12);
  parameters.force_accuracy = 0.2;
  EXPECT_NEAR(MaxErrorRatio(parameters, MakeError(0.1, 0.0)), 0.5, 1e-12);
  parameters.accuracy = 0.0;  // fixed steps: the accuracy is one per cent
  EXPECT_NEAR(MaxErrorRatio(parameters, MakeError(0.1, -0.03)), 3.0, 1e-12);
}

TEST(AutomaticSweeps, SweepsGrowWithTheErrorAndDecreaseSlowlyWithinBounds) {
  StepParameters parameters = AutomaticParameters(0.01);
  parameters.solver.max_sweeps = 50;
  const auto next_sweeps = [&](std::int64_t sweeps, double impulses, double remaining = 0.4) {
    AutomaticSweepsState state = {sweeps, 8, 8};
    AdaptSweeps(parameters, MakeError(impulses, 0.0, 0.0, remaining), 8, {}, state);
    return state.sweeps;
  };
  EXPECT_EQ(next_sweeps(10, 0.06), 11);  // 1.2^(3/4) = 1.147
  EXPECT_EQ(next_sweeps(10, 0.5), 20);   // at most a factor of 2 at a time
  EXPECT_EQ(next_sweeps(40, 0.5), 50);   // max_sweeps
  EXPECT_EQ(next_sweeps(20, 0.04), 20);  // close to the allowed error
  EXPECT_EQ(next_sweeps(50, 0.001), 25);
  EXPECT_EQ(next_sweeps(15, 0.001), 10);  // kMinAutomaticSweeps
  EXPECT_EQ(next_sweeps(20, 0.5, 0.69), 40);
  parameters.solver.max_sweeps = 1000;
  EXPECT_EQ(next_sweeps(60, 0.5), 100);
  EXPECT_EQ(next_sweeps(20, 0.5, 0.71), 20);  // not worth the cost
  parameters.force_accuracy = 0.05;
  EXPECT_EQ(next_sweeps(60, 0.5), 120);
  EXPECT_EQ(next_sweeps(20, 0.5, 0.71), 40);
}

// A gripper that holds a cube at its corners costs little, and has no error before it moves.
TEST(AutomaticSweeps, FewContactsGetMoreSweeps) {
  const StepParameters parameters = AutomaticParameters(0.01);
  const auto sweeps_of = [&](std::int64_t loaded) {
    AutomaticSweepsState state;
    AdaptSweeps(parameters, MakeError(0.04, 0.0), 8, {.loaded = loaded}, state);
    return state.sweeps;
  };
  EXPECT_EQ(sweeps_of(1), 100);
  EXPECT_EQ(sweeps_of(20), 25);
  EXPECT_EQ(sweeps_of(51), 10);
}

TEST(AutomaticSweeps, IntervalsBetweenMeasurementsGrowToTheirMaximum) {
  const StepParameters parameters = AutomaticParameters(0.01);
  AutomaticSweepsState state;
  std::int64_t measured = 0;
  for (std::int64_t step = 1; step <= 100'000; ++step) {
    if (!IsMeasurementDue(parameters, step, state)) continue;
    ++measured;
    AdaptSweeps(parameters, {}, step, {}, state);
    if (measured <= 2) {
      EXPECT_EQ(step, measured == 1 ? 8 : 24);
    }
  }
  EXPECT_EQ(state.sweeps, AutomaticSweepsState().sweeps);
  EXPECT_NEAR(static_cast<double>(measured), 107.0, 2.0);
  StepParameters fixed_sweeps = parameters;
  fixed_sweeps.automatic_sweeps = false;
  EXPECT_FALSE(IsMeasurementDue(fixed_sweeps, 200'000, state));
}

TEST(AutomaticSweeps, IntervalsAreShortWhileErrorsAreLargeOrChange) {
  const StepParameters parameters = AutomaticParameters(0.01);
  const auto interval = [&](double previous_ratio, double impulses, std::int64_t sweeps = 20) {
    AutomaticSweepsState state = {.sweeps = sweeps, .interval = 100, .error_ratio = previous_ratio};
    AdaptSweeps(parameters, MakeError(impulses, 0.0), 500, {}, state);
    EXPECT_EQ(state.measure_at, 500 + state.interval);
    return state.interval;
  };
  EXPECT_EQ(interval(0.9, 0.04), 200);
  EXPECT_EQ(interval(2.0, 0.1), 8);  // twice the allowed error
  EXPECT_EQ(interval(0.2, 0.04), 8);
  EXPECT_EQ(interval(2.9, 0.04), 8);
  EXPECT_EQ(interval(0.02, 0.001, 80), 8);  // the sweeps are halved, perhaps not for the last time
  const std::int64_t max = MaxAutomaticSweeps(parameters);
  EXPECT_EQ(interval(2.0, 0.1, max), 200);  // more measurements would not help
}

TEST(AutomaticSweeps, ChangedLoadOrContactsAreMeasuredInTheNextStep) {
  const auto measured_at = [](std::int64_t loaded, double force) {
    AutomaticSweepsState state = {
        .measure_at = 5000, .interval = 1000, .loaded = 100, .median_force = 2.0};
    CheckLoads({loaded, force}, 4200, state);
    EXPECT_EQ(state.interval, state.measure_at == 5000 ? 1000 : 8);
    return state.measure_at;
  };
  EXPECT_EQ(measured_at(140, 3.9), 5000);
  EXPECT_EQ(measured_at(70, 1.1), 5000);
  EXPECT_EQ(measured_at(160, 2.0), 4201);
  EXPECT_EQ(measured_at(60, 2.0), 4201);
  EXPECT_EQ(measured_at(100, 4.1), 4201);
  EXPECT_EQ(measured_at(100, 0.9), 4201);
}

constexpr double kRadius = 1e-3;

/// A plane under inclined gravity, on which spheres slide.
Scene Incline() {
  Scene scene = test::EmptyScene(Vec3::Zero(), Vec3(0.02, 0.014, 0.02), 0.4);
  scene.domain.periodic = {true, true, false};
  scene.gravity = Vec3(5.0, 0, -8.4);
  test::AddPlane(scene, Vec3::Zero(), Vec3::UnitZ());
  return scene;
}

/// Loose spheres, all on root. Start distributes them.
State LooseSpheres(const Communicator& world) {
  State state;
  for (ParticleId id = 0; world.IsRoot() && id < 250; ++id) {
    const auto random = [&](std::uint64_t draw) { return UniformAroundZero(4, id, draw); };
    const Vec3 site(static_cast<double>(id % 9), static_cast<double>(id / 9 % 6),
                    static_cast<double>(id / 54));
    test::AddSphere(state.particles, id, 0.0022 * (site + Vec3::Constant(0.5)), kRadius,
                    0.1 * Vec3(random(1), random(2), random(3)));
  }
  return state;
}

/// Ratio of the error to its limit in 60 steps of a flow, and the number of sweeps at the end. The
/// steps are spread over 600, because the error of the moment scatters from 0.3 to 13 limits.
std::pair<double, int> Flow(bool is_automatic, double force_accuracy) {
  const Communicator world = Communicator::World();
  const Scene scene = Incline();
  StepParameters parameters;
  parameters.dt = 1e-4;
  parameters.automatic_sweeps = is_automatic;
  parameters.force_accuracy = force_accuracy;
  State state = LooseSpheres(world);
  TimeStep step = test::Run(world, scene, parameters, state, 1000);
  SolveError error;
  for (int k = 0; k < 600; ++k) {
    const bool is_sampled = k % 10 == 0;
    step.KeepSolveError(is_sampled);
    step.Advance(state);
    if (is_sampled) error += *step.ErrorOfSolve();
  }
  // All ranks plan the same number of sweeps.
  EXPECT_EQ(world.Sum(std::int64_t{step.PlannedSweeps()}), world.Size() * step.PlannedSweeps());
  EXPECT_EQ(step.Report().sweeps, step.PlannedSweeps());
  return {MaxErrorRatio(parameters, error), step.PlannedSweeps()};
}

// Spheres land at step 300, long after the last measurement.
TEST(AutomaticSweeps, LandingIsMeasuredSoon) {
  const Communicator world = Communicator::World();
  Scene scene = test::EmptyScene(Vec3::Zero(), Vec3(0.02, 0.02, 0.02), 0.4);
  scene.gravity = Vec3(0, 0, -10.0);
  test::AddPlane(scene, Vec3::Zero(), Vec3::UnitZ());
  StepParameters parameters;
  parameters.dt = 1e-4;
  parameters.automatic_sweeps = true;
  State state;
  for (ParticleId id = 0; world.IsRoot() && id < 16; ++id) {
    const double x = 0.0025 * static_cast<double>(id % 4 + 1), y = 0.0025 * double(id / 4 + 1);
    test::AddSphere(state.particles, id, Vec3(x, y, kRadius + 4.5e-3), kRadius);
  }
  TimeStep step = test::Run(world, scene, parameters, state, 295);
  bool was_measured = false;
  for (int k = 0; k < 25; ++k) {
    step.Advance(state);
    was_measured |= step.ErrorOfSolve().has_value();
  }
  EXPECT_TRUE(was_measured);
}

TEST(AutomaticSweeps, ErrorOfAFlowStaysNearItsLimit) {
  EXPECT_GT(Flow(false, 0.05).first, 4.0);
  const auto [error_ratio, sweeps] = Flow(true, 0.05);
  EXPECT_LT(error_ratio, 2.5);
  EXPECT_GT(sweeps, 10);
}

TEST(AutomaticSweeps, RestartContinuesWithTheSameBits) {
  const Communicator world = Communicator::World();
  const Scene scene = Incline();
  StepParameters parameters = AutomaticParameters(0.001);
  parameters.dt = kBaseStep;
  State state = LooseSpheres(world);
  TimeStep step = test::Run(world, scene, parameters, state, 300);
  ASSERT_NE(step.PlannedSweeps(), AutomaticSweepsState().sweeps);
  State restart_state = test::CheckpointState(state);
  TimeStep restarted(world, scene, parameters, step.Partition(), restart_state, step.Point(state));
  EXPECT_EQ(restarted.PlannedSweeps(), step.PlannedSweeps());
  for (int k = 0; k < 300; ++k) {
    step.Advance(state);
    restarted.Advance(restart_state);
    ASSERT_EQ(restarted.PlannedSweeps(), step.PlannedSweeps());
  }
  test::ExpectSameBits(test::GatherById(world, state.particles),
                       test::GatherById(world, restart_state.particles));
}

}  // namespace
}  // namespace scree::automatic_sweeps_test
