// Spheres that attract each other on contact, compared with statics, on any number of ranks.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "engine/particles/random.hpp"
#include "tests/support/schemes.hpp"

namespace scree::cohesion_test {
namespace {

constexpr double kGravity = 9.81, kRadius = 0.01;
const double kWeight = test::Mass(kRadius) * kGravity;

/// A chain of spheres that hangs from a ceiling at z = 0 and crosses the borders of subdomains.
struct Chain {
  static constexpr int kSpheres = 8;
  const Communicator world = Communicator::World();
  Scene scene = test::EmptyScene(Vec3(-0.1, -0.1, -0.4), Vec3(0.1, 0.1, 0.0), 0.3);
  State state;
  StepParameters parameters;

  explicit Chain(const PairCohesion& cohesion, int spheres = kSpheres) {
    scene.materials.SetLaw<CohesionLaw>(0, 0, cohesion);
    scene.gravity = Vec3(0, 0, -kGravity);
    test::AddPlane(scene, Vec3::Zero(), -Vec3::UnitZ());
    for (int k = 0; world.IsRoot() && k < spheres; ++k) {
      test::AddSphere(state.particles, k, Vec3(0, 0, -(2 * k + 1) * kRadius), kRadius);
    }
    parameters.dt = 1e-4;
    parameters.solver.sweeps = 50;
  }
  /// Runs a number of steps. @returns the distance by which sphere k has then fallen [m]
  double FallOf(int k, int steps = 500) {
    test::Run(world, scene, parameters, state, steps);
    const double height = test::GatherById(world, state.particles).at(k).position.z();
    return -(2 * k + 1) * kRadius - height;
  }
};

class Cohesion : public testing::TestWithParam<test::NamedScheme> {};
INSTANTIATE_TEST_SUITE_P(All, Cohesion, testing::ValuesIn(test::kSchemes), test::NameOfScheme);

TEST(CohesionAlone, SphereHangsUpToThePullOffForceAndFallsBeyondIt) {
  constexpr double kMargin = 1e-10;
  EXPECT_LT(Chain({.force = (1.0 + kMargin) * kWeight}, 1).FallOf(0), 1e-13);
  // The missing force accelerates the sphere until it has left the range of attraction. Then it
  // falls freely.
  Chain weaker({.force = (1.0 - kMargin) * kWeight, .range = 0.0}, 1);
  const double distance = weaker.FallOf(0);
  EXPECT_NEAR(distance, 0.5 * kGravity * 0.05 * 0.05, 1e-4);
}

/// The attraction acts before the sweeps, also for contacts that start with zero impulse.
TEST(CohesionAlone, OneSweepHoldsASphereWithoutWarmStart) {
  for (const Scheme scheme : {Scheme::kGaussSeidel, Scheme::kJacobi}) {
    Chain chain({.force = 1.5 * kWeight}, 1);
    chain.parameters.warm_start = false;
    chain.parameters.solver.scheme = scheme;
    chain.parameters.solver.sweeps = 1;
    EXPECT_LT(std::abs(chain.FallOf(0)), 1e-13);
  }
}

TEST(CohesionAlone, PullOffForceIsProportionalToTheRadius) {
  const double min_adhesion = kWeight / (1.5 * std::numbers::pi * kRadius);  // [J/m²]
  EXPECT_LT(Chain({.adhesion = 1.001 * min_adhesion}, 1).FallOf(0), 1e-13);
  EXPECT_GT(Chain({.adhesion = 0.999 * min_adhesion}, 1).FallOf(0), 1e-8);
}

TEST(CohesionAlone, ForceOnTheCeilingIsTheWeight) {
  Chain chain({.force = 3.0 * kWeight}, 1);
  TimeStep step = test::Start(chain.world, chain.scene, chain.parameters, chain.state);
  step.EnableWallLoads(true);
  for (int k = 0; k < 10; ++k) step.Advance(chain.state);
  const Observables observed = step.Observe(chain.state);
  EXPECT_NEAR(observed.wall_loads.at(0).force.z(), -kWeight, 1e-12 * kWeight);
}

TEST_P(Cohesion, ChainHoldsIfItsTopContactCanCarryTheWeight) {
  const double total_weight = Chain::kSpheres * kWeight;
  const auto fall_of_lowest = [](Chain&& chain) {
    chain.parameters.solver = test::WithScheme(GetParam()).solver;
    chain.parameters.solver.sweeps = 300;
    return chain.FallOf(Chain::kSpheres - 1);
  };
  EXPECT_LT(fall_of_lowest(Chain({.force = 1.05 * total_weight})), 1e-6);
  EXPECT_GT(fall_of_lowest(Chain({.force = 0.95 * total_weight})), 1e-3);
}

/// Attraction f adds to the normal force that limits friction: a sphere that cannot rotate sticks
/// to an upright wall if its weight is at most μ f.
TEST(CohesionAlone, FrictionByAttractionHoldsASphereOnAWall) {
  const auto fall_at_force = [](double force) {
    const Communicator world = Communicator::World();
    Scene scene = test::EmptyScene(Vec3(0, -0.1, -0.4), Vec3(0.1, 0.1, 0.1), 0.5);
    scene.materials.SetLaw<CohesionLaw>(0, 0, {.force = force});
    scene.materials.SetLaw<RollingLaw>(0, 0, {10.0, 10.0});
    scene.gravity = Vec3(0, 0, -kGravity);
    test::AddPlane(scene, Vec3::Zero(), Vec3::UnitX());
    State state;
    if (world.IsRoot()) test::AddSphere(state.particles, 0, Vec3(kRadius, 0, 0), kRadius);
    StepParameters parameters;
    parameters.dt = 1e-4;
    test::Run(world, scene, parameters, state, 500);
    return -test::GatherById(world, state.particles).at(0).position.z();
  };
  EXPECT_LT(fall_at_force(2.02 * kWeight), 1e-6);
  // Friction holds only a part of the weight w. The acceleration is g (1 − μ f/w).
  EXPECT_NEAR(fall_at_force(1.0 * kWeight), 0.25 * kGravity * 0.05 * 0.05, 1e-4);
}

/// A grain of 1.39 µg that a plane attracts by 0.2 mN.
struct Grain {
  static constexpr double kSize = 0.5e-3, kForce = 2e-4;
  double range = 0.0, restitution = 0.0;

