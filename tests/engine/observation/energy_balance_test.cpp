// The energy balance of a step, compared with energies computed from the particles.
#include "engine/observation/energy_balance.hpp"

#include <gtest/gtest.h>

#include "engine/particles/random.hpp"
#include "tests/support/channel_scene.hpp"
#include "tests/support/clump_scenes.hpp"

namespace scree::energy_balance_test {
namespace {

using test::AddPlane;
using test::AddSphere;
using test::Mass;

// Error of the balance relative to the energies exchanged in the step, not to the total energy.
constexpr double kBalanceError = 1e-10;
// Error of the difference of two sums of thousands of terms, relative to the total energy.
constexpr double kDifferenceError = 1e-12;
// Error of short sums of numbers of order one.
constexpr double kRounding = 1e-13;

double KineticEnergyOf(const std::map<ParticleId, test::Kinematics>& all) {
  double energy = 0.0;
  for (const auto& [id, p] : all) {
    const double m = Mass(p.radius), inertia = 0.4 * m * p.radius * p.radius;
    energy += 0.5 * m * p.velocity.squaredNorm() + 0.5 * inertia * p.angular_velocity.squaredNorm();
  }
  return energy;
}

/// Kinetic energy of bodies that all have this shape.
double KineticEnergyOf(const std::map<ParticleId, test::Kinematics>& all, const ClumpShape& shape) {
  double energy = 0.0;
  for (const auto& [id, p] : all) {
    const double m = 2650.0 * shape.volume * std::pow(p.radius, 3);
    const Vec3 spin = shape.Inertia(m, p.radius).AngularMomentum(p.orientation, p.angular_velocity);
    energy += 0.5 * m * p.velocity.squaredNorm() + 0.5 * spin.dot(p.angular_velocity);
  }
  return energy;
}

/// The sum of all exchanged energies, which is the scale of the errors.
double ExchangedEnergy(const EnergyBalance& balance) {
  return std::abs(balance.forces) + std::abs(balance.contacts) + std::abs(balance.walls) +
         std::abs(balance.kinetic) + balance.inserted + balance.removed;
}

/// Runs steps with an energy balance. Expects that each balance closes and contains the change of
/// the particles' kinetic energy.
/// @param clump  shape of all particles; null: spheres
/// @returns the sum of the balances
EnergyBalance RunAndCheck(const Communicator& communicator, TimeStep& step, State& state, int steps,
                          const ClumpShape* clump = nullptr) {
  EnergyBalance total;
  step.EnableEnergyBalance(true);
  const auto kinetic_energy = [&] {
    const auto all = test::GatherById(communicator, state.particles);
    return clump == nullptr ? KineticEnergyOf(all) : KineticEnergyOf(all, *clump);
  };
  double energy_before = kinetic_energy();
  for (int k = 0; k < steps; ++k) {
    step.Advance(state);
    const EnergyBalance balance = SumOverRanks(communicator, step.Energy());
    const double energy_after = kinetic_energy();
    EXPECT_LE(std::abs(balance.Imbalance()), kBalanceError * ExchangedEnergy(balance))
        << "step " << state.step;
    EXPECT_NEAR(energy_after - energy_before, balance.kinetic + balance.inserted - balance.removed,
                kDifferenceError * energy_before)
        << "step " << state.step;
    energy_before = energy_after;
    total += balance;
  }
  return total;
}

/// Spheres of several sizes on rank 0. Some overlap and can separate freely.
State Packing(const Communicator& communicator) {
  State state;
  if (!communicator.IsRoot()) return state;
  for (ParticleId id = 0; id < 400; ++id) {
    const auto random = [&](std::uint64_t draw) { return UniformAroundZero(9, id, draw); };
    const Vec3 site(static_cast<double>(id % 10), static_cast<double>(id / 10 % 8),
                    static_cast<double>(id / 80));
    AddSphere(state.particles, id, 0.002 * (site + Vec3::Constant(0.5)),
              0.985e-3 + 4e-5 * random(0), Vec3(random(1), random(2), random(3)),
              100.0 * Vec3(random(4), random(5), random(6)));
  }
  return state;
}

/// A scene with a moving floor. The domain is periodic along x and y, so a rank also has ghosts of
/// its own particles.
Scene PackingScene() {
  Scene scene = test::EmptyScene(Vec3::Zero(), Vec3(0.02, 0.016, 0.02), 0.4);
  scene.domain.periodic = {true, true, false};
  scene.gravity = Vec3(0.5, 0, -9.81);
  AddPlane(scene, Vec3::Zero(), Vec3::UnitZ(), Vec3(0.3, 0.1, 0.02));
  return scene;
}

/// The number of contacts with ghosts that have an impulse, over all ranks.
std::int64_t CountLoadedWithGhosts(const Communicator& communicator, const TimeStep& step,
                                   const State& state) {
  std::int64_t count = 0;
  for (std::size_t j = 0; j < step.Contacts().size(); ++j) {
    const auto b = static_cast<std::size_t>(step.Contacts()[j].b);
    count += b >= state.particles.owned && b < state.particles.Size() &&
             step.Problem().Impulse(j).norm() > 0.0;
  }
  return communicator.Sum(count);
}

TEST(EnergyBalance, ClosesAcrossRankBordersAfterAnyNumberOfSweeps) {
  const Communicator world = Communicator::World();
  const Scene scene = PackingScene();
  for (const Kernel kernel : {Kernel::kSphere, Kernel::kMaxDissipation, Kernel::kCoulomb}) {
    for (const auto& [sweeps, position_sweeps] : {std::pair{1, 3}, {3, 0}, {10, 3}}) {
      StepParameters parameters;
      parameters.position_sweeps = position_sweeps;
      parameters.solver.sweeps = sweeps;
      parameters.solver.kernel = kernel;
      State state = Packing(world);
      TimeStep step = test::Start(world, scene, parameters, state);
      EnergyBalance total = RunAndCheck(world, step, state, 1);
      // Count before the packing expands, because opening overlaps have no impulse.
      EXPECT_GT(CountLoadedWithGhosts(world, step, state), 5);
      total += RunAndCheck(world, step, state, 19);
      EXPECT_GT(std::abs(total.walls), 1e-4 * ExchangedEnergy(total));
      EXPECT_EQ(total.error_reduction > 0.0, position_sweeps == 0);
      EXPECT_EQ(total.projection != 0.0, position_sweeps > 0);
    }
  }
}

TEST(EnergyBalance, ClosesWithRollingResistanceOnARotatingFloor) {
  const Communicator world = Communicator::World();
  for (const Scheme scheme : {Scheme::kGaussSeidel, Scheme::kJacobi}) {
    Scene scene = PackingScene();
    scene.materials.SetLaw<RollingLaw>(0, 0, {0.2, 0.1});
    scene.walls[0].rotation = {Vec3(0.01, 0.008, 0), Vec3(0, 0, 60)};
    StepParameters parameters;
    parameters.solver.sweeps = 3;
    parameters.solver.scheme = scheme;
    State state = Packing(world);
    TimeStep step = test::Start(world, scene, parameters, state);
    const EnergyBalance total = RunAndCheck(world, step, state, 20);
    EXPECT_GT(std::abs(total.walls), 1e-4 * ExchangedEnergy(total));
    double rolling = 0.0;
    for (std::size_t j = 0; j < step.Contacts().size(); ++j) {
      rolling += step.Problem().ImpulsesOfLaws(j).of[kLawIndex<RollingLaw>].norm();
    }
    EXPECT_GT(world.Sum(rolling), 0.0);
  }
}

/// Clumps at random angles with random velocities, which also move towards the middle of a floor.
State Clumps(const Communicator& communicator, const Scene& scene) {
  State state;
  for (ParticleId id = 0; communicator.IsRoot() && id < 300; ++id) {
    const auto random = [&](std::uint64_t draw) { return UniformAroundZero(11, id, draw); };
    const Vec3 site(static_cast<double>(id % 10), static_cast<double>(id / 10 % 10),
                    static_cast<double>(id / 100));
    const Vec3 position = 0.002 * (site + Vec3(1.0, 1.0, 0.5));
    test::AddClump(scene, state.particles, id, 1, position,
                   RotationBy(3.0 * Vec3(random(0), random(1), random(2))),
                   Vec3(random(3), random(4), random(5)) - 20.0 * (position - Vec3(0.01, 0.01, 0)),
                   500.0 * Vec3(random(6), random(7), random(8)));
  }
  return state;
}

TEST(EnergyBalance, ClosesWithClumpsOnARotatingFloor) {
  const Communicator world = Communicator::World();
  for (const auto& [kernel, scheme] : {std::pair{Kernel::kMaxDissipation, Scheme::kGaussSeidel},
                                       {Kernel::kCoulomb, Scheme::kGaussSeidel},
                                       {Kernel::kMaxDissipation, Scheme::kJacobi}}) {
    Scene scene = test::EmptyScene(Vec3::Zero(), Vec3(0.022, 0.022, 0.02), 0.4);
    scene.domain.periodic = {false, true, false};
    scene.gravity = Vec3(0.5, 0, -9.81);
    scene.outflow[0] = {true, true};
    AddPlane(scene, Vec3::Zero(), Vec3::UnitZ(), Vec3(0.3, 0.1, 0.02));
    scene.walls[0].rotation = {Vec3(0.011, 0.011, 0), Vec3(0, 0, 60)};
    scene.materials.SetLaw<RollingLaw>(0, 0, {0.1, 0.05});
    test::AddShape(scene, test::AsymmetricShape(0.35e-3));
    StepParameters parameters;
    parameters.dt = 5e-5;
    parameters.solver = {.sweeps = 3, .kernel = kernel, .scheme = scheme};
    State state = Clumps(world, scene);
    TimeStep step = test::Start(world, scene, parameters, state);
    const EnergyBalance total = RunAndCheck(world, step, state, 100, &scene.clumps[0]);
    EXPECT_LT(total.contacts, -0.05 * ExchangedEnergy(total));
    EXPECT_GT(std::abs(total.walls), 1e-4 * ExchangedEnergy(total));
    EXPECT_GT(total.dissipated, 0.0);
    EXPECT_GT(total.removed, 0.0);
    // Free rotation keeps the energy even with three different moments of inertia.
    EXPECT_LT(std::abs(total.rotation), 1e-12 * ExchangedEnergy(total));
  }
}

TEST(EnergyBalance, ClosesInAChannelWithInflowAndOutflow) {
  const Communicator world = Communicator::World();
  Scene scene = test::SmallChannel();
  // Many particles leave at the same time. They stay in the arrays, marked, until the next list is
  // built.
  for (Fill& fill : scene.fills) fill.grain.velocity = Vec3(3, 0, 0);
  State state = test::FilledChannel(world, scene);
  TimeStep step = test::Start(world, scene, StepParameters{}, state);
  const EnergyBalance total = RunAndCheck(world, step, state, 200);
  EXPECT_GT(world.Sum(state.inserted), 0);
  EXPECT_GT(world.Sum(state.deleted), 100);
  EXPECT_GT(total.inserted, 0.0);
  EXPECT_GT(total.removed, 0.0);
  EXPECT_GT(total.walls, 0.0);  // the piston does work
  EXPECT_GT(total.dissipated, 0.0);
}

TEST(EnergyBalance, PotentialAndProjectionSumToTheChangeOfPotentialEnergy) {
  const Communicator world = Communicator::World();
  Scene scene = PackingScene();
  scene.gravity = Vec3(0, 0, -9.81);  // along an axis that is not periodic
  State state = Packing(world);
  TimeStep step = test::Start(world, scene, {}, state);
  const auto potential = [&] {
    double sum = 0.0;
    for (const auto& [id, p] : test::GatherById(world, state.particles)) {
      sum += 9.81 * Mass(p.radius) * p.position.z();
    }
    return sum;
  };
  const double energy_before = potential();
  const EnergyBalance total = RunAndCheck(world, step, state, 20);
  EXPECT_NEAR(potential() - energy_before, total.potential + total.projection,
              kDifferenceError * energy_before);
  EXPECT_GT(std::abs(total.projection), 1e3 * kDifferenceError * energy_before);
}

TEST(EnergyBalance, EntriesDoNotDependOnTheRanks) {
  // Without friction the converged velocities are unique, and so is every entry.
  const Communicator world = Communicator::World();
  Scene scene = PackingScene();
  scene.materials.SetFriction(0, 0, 0.0);
  StepParameters parameters;
  parameters.solver.sweeps = 3000;
  parameters.error_reduction = 0.0;
  const auto run = [&](const Communicator& communicator) {
    State state = Packing(communicator);
    TimeStep step = test::Start(communicator, scene, parameters, state);
    return RunAndCheck(communicator, step, state, 2);
  };
  EnergyBalance parallel = run(world), serial = run(Communicator::Self());
  constexpr double kConverged = 1e-6;  // relative tolerance of the sweeps
  const double scale = ExchangedEnergy(serial);
  const auto compare = [&](const char* name, double a, double b) {
    EXPECT_NEAR(a, b, kConverged * scale) << name;
  };
  ForEachEntry(compare, parallel, serial);
}

TEST(EnergyBalance, EntriesOfAFreeFallAddUpToTheTotalFall) {
  constexpr int kSteps = 100;
  const Communicator world = Communicator::World();
  Scene scene = test::EmptyScene(Vec3::Zero(), Vec3(0.02, 0.02, 0.06), 0.4);
  scene.gravity = Vec3(1, 2, -9.81);
  State state;
  const Vec3 start(0.01, 0.01, 0.05), v(0.1, -0.2, 0.3);
  const double radius = 1e-3, m = Mass(radius);
  if (world.IsRoot()) AddSphere(state.particles, 0, start, radius, v, Vec3(7, 8, 9));
  StepParameters parameters;
  parameters.dt = 1e-4;
  TimeStep step = test::Start(world, scene, parameters, state);
  const EnergyBalance total = RunAndCheck(world, step, state, kSteps);

  const test::Kinematics end = test::GatherById(world, state.particles).at(0);
  // Relative to the energy of a fall by a centimetre.
  const double tolerance = 1e-12 * m * 9.81 * 0.01;
  EXPECT_NEAR(total.potential, -m * scene.gravity.dot(end.position - start), tolerance);
  EXPECT_NEAR(total.IntegrationError(),
              -0.5 * parameters.dt * m * scene.gravity.dot(end.velocity - v), tolerance);
  EXPECT_LT(total.IntegrationError(), 0.0);
  EXPECT_NEAR(total.kinetic + total.potential, total.IntegrationError(), tolerance);
  EXPECT_EQ(total.contacts, 0.0);
  EXPECT_EQ(total.walls, 0.0);
  EXPECT_EQ(total.dissipated, 0.0);
}

/// Spheres of 2 m diameter and 1 kg on one rank.
struct SmallWorld {
  static constexpr double kStep = 1e-3;
  Scene scene = test::EmptyScene(Vec3::Constant(-8), Vec3::Constant(8), 0.0);
  StepParameters parameters;
  State state;

