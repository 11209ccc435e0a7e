// Dissipation per contact: zero at rest, otherwise the energy lost in impacts and by sliding. The
// sum over all contacts equals the dissipation in the energy balance.
#include "engine/observation/contact_dissipation.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "engine/particles/random.hpp"
#include "tests/support/clump_scenes.hpp"
#include "tests/support/scenes.hpp"

namespace scree::contact_dissipation_test {
namespace {

double Sum(const Communicator& world, const std::vector<double>& energies) {
  return world.Sum(std::accumulate(energies.begin(), energies.end(), 0.0));
}

/// Spheres of a loose packing that collide above a floor.
State CollidingSpheres(const Communicator& world) {
  State state;
  for (ParticleId id = 0; world.IsRoot() && id < 300; ++id) {
    const auto random = [&](std::uint64_t draw) { return UniformAroundZero(9, id, draw); };
    const Vec3 site(static_cast<double>(id % 10), static_cast<double>(id / 10 % 6),
                    static_cast<double>(id / 60));
    test::AddSphere(state.particles, id, 0.002 * (site + Vec3::Constant(0.5)),
                    0.985e-3 + 4e-5 * random(0), Vec3(random(1), random(2), random(3)),
                    100.0 * Vec3(random(4), random(5), random(6)));
  }
  return state;
}

struct Case {
  const char* name;
  Kernel kernel = Kernel::kSphere;
  double restitution = 0.0;
  bool has_laws = false;
  int position_sweeps = 3;
  bool has_free_lid = false;
};

TEST(ContactDissipation, SumOverContactsEqualsTheEnergyBalance) {
  const Communicator world = Communicator::World();
  for (const Case& test_case : {Case{"spheres"},
                                {"maximum dissipation", Kernel::kMaxDissipation},
                                {"Coulomb", Kernel::kCoulomb},
                                {"rebound", Kernel::kSphere, 0.8},
                                {"rolling and cohesion", Kernel::kSphere, 0.0, true},
                                {"Baumgarte", Kernel::kSphere, 0.0, false, 0},
                                {"free lid", Kernel::kSphere, 0.0, false, 3, true}}) {
    SCOPED_TRACE(test_case.name);
    Scene scene = test::EmptyScene(Vec3::Zero(), Vec3(0.02, 0.012, 0.02), 0.4);
    scene.domain.periodic = {true, true, false};
    scene.gravity = Vec3(0.5, 0, -9.81);
    test::AddPlane(scene, Vec3::Zero(), Vec3::UnitZ(), Vec3(0.3, 0.1, 0.02));
    scene.walls[0].rotation = {Vec3(0.01, 0.006, 0), Vec3(0, 0, 60)};
    scene.walls[0].oscillation = {Vec3(0, 1e-4, 1e-4), 200.0, 0.3};
    if (test_case.has_free_lid) {
      test::AddPlane(scene, Vec3(0, 0, 0.0101), -Vec3::UnitZ());
      scene.walls[1].axis = -Vec3::UnitZ();
      scene.walls[1].free.freedom = Freedom::kAlong;
      scene.walls[1].free.mass = 0.05;
      scene.walls[1].free.force = 1.0;
    }
    scene.materials.SetRestitution(0, 0, {.constant = test_case.restitution});
    if (test_case.has_laws) {
      scene.materials.SetLaw<RollingLaw>(0, 0, {0.2, 0.1});
      scene.materials.SetLaw<CohesionLaw>(0, 0, {.force = 1e-4});
    }
    StepParameters parameters;
    parameters.solver.kernel = test_case.kernel;
    parameters.position_sweeps = test_case.position_sweeps;
    // A scene must not combine Baumgarte stabilisation with a warm start.
    parameters.warm_start = test_case.position_sweeps > 0;
    State state = CollidingSpheres(world);
    TimeStep step = test::Start(world, scene, parameters, state);
    step.EnableEnergyBalance(true);
    step.KeepDissipation(true);
    double total = 0.0;
    for (int k = 0; k < 20; ++k) {
      step.Advance(state);
      ASSERT_EQ(step.Dissipation().size(), step.Contacts().size());
      const double dissipated = SumOverRanks(world, step.Energy()).dissipated;
      EXPECT_NEAR(Sum(world, step.Dissipation()), dissipated,
                  1e-12 * std::max(std::abs(dissipated), 1e-6));
      total += dissipated;
    }
    EXPECT_GT(total, 1e-6);
  }
}

TEST(ContactDissipation, DissipationOfAnObliqueImpactIsTheEnergyLoss) {
  const Communicator world = Communicator::World();
  for (const double e : {0.0, 0.6, 1.0}) {
    Scene scene = test::EmptyScene(Vec3::Zero(), Vec3(0.02, 0.012, 0.02), 0.2);
    scene.materials.SetRestitution(0, 0, {.constant = e});
    State state;
    if (world.IsRoot()) {
      test::AddSphere(state.particles, 0, Vec3(0.009, 0.006, 0.01), 1e-3, Vec3(1, 0.4, 0));
      test::AddSphere(state.particles, 1, Vec3(0.011, 0.006, 0.01), 1e-3, Vec3(-1, 0, 0.3),
                      Vec3(0, 50, 0));
    }
    TimeStep step = test::Start(world, scene, StepParameters(), state);
    step.KeepDissipation(true);
    const double energy_before = step.Observe(state).kinetic_energy;
    step.Advance(state);
    const double energy_loss = energy_before - step.Observe(state).kinetic_energy;
    EXPECT_GT(energy_loss, 0.0);  // friction dissipates even if e = 1
    EXPECT_NEAR(Sum(world, step.Dissipation()), energy_loss, 1e-12 * energy_before);
  }
}

TEST(ContactDissipation, DissipationOfAClumpImpactIsTheEnergyLoss) {
  const Communicator world = Communicator::World();
  if (world.Size() > 1) return;
  for (const double e : {0.0, 0.7}) {
    constexpr double r = 1e-3, angle = 0.6;
    Scene scene = test::EmptyScene(Vec3::Constant(-0.01), Vec3::Constant(0.01), 0.3);
    test::AddPlane(scene, Vec3::Zero(), Vec3::UnitZ());
    scene.materials.SetRestitution(0, 0, {.constant = e});
    const ShapeId shape = test::AddShape(scene, test::Dumbbell(r));
    State state;
    test::AddClump(scene, state.particles, 0, shape, Vec3(0.0, 0.0, r * (1.0 + std::sin(angle))),
                   RotationBy(Vec3(0.0, angle, 0.0)), Vec3(0.2, 0.0, -1.0));
    StepParameters parameters;
    parameters.solver.kernel = Kernel::kMaxDissipation;
    parameters.solver.sweeps = 200;
    TimeStep step = test::Start(world, scene, parameters, state);
    step.KeepDissipation(true);
    const double energy_before = step.Observe(state).kinetic_energy;
    step.Advance(state);
    const double energy_loss = energy_before - step.Observe(state).kinetic_energy;
    EXPECT_GT(energy_loss, 0.0);
    EXPECT_NEAR(Sum(world, step.Dissipation()), energy_loss, 1e-9 * energy_before);
  }
}

/// A sphere with weight above a floor that may oscillate.
struct SphereAboveFloor {
  Communicator self = Communicator::Self();
  Scene scene = test::EmptyScene(Vec3(-1, -1, -0.1), Vec3(1, 1, 1), 0.5);
  StepParameters parameters;
  State state;
  TimeStep step;