  /// Its speed after it has left the range at the speed v on contact; 0: it does not leave [m/s].
  double EscapeSpeed(double v) const {
    return std::sqrt(std::max(v * v - 2.0 * kForce * range / test::Mass(kSize), 0.0));
  }
  double ReboundSpeed(double v) const {
    const double impact = std::sqrt(v * v + 2.0 * kForce * range / test::Mass(kSize));
    return EscapeSpeed(restitution * impact);
  }
  /// Its velocity away from the plane after it has been far from it, or for 10 ms, if it begins at
  /// this gap with this velocity.
  double VelocityAfter(double gap, double velocity, double dt) const {
    const Communicator world = Communicator::World();
    Scene scene = test::EmptyScene(Vec3(0, 0, 0), Vec3(0.02, 0.02, 0.02), 0.4);
    scene.materials.SetLaw<CohesionLaw>(0, 0, {.force = kForce, .range = range});
    scene.materials.SetRestitution(0, 0, {.constant = restitution});
    test::AddPlane(scene, Vec3::Zero(), Vec3::UnitZ());
    State state;
    if (world.IsRoot()) {
      test::AddSphere(state.particles, 0, Vec3(0.01, 0.01, kSize + gap), kSize,
                      Vec3(0, 0, velocity));
    }
    StepParameters parameters;
    parameters.dt = dt;
    test::Run(world, scene, parameters, state, static_cast<int>(0.01 / dt));
    return test::GatherById(world, state.particles).at(0).velocity.z();
  }
};

constexpr double kStepsOfGrain[] = {4e-4, 1e-4, 2e-5};
constexpr double kShortRange = 5e-7;

TEST(CohesionAlone, ReboundLosesTheWorkAgainstTheAttraction) {
  for (const double dt : kStepsOfGrain) {
    for (const double gap : {1.1e-5, 1.9e-5, 3.3e-5}) {
      const Grain grain = {kShortRange, 0.5};
      for (const double v : {0.010, 0.015, 0.020}) {
        EXPECT_NEAR(grain.VelocityAfter(gap, -v, dt), 0.0, 1e-6) << "it sticks at " << v;
      }
      for (const double v : {0.024, 0.030, 0.1}) {
        EXPECT_NEAR(grain.VelocityAfter(gap, -v, dt), grain.ReboundSpeed(v), 0.03 * v) << dt;
      }
    }
  }
}

TEST(CohesionAlone, SeparatingGrainLosesTheWorkAgainstTheAttraction) {
  for (const double dt : kStepsOfGrain) {
    const Grain grain = {kShortRange, 0.0};
    for (const double v : {0.005, 0.011}) {
      EXPECT_NEAR(grain.VelocityAfter(0.0, v, dt), 0.0, 1e-6) << "it sticks at " << v;
    }
    for (const double v : {0.013, 0.020, 0.030}) {
      EXPECT_NEAR(grain.VelocityAfter(0.0, v, dt), grain.EscapeSpeed(v), 1e-9) << dt;
    }
  }
}

/// A liquid bridge of a tenth of the radius, which takes one to some hundred steps.
TEST(CohesionAlone, WideRangeTakesTheSameWorkInStepsOfAnyLength) {
  const Grain grain = {2.5e-5, 0.8};
  for (const double dt : kStepsOfGrain) {
    for (const double gap : {3.1e-5, 4.7e-5, 6.3e-5}) {
      for (const double v : {0.1, 0.2}) {
        EXPECT_NEAR(grain.VelocityAfter(gap, -v, dt), grain.ReboundSpeed(v), 0.03 * v)
            << dt << " " << gap << " " << v;
      }
    }
  }
}

/// In steps of any number per range, and from any position over a step.
TEST(CohesionAlone, ElasticGrainKeepsItsSpeedAcrossTheRange) {
  const Grain grain = {2.5e-5, 1.0};
  const double escape = std::sqrt(2.0 * Grain::kForce * grain.range / test::Mass(Grain::kSize));
  for (const double steps : {0.5, 1.0, 2.0, 5.0, 10.0}) {
    const double dt = grain.range / (steps * escape);
    for (const double v : {0.1 * escape, 0.3 * escape, escape}) {
      for (const double phase : {0.02, 0.3, 0.6, 0.9}) {
        const double gap = grain.range + (1.0 + phase) * v * dt;
        EXPECT_NEAR(grain.VelocityAfter(gap, -v, dt), v, 1e-6 * v) << steps << " " << phase;
      }
    }
  }
}

/// A loose cloud of spheres of several sizes that stick when they meet.
State Cloud(const Communicator& communicator) {
  State state;
  for (ParticleId id = 0; communicator.IsRoot() && id < 8 * 6 * 6; ++id) {
    const auto random = [&](std::uint64_t draw) { return UniformAroundZero(3, id, draw); };
    const Vec3 site(static_cast<double>(id % 8), static_cast<double>(id / 8 % 6),
                    static_cast<double>(id / 48));
    test::AddSphere(state.particles, id, 0.002 * (site + Vec3::Constant(0.5)),
                    0.9e-3 + 0.08e-3 * random(0), 0.1 * Vec3(random(1), random(2), random(3)));
  }
  return state;
}

TEST_P(Cohesion, CollidingSpheresStickAndKeepTheirMomentum) {
  const Communicator world = Communicator::World();
  Scene scene = test::EmptyScene(Vec3(-0.1, -0.1, -0.1), Vec3(0.12, 0.12, 0.12), 0.4);
  scene.materials.SetLaw<CohesionLaw>(0, 0, {.force = 1e-2});
  StepParameters parameters = test::WithScheme(GetParam());
  parameters.dt = 2e-5;
  State state = Cloud(world);
  const auto momentum = [&] {
    Vec3 sum = Vec3::Zero();
    for (const auto& [id, sphere] : test::GatherById(world, state.particles)) {
      sum += test::Mass(0.9e-3 + 0.08e-3 * UniformAroundZero(3, id, 0)) * sphere.velocity;
    }
    return sum;
  };
  const Vec3 momentum_before = momentum();
  TimeStep step = test::Run(world, scene, parameters, state, 2000);
  EXPECT_GT(step.Observe(state).loaded_contacts, 200);
  Resize(state.particles, state.particles.owned);
  EXPECT_LT((momentum() - momentum_before).norm(), 1e-12 * 288 * test::Mass(0.9e-3) * 0.1);
}

TEST(CohesionOfMany, EnergyBalanceOfACloudCloses) {
  const Communicator world = Communicator::World();
  Scene scene = test::EmptyScene(Vec3(0, 0, 0), Vec3(0.02, 0.02, 0.03), 0.4);
  scene.materials.SetLaw<CohesionLaw>(0, 0, {.force = 1e-4});
  scene.gravity = Vec3(0, 0, -kGravity);
  for (int axis = 0; axis < 3; ++axis) test::AddPlane(scene, Vec3::Zero(), Vec3::Unit(axis));
  for (int axis = 0; axis < 2; ++axis) {
    test::AddPlane(scene, scene.domain.box.upper, -Vec3::Unit(axis));
  }
  StepParameters parameters;
  parameters.dt = 5e-5;
  State state = Cloud(world);
  TimeStep step = test::Start(world, scene, parameters, state);
  step.EnableEnergyBalance(true);
  for (int k = 0; k < 1000; ++k) step.Advance(state);
  const EnergyBalance balance = step.Observe(state).energy.value();
  EXPECT_GT(balance.dissipated, 0.0);
  EXPECT_LT(std::abs(balance.Imbalance()), 1e-12 * balance.dissipated);
}

/// Two touching spheres turn about each other, 0.1 r along the tangent per step. That opens their
/// gap by 0.0025 r, more than the default range.
/// @param ratio  pull over the force that holds them
/// @returns their gap after ten radians, in radii
double GapOfTurningPair(double ratio, double restitution) {
  constexpr double kSpin = 150.0;
  const Communicator world = Communicator::World();
  Scene scene = test::EmptyScene(Vec3(-0.2, -0.2, -0.2), Vec3(0.2, 0.2, 0.2), 0.4);
  const double force = ratio * test::Mass(kRadius) * kSpin * kSpin * kRadius;
  scene.materials.SetLaw<CohesionLaw>(0, 0, {.force = force});
  scene.materials.SetRestitution(0, 0, {.constant = restitution});
  State state;
  for (int k = 0; world.IsRoot() && k < 2; ++k) {
    const Vec3 centre((2 * k - 1) * kRadius, 0.0, 0.0), spin(0.0, 0.0, kSpin);
    test::AddSphere(state.particles, k, centre, kRadius, spin.cross(centre), spin);
  }
  StepParameters parameters;
  parameters.dt = 0.05 / kSpin;
  test::Run(world, scene, parameters, state, 200);
  const auto spheres = test::GatherById(world, state.particles);
  return (spheres.at(1).position - spheres.at(0).position).norm() / kRadius - 2.0;
}

TEST(CohesionOfTwo, TurningPairHoldsUnderTheDefaultRange) {
  for (const double restitution : {0.0, 0.5}) {
    EXPECT_GT(GapOfTurningPair(0.9, restitution), 1.0);
    for (const double ratio : {1.6, 4.0}) {
      EXPECT_LT(GapOfTurningPair(ratio, restitution), 0.003) << ratio << " " << restitution;
    }
  }
}

}  // namespace
}  // namespace scree::cohesion_test
