// Impacts that rebound: exact results for single impacts of all kinds, and a closed energy balance
// for simultaneous impacts.
#include <gtest/gtest.h>

#include "engine/particles/random.hpp"
#include "tests/support/single_impact.hpp"

namespace scree::rebound_test {
namespace {

using test::AddPlane;
using test::AddSphere;
using test::EnergyOf;
using test::ImpactCase;
using test::Mass;

// Relative to speeds of order one, and spins of order ten.
constexpr double kRounding = 1e-12;
// Relative to the initial energy: a few units of rounding of the sum of squares.
constexpr double kGain = 1e-14;

void SetRestitution(Scene& scene, double e) {
  scene.materials.SetRestitution(0, 0, {.constant = e});
}

// ---- single impacts

std::vector<ImpactCase> AllImpacts() {
  std::vector<ImpactCase> cases;
  for (const double angle : {0.0, 0.3, 1.2, 1.5}) {
    for (const Vec3& spin : {Vec3(0, 0, 0), Vec3(0, 1, 0), Vec3(0.3, 20, -1)}) {
      for (const double friction : {0.0, 0.4, 1e6}) {
        for (const double radius_b : {0.0, 0.1, 0.5, 3.0}) {
          for (const double gap : {-1e-3, 0.0, 0.3, 0.999, 1.7}) {
            for (const double e : {1e-3, 0.5, 0.9, 1.0}) {
              cases.push_back({angle, spin, friction, radius_b, gap, e});
            }
          }
        }
      }
    }
  }
  return cases;
}

double NormalVelocity(const test::ImpactSetting& setting, const DetectedContact& contact) {
  const Particles& p = setting.state.particles;
  const auto a = static_cast<std::size_t>(contact.a), b = static_cast<std::size_t>(contact.b);
  const Vec3& other_velocity =
      b < p.Size() ? p.velocity[b] : setting.scene.walls[b - p.Size()].velocity;
  return (p.velocity[a] - other_velocity).dot(contact.normal);
}

std::vector<StepParameters> SolverVariants() {
  std::vector<StepParameters> variants;
  for (const Kernel kernel : {Kernel::kSphere, Kernel::kMaxDissipation, Kernel::kCoulomb}) {
    for (const bool has_warm_start : {false, true}) {
      StepParameters parameters;
      parameters.solver.sweeps = has_warm_start ? 10 : 1;
      parameters.solver.kernel = kernel;
      parameters.warm_start = has_warm_start;
      variants.push_back(parameters);
    }
  }
  StepParameters jacobi;
  jacobi.solver.scheme = Scheme::kJacobi;
  jacobi.solver.sweeps = 400;  // many, because Jacobi converges slowly
  variants.push_back(jacobi);
  return variants;
}

/// Makes steps before, during and after one impact.
/// @returns the number of impacts
int StepThrough(const ImpactCase& impact, const StepParameters& solver) {
  constexpr int kSteps = 5;
  const Communicator self = Communicator::Self();
  test::ImpactSetting setting(impact, solver, Vec3(0.1, 0.2, 0));
  TimeStep step = test::Start(self, setting.scene, setting.parameters, setting.state);
  step.EnableEnergyBalance(true);
  const double initial_energy = EnergyOf(setting.state.particles);
  // A moving wall can do work by friction.
  const bool cannot_gain = impact.radius_b > 0.0 || impact.friction == 0.0;
  int impacts = 0;
  for (int k = 0; k < kSteps; ++k) {
    const test::ImpactSetting setting_before = setting;
    step.Advance(setting.state);
    if (cannot_gain) {
      EXPECT_LE(EnergyOf(setting.state.particles),
                EnergyOf(setting_before.state.particles) + kGain * initial_energy);
    }
    EXPECT_GE(step.Energy().dissipated, -kRounding * initial_energy);
    if (step.Contacts().empty() || step.Impulses()[0].isZero(0.0)) continue;
    const DetectedContact& contact = step.Contacts()[0];
    const double v_before = NormalVelocity(setting_before, contact),
                 v_after = NormalVelocity(setting, contact);
    EXPECT_LT(v_before, 0.0);
    EXPECT_NEAR(v_after, -impact.restitution * v_before, kRounding) << "step " << k;
    EXPECT_NEAR(step.Energy().restitution,
                step.Impulses()[0].dot(contact.normal) * impact.restitution * std::abs(v_before),
                kRounding * initial_energy);
    EXPECT_EQ(step.Energy().error_reduction, 0.0);
    ++impacts;
  }
  return impacts;
}

TEST(ReboundAlone, SingleImpactHasItsRestitutionAndGainsNoEnergy) {
  int impacts = 0;
  for (const StepParameters& solver : SolverVariants()) {
    for (const ImpactCase& impact : AllImpacts()) {
      const int impacts_of_case = StepThrough(impact, solver);
      // With small e a glancing sphere may meet the other sphere again.
      EXPECT_LE(impacts_of_case, impact.restitution < 0.1 ? 4 : 1) << impact;
      ASSERT_FALSE(testing::Test::HasFailure()) << impact << ", warm " << solver.warm_start;
      impacts += impacts_of_case;
    }
  }
  EXPECT_GT(impacts, 10'000);
}

TEST(Rebound, SingleImpactAcrossRanksHasItsRestitution) {
  const Communicator world = Communicator::World();
  for (const double e : {0.3, 1.0}) {
    Scene scene = test::EmptyScene(Vec3::Constant(-4), Vec3::Constant(4), 0.4);
    SetRestitution(scene, e);
    State state;
    const Vec3 n = Vec3(1, 1, 1).normalized();  // across every border
    if (world.IsRoot()) {
      AddSphere(state.particles, 0, 0.501 * n, 0.5, Vec3(-1, 0.3, 0), Vec3(3, 4, 5));
      AddSphere(state.particles, 1, -0.501 * n, 0.5, Vec3(0.2, 1, 0.5));
    }
    StepParameters parameters;
    parameters.dt = 3e-3;
    test::Run(world, scene, parameters, state, 1);
    const auto final_state = test::GatherById(world, state.particles);
    const double v_before = (Vec3(-1, 0.3, 0) - Vec3(0.2, 1, 0.5)).dot(n);
    EXPECT_NEAR((final_state.at(0).velocity - final_state.at(1).velocity).dot(n), -e * v_before,
                kRounding);
  }
}

TEST(ReboundAlone, RestitutionFollowsTheLawAtTheApproachSpeed) {
  const PairRestitution law{.law = "kuwabara-kono", .stiffness = 1e9, .dissipation = 1e-3};
  const Communicator self = Communicator::Self();
  for (const double speed : {0.1, 1.0, 3.0}) {
    Scene scene = test::EmptyScene(Vec3::Constant(-4), Vec3::Constant(4), 0.4);
    scene.materials.SetRestitution(0, 0, law);
    State state;
    AddSphere(state.particles, 0, Vec3(0.5, 0, 0), 0.5, Vec3(-speed, 0.1, 0));
    AddSphere(state.particles, 1, Vec3(-0.25, 0, 0), 0.25);
    test::Run(self, scene, {}, state, 1);
    const impact::ContactConstants contact{1.0 / (1.0 / Mass(0.5) + 1.0 / Mass(0.25)),
                                           law.stiffness, law.dissipation, 0.0};
    const double e = impact::ExactRestitution({impact::FindContactModel(law.law)}, contact, speed);
    EXPECT_GT(e, 0.1);
    EXPECT_LT(e, 0.97);
    const auto final_state = test::GatherById(self, state.particles);
    EXPECT_NEAR((final_state.at(0).velocity - final_state.at(1).velocity).x(), e * speed,
                impact::RestitutionTable::kUnloadedError * speed);
  }
}

TEST(ReboundAlone, SlowImpactsDoNotRebound) {
  const Communicator self = Communicator::Self();
  for (const double speed : {0.09, 0.11}) {
    Scene scene = test::EmptyScene(Vec3::Constant(-4), Vec3::Constant(4), 0.0);
    SetRestitution(scene, 0.5);
    scene.restitution_threshold = 0.1;
    AddPlane(scene, Vec3::Zero(), Vec3::UnitZ());
    State state;
    AddSphere(state.particles, 0, Vec3(0, 0, 0.5), 0.5, Vec3(0, 0, -speed));
    test::Run(self, scene, {}, state, 1);
    EXPECT_NEAR(state.particles.velocity[0].z(), speed > 0.1 ? 0.5 * speed : 0.0, kRounding);
  }
}

// ---- under gravity

/// Height to which a sphere above the floor z = 0 rises, or from which it has fallen [m]. Its
/// velocity belongs to the middle of its last step.
double HeightOf(const Particles& particles, double g, double last_step) {
  const double v = particles.velocity[0].z() - 0.5 * g * last_step;
  return particles.position[0].z() - particles.radius[0] + 0.5 * v * v / g;
}

/// Forces that accelerate a ball by g = 9.81 m/s².
enum class Forces { kGravity, kField, kGravityAndField, kGravityLessBuoyancy };

void AddForces(Forces forces, Scene& scene) {
  const Vec3 g(0, 0, -9.81);
  if (forces == Forces::kGravity) scene.gravity = g;
  if (forces == Forces::kField || forces == Forces::kGravityAndField) {
    scene.gravity = forces == Forces::kField ? Vec3(Vec3::Zero()) : Vec3(0.25 * g);
    ForceField field;
    field.acceleration = g - scene.gravity;
    scene.fields = {field};
  }
  if (forces == Forces::kGravityLessBuoyancy) {
    scene.gravity = 2.0 * g;
    scene.fluid.density = 0.5 * scene.materials[0].density;
    scene.fluid.viscosity = 1e-3;
    scene.fluid.drag = DragLaw::kNone;
  }
}

/// The initial height of a ball, and the heights to which it rises after each of the first bounces.
std::vector<double> HeightsOfABall(double e, const StepParameters& parameters, int bounces,
                                   Forces forces = Forces::kGravity) {
  Scene scene = test::EmptyScene(Vec3(-1, -1, 0), Vec3(1, 1, 3), 0.4);
  AddForces(forces, scene);
  SetRestitution(scene, e);
  AddPlane(scene, Vec3::Zero(), Vec3::UnitZ());
  State state;
  AddSphere(state.particles, 0, Vec3(0, 0, 0.51), 0.01);
  const Communicator self = Communicator::Self();
  TimeStep step = test::Start(self, scene, parameters, state);
  step.EnableEnergyBalance(true);
  std::vector<double> heights;
  while (heights.size() <= static_cast<std::size_t>(bounces)) {
    const double speed_before = state.particles.velocity[0].z();
    step.Advance(state);
    const double speed_after = state.particles.velocity[0].z();
    if (speed_before >= 0.0 && speed_after < 0.0) {
      heights.push_back(HeightOf(state.particles, 9.81, step.Length()));
    }
  }
  const double mass = test::Mass(0.01),
               rounding = 1e-12 * 9.81 * mass;  // rounding error of a fall by 1 m
  EXPECT_NEAR(state.energy.kinetic, KineticEnergyOf(state.particles, 0, 1.0 / mass, {}), rounding);
  EXPECT_NEAR(state.energy.Imbalance(), 0.0, rounding);
  return heights;
}

// The impact is computed at the beginning of a step, although the ball arrives during the step, and
// the step length changes during the run. The ball must still rise to the correct height.
TEST(ReboundAlone, BallRisesToESquaredTimesItsHeightAtEachBounce) {
  for (const double e : {0.99, 0.5}) {
    for (const double accuracy : {0.0, 0.01}) {
      StepParameters parameters;
      parameters.dt = accuracy > 0.0 ? kBaseStep : 2e-4;
      parameters.accuracy = accuracy;
      const std::vector<double> heights = HeightsOfABall(e, parameters, 4);
      for (std::size_t k = 1; k < heights.size(); ++k) {
        const double exact = e * e * heights[k - 1];
        EXPECT_NEAR(heights[k], exact, 1e-11 * exact) << e << " " << k;
      }
    }
  }
}

TEST(ReboundAlone, BallUnderOtherForcesReboundsAsUnderGravity) {
  for (const Forces forces :
       {Forces::kField, Forces::kGravityAndField, Forces::kGravityLessBuoyancy}) {
    for (const double accuracy : {0.0, 0.01}) {
      StepParameters parameters;
      parameters.dt = accuracy > 0.0 ? kBaseStep : 2e-4;
      parameters.accuracy = accuracy;
      const std::vector<double> heights = HeightsOfABall(0.7, parameters, 4, forces);
      for (std::size_t k = 1; k < heights.size(); ++k) {
        const double exact = 0.49 * heights[k - 1];
        EXPECT_NEAR(heights[k], exact, 1e-11 * exact) << static_cast<int>(forces) << " " << k;
      }
    }
  }
}

TEST(ReboundAlone, ColumnAtRestStaysAtRest) {
  Scene scene = test::EmptyScene(Vec3(-0.01, -0.01, 0), Vec3(0.01, 0.01, 0.03), 0.4);
  scene.gravity = Vec3(0, 0, -9.81);
  SetRestitution(scene, 0.95);
  AddPlane(scene, Vec3::Zero(), Vec3::UnitZ());
  State state;
  for (int k = 0; k < 10; ++k) AddSphere(state.particles, k, Vec3(0, 0, (2 * k + 1) * 1e-3), 1e-3);
  StepParameters parameters;
  parameters.solver.sweeps = 500;
  const Communicator self = Communicator::Self();
  const TimeStep step = test::Run(self, scene, parameters, state, 500);
  EXPECT_LT(step.Observe(state).max_speed, 1e-6 * 9.81 * parameters.dt);
}

// ---- simultaneous impacts

struct Cluster {
  const Communicator self = Communicator::Self();
  Scene scene;
  State state;
  StepParameters parameters;

  explicit Cluster(double e, double friction)
      : scene(test::EmptyScene(Vec3::Constant(-8), Vec3::Constant(8), friction)) {
    SetRestitution(scene, e);
    parameters.dt = 1e-3;
    parameters.solver.tolerance = 1e-13;
    parameters.solver.max_sweeps = 100'000;
    parameters.error_reduction = 0.0;
  }
  /// Advances one step and checks its energy balance.
  EnergyBalance Advance(TimeStep& step) {
    const double energy_before = EnergyOf(state.particles);
    step.Advance(state);
    EXPECT_NEAR(step.Energy().kinetic, EnergyOf(state.particles) - energy_before,
                1e-12 * energy_before);
    EXPECT_NEAR(step.Energy().Imbalance(), 0.0, 1e-12 * energy_before);
    return step.Energy();
  }
};

TEST(ReboundAlone, RowOfThreeGainsNoEnergyAndClosesItsBalance) {
  for (const double e : {0.5, 0.9, 1.0}) {
    Cluster row(e, 0.0);
    for (int k = 0; k < 3; ++k) {
      AddSphere(row.state.particles, k, Vec3(k - 1.0, 0, 0), 0.5, Vec3(k == 0 ? 1.0 : 0.0, 0, 0));
    }
    const double initial_energy = EnergyOf(row.state.particles);
    double energy = initial_energy;
    TimeStep step = test::Start(row.self, row.scene, row.parameters, row.state);
    step.EnableEnergyBalance(true);
    EnergyBalance total;
    for (int k = 0; k < 200; ++k) {
      total += row.Advance(step);
      const double energy_after = EnergyOf(row.state.particles);
      EXPECT_LE(energy_after, energy + 1e-12 * initial_energy) << "e " << e << ", step " << k;
      energy = energy_after;
    }
    EXPECT_NEAR(total.kinetic, energy - initial_energy, 1e-11 * initial_energy);
    EXPECT_NEAR(total.dissipated, initial_energy - energy, 1e-11 * initial_energy);
    EXPECT_GT(total.restitution, 0.0);
  }
}

TEST(ReboundAlone, RowReboundsEquallyWithAndWithoutGravity) {
  const double radius = 0.01;
  // Gaps in radii, and whether the row completes the impact at once (engine/README.md,
  // Restitution).
  for (const auto& [gap, is_immediate] : {std::pair(-1e-6, true),
                                          {-1e-12, true},
                                          {0.0, true},
                                          {1e-12, true},
                                          {1e-7, true},
                                          {2e-4, true},
                                          {1e-3, false}}) {
    for (const double gravity : {0.0, 1e-9, 9.81}) {
      Cluster row(1.0, 0.0);
      row.scene.gravity = Vec3(0, 0, -gravity);
      row.parameters.dt = 1e-5;
      for (int k = 0; k < 3; ++k) {
        AddSphere(row.state.particles, k,
                  Vec3((2.0 + gap) * radius * k - (k == 0 ? 0.3 * row.parameters.dt : 0.0), 0, 0),
                  radius, Vec3(k == 0 ? 1.0 : 0.0, 0, 0));
      }
      test::Run(row.self, row.scene, row.parameters, row.state, 20);
      const auto final_state = test::GatherById(row.self, row.state.particles);
      const Vec3 expected = is_immediate ? Vec3(-1.0 / 3.0, 2.0 / 3.0, 2.0 / 3.0) : Vec3::UnitZ();
      const double tolerance =
          5.0 * gravity * row.parameters.dt + 1e-9;  // rebound threshold and rounding
      for (int k = 0; k < 3; ++k) {
        EXPECT_NEAR(final_state.at(k).velocity.x(), expected[k], tolerance)
            << "sphere " << k << ", gap " << gap << " r, gravity " << gravity;
      }
    }
  }
}

TEST(ReboundAlone, InelasticPairGainsNoEnergyFromAnElasticPair) {
  for (const double last_speed :
       {0.1, 0.5, 0.9}) {  // speed of the last sphere, which touches the second one
    Cluster row(0.0, 0.0);
    const MaterialId elastic = row.scene.materials.Add({"elastic", 2650.0}, 0.0, {.constant = 1.0});
    row.scene.materials.SetRestitution(0, elastic, {.constant = 0.0});
    for (int k = 0; k < 3; ++k) {
      AddSphere(row.state.particles, k, Vec3(k - 1.0, 0, 0), 0.5,
                Vec3(k == 0   ? 1.0
                     : k == 2 ? last_speed
                              : 0.0,
                     0, 0));
      row.state.particles.material.back() = k < 2 ? elastic : 0;
    }
    double energy = EnergyOf(row.state.particles);
    const double initial_energy = energy;
    TimeStep step = test::Start(row.self, row.scene, row.parameters, row.state);
    step.EnableEnergyBalance(true);
    for (int k = 0; k < 20; ++k) {
      row.Advance(step);
      const double energy_after = EnergyOf(row.state.particles);
      EXPECT_LE(energy_after, energy + 1e-12 * initial_energy)
          << "ahead " << last_speed << ", step " << k;
      energy = energy_after;
    }
  }
}

TEST(ReboundAlone, RandomClustersGainNoEnergy) {
  for (const auto& [friction, e] : {std::pair(0.0, 0.5), {0.0, 1.0}, {0.4, 0.5}, {0.4, 0.9}}) {
    for (int trial = 0; trial < 40; ++trial) {
      Cluster cluster(e, friction);
      const auto random = [&](std::uint64_t draw) { return UniformAroundZero(11, trial, draw); };
      for (int k = 0; k < 8; ++k) {
        const Vec3 site(k % 2, k / 2 % 2, k / 4);
        const auto number = static_cast<std::uint64_t>(12 * k);
        AddSphere(cluster.state.particles, k, 1.001 * site, 0.5 - 0.0005 * (1.0 + random(number)),
                  Vec3(random(number + 1), random(number + 2), random(number + 3)) -
                      0.7 * (site - Vec3::Constant(0.5)),
                  5.0 * Vec3(random(number + 4), random(number + 5), random(number + 6)));
      }
      const double initial_energy = EnergyOf(cluster.state.particles);
      double energy = initial_energy;
      TimeStep step = test::Start(cluster.self, cluster.scene, cluster.parameters, cluster.state);
      step.EnableEnergyBalance(true);
      for (int k = 0; k < 20; ++k) {
        const EnergyBalance balance = cluster.Advance(step);
        EXPECT_GE(balance.dissipated, -1e-9 * initial_energy);
        const double energy_after = EnergyOf(cluster.state.particles);
        EXPECT_LE(energy_after, energy + 1e-9 * initial_energy)
            << "friction " << friction << ", e " << e << ", trial " << trial << ", step " << k;
        energy = energy_after;
      }
      EXPECT_LE(energy, (e < 1.0 ? 0.999 : 1.0 + 1e-9) * initial_energy);
    }
  }
}

/// A gas of spheres of several sizes between walls.
TEST(Rebound, GasAndItsEnergyBalanceDoNotDependOnTheRanks) {
  const Communicator world = Communicator::World(), self = Communicator::Self();
  Scene scene = test::EmptyScene(Vec3::Zero(), Vec3(0.02, 0.016, 0.02), 0.0);
  scene.domain.periodic = {true, true, false};
  AddPlane(scene, Vec3::Zero(), Vec3::UnitZ());
  AddPlane(scene, Vec3(0, 0, 0.02), -Vec3::UnitZ());
  SetRestitution(scene, 0.8);
  StepParameters parameters;
  parameters.solver.sweeps = 200;
  const auto run = [&](const Communicator& communicator) {
    State state;
    for (ParticleId id = 0; communicator.IsRoot() && id < 800; ++id) {
      const auto random = [&](std::uint64_t draw) { return UniformAroundZero(9, id, draw); };
      const Vec3 site(static_cast<double>(id % 10), static_cast<double>(id / 10 % 8),
                      static_cast<double>(id / 80));
      AddSphere(state.particles, id, 0.002 * (site + Vec3::Constant(0.5)),
                0.6e-3 + 2e-4 * random(0), 3.0 * Vec3(random(1), random(2), random(3)));
    }
    TimeStep step = test::Start(communicator, scene, parameters, state);
    step.EnableEnergyBalance(true);
    for (int k = 0; k < 60; ++k) step.Advance(state);
    return std::pair(test::GatherById(communicator, state.particles),
                     SumOverRanks(communicator, state.energy));
  };
  const auto [parallel, balance] = run(world);
  if (!world.IsRoot()) return;  // one rank computes the reference for all
  const auto [serial, expected] = run(self);
  ASSERT_EQ(parallel.size(), serial.size());
  // Within several free paths, impacts amplify rounding errors to less than this.
  constexpr double kAgreement = 1e-8;
  for (const auto& [id, sphere] : serial) {
    EXPECT_LT((parallel.at(id).velocity - sphere.velocity).norm(), kAgreement) << id;
  }
  EXPECT_GT(expected.restitution, 0.05 * expected.dissipated);
  EXPECT_NEAR(balance.restitution, expected.restitution, kAgreement * expected.restitution);
  EXPECT_NEAR(balance.dissipated, expected.dissipated, kAgreement * expected.dissipated);
}

}  // namespace
}  // namespace scree::rebound_test
