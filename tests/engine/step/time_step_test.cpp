// Whole time steps: ranks, allocations, momentum, inflow and outflow, errors.
#include "engine/step/time_step.hpp"

#include <gtest/gtest.h>

#include "engine/particles/inflow.hpp"
#include "engine/particles/random.hpp"
#include "tests/support/allocation_counter.hpp"
#include "tests/support/channel_scene.hpp"
#include "tests/support/schemes.hpp"

namespace scree::time_step_test {
namespace {

using test::AddSphere;

/// A floor under inclined gravity, periodic along x and y.
Scene PeriodicBed() {
  Scene scene = test::EmptyScene(Vec3::Zero(), Vec3(0.02, 0.016, 0.02), 0.4);
  scene.domain.periodic = {true, true, false};
  scene.gravity = Vec3(0.5, 0, -9.81);
  test::AddPlane(scene, Vec3::Zero(), Vec3::UnitZ());
  return scene;
}

State BedState(const Communicator& communicator) {
  State state;
  if (!communicator.IsRoot()) return state;
  for (ParticleId id = 0; id < 400; ++id) {
    const auto random = [&](std::uint64_t draw) { return UniformAroundZero(9, id, draw); };
    const Vec3 site(static_cast<double>(id % 10), static_cast<double>(id / 10 % 8),
                    static_cast<double>(id / 80));
    const Vec3 position = 0.002 * (site + Vec3::Constant(0.5));
    AddSphere(state.particles, id, position, 1.01e-3 + 0.03e-3 * random(0),
              Vec3(random(1), random(2), random(3)), 100.0 * Vec3(random(4), random(5), random(6)));
  }
  return state;
}

/// A floor below the four columns of DeepState, which are high enough for a coarse correction.
Scene DeepBed() {
  Scene scene = test::EmptyScene(Vec3::Zero(), Vec3(0.0084, 0.0084, 0.16), 0.4);
  scene.domain.periodic = {true, true, false};
  scene.gravity = Vec3(0, 0, -9.81);
  test::AddPlane(scene, Vec3::Zero(), Vec3::UnitZ());
  return scene;
}

State DeepState(const Communicator& communicator) {
  State state;
  if (!communicator.IsRoot()) return state;
  for (ParticleId id = 0; id < 4 * 50; ++id) {
    const auto random = [&](std::uint64_t draw) { return UniformAroundZero(7, id, draw); };
    const Vec3 site(static_cast<double>(id % 2), static_cast<double>(id / 2 % 2),
                    static_cast<double>(id / 4));
    const Vec3 position = Vec3(0.0042, 0.0042, 0.002).cwiseProduct(site + Vec3::Constant(0.5)) +
                          Vec3(1e-5 * random(0), 1e-5 * random(1), 0.0);
    AddSphere(state.particles, id, position, 1.001e-3 + 1e-6 * random(2));
  }
  return state;
}

class TimeStepScheme : public testing::TestWithParam<test::NamedScheme> {};
INSTANTIATE_TEST_SUITE_P(All, TimeStepScheme, testing::ValuesIn(test::kSchemes),
                         test::NameOfScheme);

// Without friction the velocities of the solution are unique, so only the error of the sweeps
// remains. With friction they are not unique.
TEST_P(TimeStepScheme, ConvergedStepsDoNotDependOnTheRanks) {
  const Communicator world = Communicator::World();
  const Communicator self = Communicator::Self();
  Scene scene = PeriodicBed();
  scene.materials.SetFriction(0, 0, 0.0);
  StepParameters parameters = test::WithScheme(GetParam());
  parameters.solver.sweeps = 5000;
  parameters.error_reduction = 0.0;  // in a periodic box squeezed overlaps cannot separate
  State parallel_state = BedState(world), serial_state = BedState(self);
  test::Run(world, scene, parameters, parallel_state, 3);
  TimeStep serial = test::Run(self, scene, parameters, serial_state, 3);
  ASSERT_GT(serial.Observe(serial_state).loaded_contacts, 100);
  ASSERT_LT(serial.Report().residual_max, 1e-9);
  const auto parallel_particles = test::GatherById(world, parallel_state.particles);
  constexpr double kConverged = 1e-6;  // [m/s]; speeds are of order one
  for (const auto& [id, sphere] : test::GatherById(self, serial_state.particles)) {
    ASSERT_EQ(parallel_particles.count(id), 1u);
    ASSERT_LT((parallel_particles.at(id).velocity - sphere.velocity).norm(), kConverged)
        << "id " << id;
  }
}

/// Between rebuilds all arrays, including message buffers, already have their capacity.
TEST_P(TimeStepScheme, AllocatesNothingBetweenRebuilds) {
  const Communicator world = Communicator::World();
  for (const PairRolling& rolling : {PairRolling{}, PairRolling{0.1, 0.05}}) {
    Scene scene = test::SmallChannel();
    scene.materials.SetLaw<RollingLaw>(0, 0, rolling);
    const StepParameters parameters = test::WithScheme(GetParam());
    State state = test::FilledChannel(world, scene);
    TimeStep step = test::Start(world, scene, parameters, state);
    for (int k = 0; k < 20; ++k) step.Advance(state);
    int quiet_steps = 0;
    for (int k = 0; k < 300; ++k) {
      const std::int64_t rebuilds = step.Rebuilds();
      const std::size_t allocations_before = test::AllocationCount();
      step.Advance(state);
      const std::size_t allocations = test::AllocationCount() - allocations_before;
      const bool is_between_rebuilds =
          step.Rebuilds() == rebuilds && !IsLayerDue(scene, parameters.dt, state.step);
      if (!is_between_rebuilds) continue;
      EXPECT_EQ(allocations, 0u) << "step " << state.step;
      ++quiet_steps;
    }
    EXPECT_GT(quiet_steps, 200);
    EXPECT_GT(step.Observe(state).contacts, 100);
  }
}

TEST_P(TimeStepScheme, ToleranceIsReachedOnAnyNumberOfRanks) {
  const Communicator world = Communicator::World();
  Scene scene = PeriodicBed();
  scene.materials.SetFriction(0, 0, 0.0);
  StepParameters parameters = test::WithScheme(GetParam());
  parameters.error_reduction = 0.0;
  // With a warm start from the impulses of the collapse, Jacobi would make no progress for so long
  // that the solve would count as stalled.
  parameters.warm_start = false;
  parameters.solver.tolerance = 1e-4;  // [m/s]
  parameters.solver.max_sweeps = 20000;
  State state = BedState(world);
  TimeStep step = test::Start(world, scene, parameters, state);
  for (int k = 0; k < 3; ++k) {
    step.Advance(state);
    const SolveReport report = step.Report();
    EXPECT_EQ(report.converged, std::optional<bool>(true));
    EXPECT_FALSE(report.stalled);
    EXPECT_GT(report.sweeps, 2);
    // The tolerance ignores changes that other ranks make in the same sweep.
    EXPECT_LT(report.residual_max, 3.0 * parameters.solver.tolerance);
  }
}

TEST_P(TimeStepScheme, ImpulsesEqualTheChangesOfMomentum) {
  const Communicator world = Communicator::World();
  for (const bool is_deep : {false, true}) {
    Scene scene = is_deep ? DeepBed() : PeriodicBed();
    scene.materials.SetLaw<RollingLaw>(0, 0, {0.1, 0.05});
    State state = is_deep ? DeepState(world) : BedState(world);
    TimeStep step = test::Start(world, scene, test::WithScheme(GetParam()), state);
    for (int k = 0; k < (is_deep ? 40 : 10); ++k) {
      const auto particles_before = test::GatherById(world, state.particles);
      step.Advance(state);
      // Sums the impulses of all ranks by particle, which are the changes of momentum (without
      // gravity) and of spin.
      std::vector<double> change(6 * particles_before.size(), 0.0);
      const auto add = [&](Index body, const Vec3& impulse, const Vec3& torque) {
        const auto id =
            static_cast<std::size_t>(state.particles.id[static_cast<std::size_t>(body)]);
        for (std::size_t axis = 0; axis < 3; ++axis) {
          change[6 * id + axis] += impulse[static_cast<Eigen::Index>(axis)];
          change[6 * id + 3 + axis] += torque[static_cast<Eigen::Index>(axis)];
        }
      };
      const ContactBatches& problem = step.Problem();
      for (std::size_t j = 0; j < step.Contacts().size(); ++j) {
        const DetectedContact& contact = step.Contacts()[j];
        const Vec3 lambda = problem.Impulse(j);
        const Vec3 spin_change = lambda.cross(contact.normal);  // times r: (−r n) × λ
        const double r_a = state.particles.radius[static_cast<std::size_t>(contact.a)];
        const bool is_wall_contact = static_cast<std::size_t>(contact.b) >= state.particles.Size();
        const double r_b =
            is_wall_contact ? 0.0 : state.particles.radius[static_cast<std::size_t>(contact.b)];
        // Λ = R L, 1/R = 1/r_a + 1/r_b.
        const Vec3 rolling = (is_wall_contact ? r_a : r_a * r_b / (r_a + r_b)) *
                             problem.ArraysOf<RollingLaw>().Impulse(problem.SlotOf(j));
        add(contact.a, lambda, r_a * spin_change + rolling);
        if (!is_wall_contact) add(contact.b, -lambda, r_b * spin_change - rolling);
      }
      world.Sum(change);
      for (const auto& [id, sphere] : test::GatherById(world, state.particles)) {
        const double m = test::Mass(sphere.radius);
        const Vec3 impulse(&change[6 * static_cast<std::size_t>(id)]);
        const Vec3 torque(&change[6 * static_cast<std::size_t>(id) + 3]);
        const Vec3 expected_spin = particles_before.at(id).angular_velocity +
                                   torque / (0.4 * m * sphere.radius * sphere.radius);
        ASSERT_LT(sphere.radius * (sphere.angular_velocity - expected_spin).norm(), 1e-12)
            << "id " << id;
        const Vec3 expected =
            particles_before.at(id).velocity + StepParameters{}.dt * scene.gravity + impulse / m;
        ASSERT_LT((sphere.velocity - expected).norm(), 1e-12) << "id " << id << ", step " << k;
      }
    }
  }
}

/// The load of the floor relative to the weight, after several steps.
double FloorLoad(const Communicator& communicator, const StepParameters& parameters, State& state,
                 int steps) {
  const Scene scene = DeepBed();
  const TimeStep step = test::Run(communicator, scene, parameters, state, steps);
  double force = 0.0, weight = 0.0;
  const std::vector<Vec3> impulses = step.Impulses();
  for (std::size_t j = 0; j < impulses.size(); ++j) {
    const bool is_floor_contact =
        static_cast<std::size_t>(step.Contacts()[j].b) >= state.particles.Size();
    if (is_floor_contact) force += impulses[j].z() / parameters.dt;
  }
  for (std::size_t i = 0; i < state.particles.owned; ++i) {
    weight -= scene.gravity.z() * test::Mass(state.particles.radius[i]);
  }
  return communicator.Sum(force) / communicator.Sum(weight);
}

TEST_P(TimeStepScheme, WeightOfADeepBedReachesTheFloor) {
  const Communicator world = Communicator::World();
  StepParameters parameters = test::WithScheme(GetParam());
  parameters.slop = 1e-5;  // keeps the overlaps of the start, so that all contacts stay closed
  constexpr int kSteps = 60;
  State corrected = DeepState(world), uncorrected = DeepState(world);
  EXPECT_NEAR(FloorLoad(world, parameters, corrected, kSteps), 1.0, 0.05);
  parameters.solver.coarse_correction = false;
  parameters.solver.momentum = 0.0;
  // On four ranks, deviations of 0.10 and 0.12 were measured. Why these are smaller than on one
  // rank is unknown.
  EXPECT_GT(std::abs(FloorLoad(world, parameters, uncorrected, kSteps) - 1.0),
            world.Size() < 4 ? 0.2 : 0.08);
}

TEST(TimeStep, JacobiHasTheSameBitsInADeepBedOnAnyRanks) {
  const Communicator world = Communicator::World();
  const Communicator self = Communicator::Self();
  const Scene scene = DeepBed();
  StepParameters parameters;
  parameters.solver.scheme = Scheme::kJacobi;
  State parallel_state = DeepState(world), serial_state = DeepState(self);
  test::Run(world, scene, parameters, parallel_state, 60);
  test::Run(self, scene, parameters, serial_state, 60);
  const auto parallel_particles = test::GatherById(world, parallel_state.particles);
  for (const auto& [id, sphere] : test::GatherById(self, serial_state.particles)) {
    ASSERT_EQ(parallel_particles.count(id), 1u);
    EXPECT_EQ(parallel_particles.at(id).velocity, sphere.velocity) << "id " << id;
    EXPECT_EQ(parallel_particles.at(id).angular_velocity, sphere.angular_velocity) << "id " << id;
    EXPECT_EQ(parallel_particles.at(id).position, sphere.position) << "id " << id;
  }
}

TEST(TimeStep, LostParticleIsNamedOnAllRanks) {
  const Communicator world = Communicator::World();
  Scene scene = test::EmptyScene(Vec3::Zero(), Vec3(0.1, 0.01, 0.01), 0.4);
  State state;
  if (world.IsRoot()) {
    AddSphere(state.particles, 4711, Vec3(0.05, 0.005, 0.005), 0.001, Vec3(0, 10, 0));
    AddSphere(state.particles, 12, Vec3(0.09, 0.005, 0.005), 0.001);
  }
  TimeStep step = test::Start(world, scene, StepParameters{}, state);
  try {
    for (int k = 0; k < 200; ++k) step.Advance(state);
    FAIL() << "a particle left through a closed face unnoticed";
  } catch (const SimulationError& error) {
    EXPECT_NE(std::string(error.what()).find("id 4711"), std::string::npos) << error.what();
    EXPECT_EQ(std::string(error.what()).find("id 12 "), std::string::npos) << error.what();
  }
}

TEST(TimeStep, ParticleWithNaNIsNamed) {
  const Communicator world = Communicator::World();
  const Scene scene = test::EmptyScene(Vec3::Zero(), Vec3(0.1, 0.01, 0.01), 0.4);
  State state;
  if (world.IsRoot()) AddSphere(state.particles, 3, Vec3(0.05, 0.005, 0.005), 0.001);
  TimeStep step = test::Start(world, scene, StepParameters{}, state);
  for (Vec3& v : state.particles.velocity) v.x() = std::nan("");
  try {
    for (int k = 0; k < 3; ++k) step.Advance(state);
    FAIL() << "NaN went unnoticed";
  } catch (const SimulationError& error) {
    EXPECT_NE(std::string(error.what()).find("id 3 "), std::string::npos) << error.what();
  }
}

TEST(TimeStep, RanksMayBeEmpty) {
  const Communicator world = Communicator::World();
  const Scene scene = test::EmptyScene(Vec3::Zero(), Vec3(0.1, 0.01, 0.01), 0.4);
  State no_particles;
  EXPECT_EQ(
      test::Run(world, scene, StepParameters{}, no_particles, 3).Observe(no_particles).particles,
      0);
  State one_particle;
  if (world.IsRoot()) AddSphere(one_particle.particles, 3, Vec3(0.001, 0.005, 0.005), 0.001);
  EXPECT_EQ(
      test::Run(world, scene, StepParameters{}, one_particle, 3).Observe(one_particle).particles,
      1);
}

TEST(TimeStep, TooNarrowSubdomainsAreAnInputErrorWithAdvice) {
  const Communicator world = Communicator::World();
  if (world.Size() == 1) GTEST_SKIP() << "one box is never too narrow";
  const Scene scene = test::EmptyScene(Vec3::Zero(), Vec3(0.004, 0.004, 0.004), 0.4);
  State state;
  if (world.IsRoot()) AddSphere(state.particles, 0, Vec3::Constant(0.002), 0.001);
  try {
    test::Start(world, scene, StepParameters{}, state);
    FAIL() << "boxes narrower than a particle were accepted";
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("fewer ranks"), std::string::npos) << error.what();
  }
}

TEST(TimeStep, FirstStateHasNoContactsEvenAfterBalancing) {
  const Communicator world = Communicator::World();
  const Scene scene = PeriodicBed();
  for (const Scheme scheme : {Scheme::kGaussSeidel, Scheme::kJacobi}) {
    StepParameters parameters;
    parameters.balance = kBalanceWhenWorthwhile;
    parameters.solver.scheme = scheme;
    State state = BedState(world);
    const TimeStep step = test::Start(world, scene, parameters, state);
    const Observables observed = step.Observe(state);
    EXPECT_EQ(observed.contacts, 0);
    EXPECT_EQ(observed.particles, 400);
    EXPECT_EQ(step.Report().residual_max, 0.0);
    EXPECT_TRUE(step.Impulses().empty());
  }
}

TEST(TimeStep, WatcherSeesParticlesThatLeaveButNotInsertedOnes) {
  const Communicator world = Communicator::World();
  const Scene scene = test::SmallChannel();
  const StepParameters parameters;
  State state = test::FilledChannel(world, scene);
  TimeStep step = test::Start(world, scene, parameters, state);
  std::int64_t beyond_count = 0;
  for (int k = 0; k < 100; ++k) {
    const std::int64_t count_before = step.Observe(state).particles;
    std::int64_t seen_count = 0, call_count = 0;
    step.Advance(state, [&](const Particles& particles) {
      ++call_count;
      for (std::size_t i = 0; i < particles.owned; ++i) {
        if (particles.id[i] == kRemovedId) continue;
        ++seen_count;
        beyond_count += particles.position[i].x() > scene.domain.box.upper.x();
      }
    });
    ASSERT_EQ(call_count, 1);
    ASSERT_EQ(world.Sum(seen_count), count_before) << k;
  }
  const Observables end = step.Observe(state);
  EXPECT_GT(end.inserted, 0);
  EXPECT_GT(end.deleted, 0);
  EXPECT_EQ(world.Sum(beyond_count), end.deleted);
}

TEST(TimeStep, ParticlesThatStartBeyondAnOutflowFaceAreRemoved) {
  const Communicator world = Communicator::World();
  Scene scene = test::EmptyScene(Vec3::Zero(), Vec3(0.1, 0.01, 0.01), 0.4);
  scene.outflow[0][1] = true;
  State state;
  if (world.IsRoot()) {
    AddSphere(state.particles, 1, Vec3(0.1001, 0.005, 0.005), 0.001);
    AddSphere(state.particles, 2, Vec3(0.0999, 0.005, 0.005), 0.001);
  }
  TimeStep step = test::Start(world, scene, StepParameters{}, state);
  EXPECT_EQ(step.Observe(state).particles, 1);
  EXPECT_EQ(step.Observe(state).deleted, 1);
}

TEST(TimeStep, InflowAndOutflowAreCounted) {
  const Communicator world = Communicator::World();
  const Scene scene = test::SmallChannel();
  State state = test::FilledChannel(world, scene);
  TimeStep step = test::Start(world, scene, StepParameters{}, state);
  const std::int64_t initial = step.Observe(state).particles;
  for (int k = 0; k < 300; ++k) step.Advance(state);
  const Observables end = step.Observe(state);
  EXPECT_EQ(end.inserted, 3 * 12 * 8);  // steps 94, 188, 282
  EXPECT_GT(end.deleted, 100);
  EXPECT_EQ(end.particles, initial + end.inserted - end.deleted);
  EXPECT_GT(step.Rebuilds(), 3);
  EXPECT_LT(step.Rebuilds(), 100);  // a list lasts for several steps
}

}  // namespace
}  // namespace scree::time_step_test
