// Loads that a wall or a body has built up are no springs: where it goes, or has come to rest,
// contacts give nothing back, at any setting.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "engine/particles/random.hpp"
#include "tests/support/scenes.hpp"

namespace scree::unloading_test {
namespace {

constexpr double kRadius = 1e-3, kGravity = 9.81, kWidth = 8.4e-3;
constexpr int kLayers = 6;
constexpr double kTop = 2.1 * kRadius * kLayers;

/// A pot with 4 x 4 x kLayers spheres above each other, that fall and settle.
struct Pot {
  Communicator world = Communicator::World();
  Scene scene = test::EmptyScene(Vec3(0, 0, -kRadius), Vec3(kWidth, kWidth, 0.04), 0.5);
  StepParameters parameters;
  State state;

  explicit Pot(double dt) {
    parameters.dt = dt;
    scene.gravity = Vec3(0, 0, -kGravity);
    test::AddPlane(scene, Vec3::Zero(), Vec3::UnitZ());
    for (int axis = 0; axis < 2; ++axis) {
      test::AddPlane(scene, Vec3::Zero(), Vec3::Unit(axis));
      test::AddPlane(scene, kWidth * Vec3::Unit(axis), -Vec3::Unit(axis));
    }
    if (!world.IsRoot()) return;
    for (ParticleId id = 0; id < 16 * kLayers; ++id) {
      const auto random = [&](std::uint64_t draw) { return UniformAroundZero(7, id, draw); };
      const Vec3 site(static_cast<double>(id % 4), static_cast<double>(id / 4 % 4),
                      static_cast<double>(id / 16));
      test::AddSphere(state.particles, id, 2.1 * kRadius * (site + Vec3::Constant(0.5)),
                      kRadius * (0.95 + 0.05 * random(0)),
                      0.05 * Vec3(random(1), random(2), random(3)));
    }
  }
  double Mass() const {
    double mass = 0.0;
    for (std::size_t i = 0; i < state.particles.owned; ++i) {
      mass += test::Mass(state.particles.radius[i]);
    }
    return world.Sum(mass);
  }
};

/// The greatest fall of what contacts have dissipated, over the most that it was.
class Returned {
 public:
  void Add(double dissipated) {
    most_ = std::max(most_, dissipated);
    fall_ = std::max(fall_, most_ - dissipated);
  }
  double Share() const { return fall_ / most_; }

 private:
  double most_ = 0.0, fall_ = 0.0;
};

constexpr double kRounding = 1e-9;
constexpr int kLookEvery = 5;  // steps: each look is a message to all ranks

/// A piston from above that presses until a time, and goes back.
Pot Pressed(const StepParameters& parameters, double until) {
  constexpr double kSpeed = 0.05;
  Pot pot(parameters.dt);
  pot.parameters = parameters;
  Wall piston{"piston", {{Plane{Vec3(0, 0, kTop), -Vec3::UnitZ()}}}};
  piston.motions = {{.name = "press", .until = until, .velocity = Vec3(0, 0, -kSpeed)},
                    {.name = "go", .from = until, .velocity = Vec3(0, 0, kSpeed)}};
  pot.scene.walls.push_back(piston);
  return pot;
}

/// When the force on the piston is first so many times the weight of the grains [s].
double TimeOfForce(const StepParameters& parameters, double weights) {
  Pot pot = Pressed(parameters, std::numeric_limits<double>::infinity());
  const double weight = kGravity * pot.Mass();
  TimeStep step = test::Start(pot.world, pot.scene, pot.parameters, pot.state);
  step.KeepWallLoads(true);
  double force = 0.0;
  while (force < weights * weight) {
    step.Advance(pot.state);
    force = step.Observe(pot.state).wall_loads.back().force.z();
  }
  return parameters.dt * static_cast<double>(pot.state.step);
}

void ExpectNoReturn(const StepParameters& parameters) {
  Pot pot = Pressed(parameters, TimeOfForce(parameters, 30.0));
  TimeStep step = test::Start(pot.world, pot.scene, pot.parameters, pot.state);
  step.KeepEnergyBook(true);
  Returned returned;
  const double end = pot.scene.walls.back().motions[0].until + 0.01;
  while (parameters.dt * static_cast<double>(pot.state.step) < end) {
    step.Advance(pot.state);
    if (pot.state.step % kLookEvery == 0) returned.Add(step.Observe(pot.state).energy->dissipated);
  }
  EXPECT_LT(returned.Share(), kRounding);
}

StepParameters With(double dt, int sweeps, double momentum = 0.85) {
  StepParameters parameters;
  parameters.dt = dt;
  parameters.solver.sweeps = sweeps;
  parameters.solver.momentum = momentum;
  return parameters;
}

TEST(Unloading, APistonThatGoesBackIsNotFollowed) {
  for (const int sweeps : {5, 10, 100}) {
    SCOPED_TRACE(sweeps);
    ExpectNoReturn(With(1e-4, sweeps));
  }
  ExpectNoReturn(With(1e-4, 10, 0.0));
  ExpectNoReturn(With(2e-5, 10));
}

TEST(Unloading, OfNeitherLawNorScheme) {
  for (const Kernel kernel : {Kernel::kMaxDissipation, Kernel::kCoulomb}) {
    StepParameters parameters = With(1e-4, 10);
    parameters.solver.kernel = kernel;
    SCOPED_TRACE(static_cast<int>(kernel));
    ExpectNoReturn(parameters);
  }
  StepParameters parameters = With(1e-4, 20);
  parameters.solver.scheme = Scheme::kJacobi;
  ExpectNoReturn(parameters);
}

/// It falls on the bed and stays there.
TEST(Unloading, AHeavyLidDoesNotReboundFromItsBed) {
  for (const double ratio : {100.0, 1000.0}) {
    SCOPED_TRACE(ratio);
    Pot pot(5e-5);
    Wall lid{"lid", {{Plane{Vec3(0, 0, kTop + 2e-3), -Vec3::UnitZ()}}}};
    lid.free.freedom = Freedom::kAlong;
    lid.free.mass = ratio * pot.Mass();
    lid.free.from = 0.1;
    lid.axis = Vec3::UnitZ();
    pot.scene.walls.push_back(lid);
    TimeStep step = test::Start(pot.world, pot.scene, pot.parameters, pot.state);
    step.KeepEnergyBook(true);
    step.KeepWallLoads(true);
    Returned returned;
    double slowest = 0.0, fastest = 0.0;
    for (int k = 0; k < 6000; ++k) {
      step.Advance(pot.state);
      if (k % kLookEvery == 0) returned.Add(step.Observe(pot.state).energy->dissipated);
      slowest = std::min(slowest, pot.state.free_walls.back().speed);
      fastest = std::max(fastest, pot.state.free_walls.back().speed);
    }
    EXPECT_LT(slowest, -0.2);
    EXPECT_LT(fastest, -0.02 * slowest);
    EXPECT_LT(returned.Share(), kRounding);
    const double load = step.Observe(pot.state).wall_loads.back().force.z();
    EXPECT_NEAR(load / (kGravity * ratio * pot.Mass()), 1.0, 0.02);
  }
}

}  // namespace
}  // namespace scree::unloading_test