  SphereAboveFloor(double dt, double height, const Vec3& velocity,
                   const Oscillation& oscillation = {}, double restitution = 0.0)
      : step(MakeStep(dt, height, velocity, oscillation, restitution)) {}
  TimeStep MakeStep(double dt, double height, const Vec3& velocity, const Oscillation& oscillation,
                    double restitution) {
    scene.gravity = Vec3(0, 0, -9.81);
    scene.materials.SetRestitution(0, 0, {.constant = restitution});
    test::AddPlane(scene, Vec3::Zero(), Vec3::UnitZ());
    scene.walls[0].oscillation = oscillation;
    parameters.dt = dt;
    test::AddSphere(state.particles, 0, Vec3(0, 0, kRadius + height), kRadius, velocity);
    TimeStep started = test::Start(self, scene, parameters, state);
    started.EnableEnergyBalance(true);
    started.KeepDissipation(true);
    return started;
  }
  void Run(double time) {
    const auto steps = static_cast<int>(std::lround(time / parameters.dt));
    for (int k = 0; k < steps; ++k) {
      step.Advance(state);
      for (const double energy : step.Dissipation()) contact_sum += energy;
    }
    const double tolerance = 1e-12 * test::Mass(kRadius) * 9.81 * time;
    EXPECT_NEAR(contact_sum, state.energy.dissipated, tolerance);
  }
  double contact_sum = 0.0;
  static constexpr double kRadius = 2e-3;
};

// If the velocity change by the weight counted as approach, the dissipation would be m g² dt/2 per
// second.
TEST(ContactDissipation, RestDissipatesNothingInStepsOfAnyLength) {
  if (!test::IsSingleRank()) return;
  const double weight = 9.81 * test::Mass(SphereAboveFloor::kRadius);
  for (const double dt : {1e-3, 2.5e-4}) {
    SphereAboveFloor setup(dt, 0.0, Vec3::Zero());
    setup.Run(1.0);
    EXPECT_NEAR(setup.state.energy.forces, 0.0, 1e-15);
    EXPECT_LT(std::abs(setup.state.energy.dissipated), 1e-12 * weight * 9.81 * dt);
  }
}

// On a table that oscillates with 0.9 g no sphere lifts off. All energy returns to the table.
TEST(ContactDissipation, RestOnAnOscillatingTableDissipatesNothing) {
  if (!test::IsSingleRank()) return;
  constexpr double kFrequency = 20.0, kAngular = 2.0 * 3.14159265358979 * kFrequency;
  const double amplitude = 0.9 * 9.81 / (kAngular * kAngular);
  for (const double phase : {0.5 * 3.14159265358979, 0.3}) {
    SphereAboveFloor setup(1e-3, 0.0, Vec3::Zero(), {Vec3(0, 0, amplitude), kFrequency, phase});
    setup.Run(1e-3);  // the table starts with a jump of velocity, which is an impact
    const EnergyBalance first = setup.state.energy;
    setup.Run(1.0);
    const double wall_work = test::Mass(SphereAboveFloor::kRadius) * 9.81 * amplitude;
    EXPECT_LT(std::abs(setup.state.energy.dissipated - first.dissipated), 1e-9 * wall_work)
        << phase;
    EXPECT_GT(setup.step.Observe(setup.state).loaded_contacts, 0);
  }
}

// The dissipation and the work of the projection add up to the initial potential energy for any
// step length, even if many rebounds happen within one step.
TEST(ContactDissipation, FallToRestDissipatesWeightTimesHeight) {
  if (!test::IsSingleRank()) return;
  constexpr double kHeight = 0.05;
  for (const double restitution : {0.0, 0.5}) {
    for (const double dt : {1e-3, 3e-4, 1.1e-4}) {
      SphereAboveFloor setup(dt, kHeight, Vec3::Zero(), {}, restitution);
      setup.Run(0.6);
      const double fallen =
          SphereAboveFloor::kRadius + kHeight - setup.state.particles.position[0].z();
      EXPECT_NEAR(fallen, kHeight, 1e-9);
      const EnergyBalance& energy = setup.state.energy;
      const double expected = test::Mass(SphereAboveFloor::kRadius) * 9.81 * kHeight;
      EXPECT_NEAR(energy.dissipated + energy.projection, expected, 1e-7 * expected)
          << restitution << " " << dt;
    }
  }
}

// A sphere that slides until it rolls loses two sevenths of its energy.
TEST(ContactDissipation, SlidingDissipatesTheWorkOfFriction) {
  if (!test::IsSingleRank()) return;
  for (const double dt : {1e-3, 1e-4}) {
    SphereAboveFloor setup(dt, 0.0, Vec3(1, 0, 0));
    setup.Run(0.3);
    const double kinetic = 0.5 * test::Mass(SphereAboveFloor::kRadius);
    EXPECT_NEAR(setup.state.particles.velocity[0].x(), 5.0 / 7.0, 1e-9);
    EXPECT_NEAR(setup.state.energy.dissipated, 2.0 / 7.0 * kinetic, 1e-9 * kinetic) << dt;
  }
}

// A drum carries a weightless sphere, which is at rest relative to the drum. The velocity rotates
// by an angle θ per step. The sphere moves along chords, so that a dissipation of order θ³ remains.
// If the contact did not use the wall's velocity of the previous step, the order would be θ².
TEST(ContactDissipation, SphereInADrumDissipatesNothingToSecondOrder) {
  if (!test::IsSingleRank()) return;
  constexpr double kRate = 30.0, kDrum = 0.1, kRadius = 2e-3, kArm = kDrum - kRadius;
  Scene scene = test::EmptyScene(Vec3::Constant(-0.11), Vec3::Constant(0.11), 0.5);
  scene.walls.push_back({"drum", {{Pipe{Vec3(0, 0, -0.1), Vec3(0, 0, 0.1), kDrum}}}});
  scene.walls[0].rotation = {Vec3::Zero(), Vec3(0, 0, kRate)};
  const Communicator self = Communicator::Self();
  const auto dissipated = [&](double dt) {
    State state;
    test::AddSphere(state.particles, 0, Vec3(kArm, 0, 0), kRadius, Vec3(0, kRate * kArm, 0),
                    Vec3(0, 0, kRate));
    StepParameters parameters;
    parameters.dt = dt;
    TimeStep step = test::Start(self, scene, parameters, state);
    step.EnableEnergyBalance(true);
    for (int k = 0; k < std::lround(0.5 / dt); ++k) step.Advance(state);
    EXPECT_GT(step.Observe(state).loaded_contacts, 0);
    return std::abs(state.energy.dissipated);
  };
  const double kinetic = 0.5 * test::Mass(kRadius) * kRate * kRate * kArm * kArm;
  const double coarse = dissipated(1e-3), fine = dissipated(2.5e-4);
  EXPECT_LT(coarse, 0.06 * kinetic);
  EXPECT_LT(fine, 0.1 * coarse);
}

}  // namespace
}  // namespace scree::contact_dissipation_test