  SmallWorld() {
    scene.materials = MaterialTable();
    scene.materials.Add({"light", 1.0 / SphereVolume(1.0)}, 0.0);
    parameters.dt = kStep;
  }
  void Add(const Vec3& position, const Vec3& velocity) {
    AddSphere(state.particles, static_cast<ParticleId>(state.particles.Size()), position, 1.0,
              velocity);
  }
  EnergyBalance Advance() {
    const Communicator self = Communicator::Self();
    TimeStep step = test::Start(self, scene, parameters, state);
    step.EnableEnergyBalance(true);
    step.Advance(state);
    return step.Energy();
  }
};

void ExpectEntries(const EnergyBalance& actual, EnergyBalance expected) {
  EnergyBalance balance = actual;
  const auto compare = [](const char* name, double a, double b) {
    EXPECT_NEAR(a, b, kRounding) << name;
  };
  ForEachEntry(compare, balance, expected);
}

TEST(EnergyBalance, InelasticImpactDissipates) {
  SmallWorld world;
  world.Add(Vec3(1, 0, 0), Vec3(-1, 0, 0));
  world.Add(Vec3(-1, 0, 0), Vec3(1, 0, 0));
  ExpectEntries(world.Advance(), {.kinetic = -1.0, .contacts = -1.0, .dissipated = 1.0});
}

TEST(EnergyBalance, ContactWithAGapStopsOnlyPartOfTheApproach) {
  SmallWorld world;
  const double allowed_approach = 0.5;  // approach that the gap allows [m/s]
  world.Add(Vec3(1 + allowed_approach * SmallWorld::kStep, 0, 0), Vec3(-1, 0, 0));
  world.Add(Vec3(-1, 0, 0), Vec3(1, 0, 0));
  // λ = (2 - allowed_approach) / 2 works on the mean of the approach velocities before the contact
  // (2) and after it (allowed_approach).
  const double expected_loss = 0.5 * (2.0 - allowed_approach) * 0.5 * (2.0 + allowed_approach);
  ExpectEntries(
      world.Advance(),
      {.kinetic = -expected_loss, .contacts = -expected_loss, .dissipated = expected_loss});
}

TEST(EnergyBalance, WorkOfAWallIsTwiceTheEnergyThatTheSphereKeeps) {
  SmallWorld world;
  AddPlane(world.scene, Vec3::Zero(), Vec3::UnitZ(), Vec3(0, 0, 1));
  world.Add(Vec3(0, 0, 1), Vec3::Zero());
  ExpectEntries(world.Advance(),
                {.kinetic = 0.5, .contacts = -0.5, .walls = 1.0, .dissipated = 0.5});
}

TEST(EnergyBalance, BeltDoesWorkByFriction) {
  SmallWorld world;
  world.scene.materials.SetFriction(0, 0, 0.1);
  AddPlane(world.scene, Vec3::Zero(), Vec3::UnitZ(), Vec3(5, 0, 0));
  world.Add(Vec3(0, 0, 1), Vec3(0, 0, -1));
  // The belt slips: λ = (0.1, 0, 1), velocity 0.1 along x and r ω = 0.25 about y.
  const double kinetic = 0.5 * 0.01 + 0.2 * 0.0625 - 0.5;
  const double walls = 0.1 * 5.0;
  ExpectEntries(world.Advance(), {.kinetic = kinetic,
                                  .contacts = kinetic - walls,
                                  .walls = walls,
                                  .dissipated = walls - kinetic});
}

TEST(EnergyBalance, TurntableDoesWorkBySpinningFriction) {
  SmallWorld world;
  const double spinning = 0.1, rate = 5.0;
  world.scene.materials.SetLaw<RollingLaw>(0, 0, {0.0, spinning});
  AddPlane(world.scene, Vec3::Zero(), Vec3::UnitZ());
  world.scene.walls[0].rotation = {Vec3::Zero(), Vec3(0, 0, rate)};
  world.Add(Vec3(0, 0, 1), Vec3(0, 0, -1));
  // Λ = 0.1, I = 0.4: the sphere rotates at 0.25 and the table slips.
  const double rotation_energy = 0.5 * 0.4 * 0.25 * 0.25, walls = spinning * rate;
  ExpectEntries(world.Advance(), {.kinetic = rotation_energy - 0.5,
                                  .contacts = rotation_energy - 0.5 - walls,
                                  .walls = walls,
                                  .dissipated = walls + 0.5 - rotation_energy});
}

TEST(EnergyBalance, ErrorReductionHasASeparateEntry) {
  for (const bool is_capped : {false, true}) {
    SmallWorld world;
    world.parameters.position_sweeps = 0;
    world.parameters.error_reduction = 0.5;
    world.parameters.max_correction_speed = is_capped ? 0.25 : 100.0;
    const double overlap = 1e-3;
    world.Add(Vec3(1, 0, 0), Vec3::Zero());
    world.Add(Vec3(-1 + overlap, 0, 0), Vec3::Zero());

    const double speed = is_capped ? 0.25 : 0.5;
    const double quarter = 0.25 * speed * speed;
    ExpectEntries(world.Advance(), {.kinetic = quarter,
                                    .contacts = quarter,
                                    .error_reduction = 2.0 * quarter,
                                    .dissipated = quarter});
  }
}

TEST(EnergyBalance, ReboundDoesNotCountAsErrorReduction) {
  Particles particles;
  AddSphere(particles, 0, Vec3(0, 0, 1), 1.0, Vec3(0, 0, -1));
  std::vector<SphereBody> bodies(2), mean;
  bodies[0] = {Vec3(0, 0, 0.5), 1.0, Vec3::Zero(), 1.0};  // rebounds at half of its speed
  for (const bool is_impact : {true, false}) {
    const std::vector<DetectedContact> contacts = {{Vec3::UnitZ(), -1e-3, 0, 1}};
    const std::vector<Index> impacts(is_impact ? 1 : 0, 0);
    ContactBatches batches;
    batches.Begin(1, 2);
    batches.Add({.normal = Vec3::UnitZ(), .bias = -0.5, .effective_mass = 1.0, .a = 0, .b = 1},
                Vec3(0, 0, 1.5));
    batches.End();
    FindMeans<SphereBody>(particles, bodies, {}, mean);
    const EnergyBalance balance = ComputeEnergyBalance<SphereBody>(
        particles, bodies, mean, Vec3::Zero(), contacts, impacts, batches);
    EXPECT_NEAR(balance.restitution, is_impact ? 0.75 : 0.0, kRounding);
    EXPECT_NEAR(balance.error_reduction, is_impact ? 0.0 : 0.75, kRounding);
    EXPECT_NEAR(balance.contacts, -0.375, kRounding);
    EXPECT_NEAR(balance.Imbalance(), 0.0, kRounding);
  }
}

TEST(EnergyBalance, ConvergedContactsNeverGainEnergy) {
  const Communicator world = Communicator::World();
  StepParameters parameters;
  parameters.solver.sweeps = 300;
  constexpr double kSolved = 1e-9;  // [m/s]; speeds are of order one
  int solved = 0;
  const Scene scene = PackingScene();
  State state = Packing(world);
  TimeStep step = test::Start(world, scene, parameters, state);
  step.EnableEnergyBalance(true);
  for (int k = 0; k < 20; ++k) {
    step.Advance(state);
    const EnergyBalance balance = SumOverRanks(world, step.Energy());
    // Error reduction cannot resolve a row of spheres squeezed between its periodic images until
    // the row has buckled.
    if (step.Report().residual_max > kSolved) continue;
    ++solved;
    EXPECT_GT(balance.dissipated, 0.0) << "step " << state.step;
  }
  EXPECT_GE(solved, 10);
}

TEST(EnergyBalance, EnergyBalanceDoesNotChangeTheMotion) {
  const Communicator world = Communicator::World();
  const Scene scene = test::SmallChannel();
  State balanced_state = test::FilledChannel(world, scene),
        plain_state = test::FilledChannel(world, scene);
  TimeStep with_balance = test::Start(world, scene, StepParameters{}, balanced_state);
  TimeStep without_balance = test::Start(world, scene, StepParameters{}, plain_state);
  with_balance.EnableEnergyBalance(true);
  for (int k = 0; k < 100; ++k) {
    with_balance.Advance(balanced_state);
    without_balance.Advance(plain_state);
    EXPECT_EQ(ExchangedEnergy(without_balance.Energy()), 0.0);
    EXPECT_GT(world.Sum(ExchangedEnergy(with_balance.Energy())), 0.0);
  }
  EXPECT_EQ(balanced_state.particles.velocity, plain_state.particles.velocity);
  EXPECT_EQ(balanced_state.particles.position, plain_state.particles.position);
  with_balance.EnableEnergyBalance(false);
  with_balance.Advance(balanced_state);
  EXPECT_EQ(ExchangedEnergy(with_balance.Energy()), 0.0);
}

}  // namespace
}  // namespace scree::energy_balance_test
