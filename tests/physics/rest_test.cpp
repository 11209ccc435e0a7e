// A system at rest stays at rest: forces do not change from step to step, for any parameters.
#include <gtest/gtest.h>

#include <cmath>
#include <tuple>

#include "engine/particles/random.hpp"
#include "tests/support/scenes.hpp"

namespace scree::rest_test {
namespace {

constexpr double kRadius = 1e-3, kGravity = 9.81;

StepParameters ParametersOf(double dt) {
  StepParameters parameters;
  parameters.dt = dt;
  return parameters;
}

/// A floor, periodic along x and y.
Scene Floor(double width, double height) {
  Scene scene = test::EmptyScene(Vec3::Zero(), Vec3(width, width, height), 0.5);
  scene.domain.periodic = {true, true, false};
  scene.gravity = Vec3(0, 0, -kGravity);
  test::AddPlane(scene, Vec3::Zero(), Vec3::UnitZ());
  return scene;
}

/// 4 x 4 x `layers` spheres slightly apart, which fall and settle.
/// @param ratio  of the largest to the smallest radius
State Bed(const Communicator& communicator, int layers, double ratio = 1.0) {
  State state;
  if (!communicator.IsRoot()) return state;
  for (ParticleId id = 0; id < 16 * layers; ++id) {
    const auto random = [&](std::uint64_t draw) { return UniformAroundZero(7, id, draw); };
    const Vec3 site(static_cast<double>(id % 4), static_cast<double>(id / 4 % 4),
                    static_cast<double>(id / 16));
    const double radius = kRadius * std::pow(ratio, 0.5 * (random(0) - 1.0));
    test::AddSphere(state.particles, id, 2.1 * kRadius * (site + Vec3::Constant(0.5)), radius,
                    0.05 * Vec3(random(1), random(2), random(3)));
  }
  return state;
}

/// Weight of the particles on all ranks [N].
double Weight(const Communicator& communicator, const State& state) {
  double mass = 0.0;
  for (std::size_t i = 0; i < state.particles.owned; ++i) {
    mass += test::Mass(state.particles.radius[i]);
  }
  return kGravity * communicator.Sum(mass);
}

struct FloorForce {
  double mean = 0.0, deviation = 0.0;  // relative to the weight
};

/// Mean and deviation of the force on the floor in the next steps.
FloorForce FloorForceDuring(int steps, const Communicator& communicator, TimeStep& step,
                            State& state) {
  step.EnableWallLoads(true);
  const double weight = Weight(communicator, state);
  double sum = 0.0, squares = 0.0;
  for (int k = 0; k < steps; ++k) {
    step.Advance(state);
    const double force = -step.Observe(state).wall_loads[0].force.z() / weight;
    sum += force;
    squares += (force - 1.0) * (force - 1.0);
  }
  const double mean = sum / steps;
  return {mean, std::sqrt(std::max(0.0, squares / steps - (mean - 1.0) * (mean - 1.0)))};
}

TEST(Rest, FloorCarriesExactlyTheWeightOfABed) {
  const Communicator world = Communicator::World();
  for (const double ratio : {1.0, 5.0}) {
    if (ratio == 1.0 && !test::IsSingleRank()) continue;
    const Scene scene = Floor(8.4e-3, 0.05);
    State state = Bed(world, 12, ratio);
    constexpr int kSettlingSteps = 4000;  // single spheres still move for up to 3500 steps
    TimeStep step = test::Run(world, scene, ParametersOf(1e-4), state, kSettlingSteps);
    const FloorForce force = FloorForceDuring(100, world, step, state);
    EXPECT_NEAR(force.mean, 1.0, 1e-3) << ratio;
    EXPECT_LT(force.deviation, 1e-3) << ratio;
    const Observables observed = step.Observe(state);
    // Nearly all touching contacts carry load. In a ringing pile a quarter of them would not.
    EXPECT_GT(static_cast<double>(observed.loaded_contacts),
              0.95 * static_cast<double>(observed.closed_contacts));
    EXPECT_LT(observed.max_penetration, 2.0 * kSlopRadii * kRadius);
  }
}

TEST(RestAlone, StackOfAHundredSpheresStands) {
  constexpr int kSpheres = 100;
  const Communicator self = Communicator::Self();
  Scene scene = Floor(8e-3, 0.25);
  State state;
  for (int k = 0; k < kSpheres; ++k) {
    test::AddSphere(state.particles, k, Vec3(4e-3, 4e-3, (2.02 * k + 1.01) * kRadius), kRadius);
  }
  TimeStep step = test::Start(self, scene, ParametersOf(1e-4), state);
  for (int k = 0; k < 10000; ++k) {
    step.Advance(state);
    if (k % 100 != 0) continue;
    for (std::size_t i = 0; i < state.particles.owned; ++i) {
      const auto id = static_cast<double>(state.particles.id[i]);
      ASSERT_LT(state.particles.position[i].z(), (2.02 * id + 1.01 + 1e-3) * kRadius) << k;
    }
  }
  const FloorForce force = FloorForceDuring(200, self, step, state);
  EXPECT_NEAR(force.mean, 1.0, 2e-3);
  EXPECT_LT(force.deviation, 2e-3);
  EXPECT_LT(step.Observe(state).max_speed, 1e-4);
}

// Ten sweeps solve the fraction a = 1 - cos(pi/41)^20 = 0.057 of the slowest mode of 20 spheres.
// Error reduction through velocities (Baumgarte stabilisation) is stable for eps < a/(1 - a) =
// 0.061 (solvers/README.md).
TEST(RestAlone, StrongErrorReductionThroughVelocitiesRings) {
  const Communicator self = Communicator::Self();
  const auto deviation = [&](double error_reduction) {
    Scene scene = Floor(8e-3, 0.05);
    State state;
    for (int k = 0; k < 20; ++k) {
      test::AddSphere(state.particles, k, Vec3(4e-3, 4e-3, (2.0 * k + 1.0) * kRadius), kRadius);
    }
    StepParameters parameters = ParametersOf(1e-4);
    parameters.position_sweeps = 0;
    parameters.error_reduction = error_reduction;
    TimeStep step = test::Run(self, scene, parameters, state, 6000);
    return FloorForceDuring(200, self, step, state).deviation;
  };
  EXPECT_LT(deviation(0.02), 1e-6);
  EXPECT_GT(deviation(0.2), 0.1);
}

/// Kinetic energy relative to the energy of a fall by one radius.
double RelativeEnergy(const Communicator& communicator, const TimeStep& step, const State& state) {
  return step.Observe(state).kinetic_energy / (Weight(communicator, state) * kRadius);
}

/// Eight settled layers, shared by all tests. Collective.
const State& BedAtRest() {
  static const State bed = [] {
    const Communicator world = Communicator::World();
    State state = Bed(world, 8);
    test::Run(world, Floor(8.4e-3, 0.05), ParametersOf(1e-4), state, 2500);
    Resize(state.particles, state.particles.owned);  // without ghosts
    return state;
  }();
  return bed;
}

TEST(Rest, HeavyBallKeepsABedAtRestForAnyNumberOfSweeps) {
  const Communicator world = Communicator::World();
  const Scene scene = Floor(8.4e-3, 0.05);
  for (const int sweeps : {5, 100}) {
    StepParameters parameters = ParametersOf(1e-4);
    parameters.solver.momentum = 0.85;
    parameters.solver.sweeps = sweeps;
    State state = BedAtRest();
    // The time until the last sphere has settled depends on the number of ranks.
    TimeStep step = test::Run(world, scene, parameters, state, 500);
    const FloorForce force = FloorForceDuring(100, world, step, state);
    EXPECT_NEAR(force.mean, 1.0, 1e-3) << sweeps;
    EXPECT_LT(force.deviation, 1e-3) << sweeps;
  }
}

TEST(Rest, BedAtRestGainsNoEnergyForAnyParameters) {
  const Communicator world = Communicator::World();
  const Scene scene = Floor(8.4e-3, 0.05);
  for (const double dt : {1e-5, 1e-4}) {
    if (dt < 1e-4 && !test::IsSingleRank()) continue;
    for (const int sweeps : {2, 3, 10}) {  // one sweep with a warm start is an error
      for (const Scheme scheme : {Scheme::kGaussSeidel, Scheme::kJacobi}) {
        StepParameters parameters = ParametersOf(dt);
        parameters.solver.sweeps = sweeps;
        parameters.position_sweeps = sweeps;
        parameters.solver.scheme = scheme;
        State state = BedAtRest();
        TimeStep step = test::Start(world, scene, parameters, state);
        double max_energy = 0.0;
        for (int k = 0; k < 300; ++k) {
          step.Advance(state);
          if (k % 50 == 49) max_energy = std::max(max_energy, RelativeEnergy(world, step, state));
        }
        EXPECT_LT(max_energy, 0.05)
            << "dt " << dt << ", sweeps " << sweeps << ", scheme " << static_cast<int>(scheme);
      }
    }
  }
}

TEST(Rest, RemovalOfOverlapsAddsNoMomentumAndNoEnergy) {
  const Communicator world = Communicator::World();
  Scene scene = test::EmptyScene(Vec3::Zero(), Vec3(0.04, 0.04, 0.04), 0.5);
  State state;
  if (world.IsRoot()) {
    for (ParticleId id = 0; id < 125; ++id) {
      const Vec3 site(static_cast<double>(id % 5), static_cast<double>(id / 5 % 5),
                      static_cast<double>(id / 25));
      test::AddSphere(state.particles, id, Vec3::Constant(0.015) + 1.9 * kRadius * site, kRadius);
    }
  }
  TimeStep step = test::Start(world, scene, ParametersOf(1e-4), state);
  step.Advance(state);
  EXPECT_NEAR(step.Observe(state).max_penetration, 0.1 * kRadius, 1e-9);
  for (int k = 0; k < 200; ++k) step.Advance(state);
  const Observables observed = step.Observe(state);
  EXPECT_LT(observed.max_penetration, 2.0 * kSlopRadii * kRadius);
  EXPECT_EQ(observed.max_speed, 0.0);
  Vec3 centre = Vec3::Zero();
  const auto spheres = test::GatherById(world, state.particles);
  for (const auto& [id, sphere] : spheres)
    centre += sphere.position / static_cast<double>(spheres.size());
  EXPECT_LT((centre - Vec3::Constant(0.015 + 3.8 * kRadius)).norm(), 1e-12 * kRadius);
}

}  // namespace
}  // namespace scree::rest_test
