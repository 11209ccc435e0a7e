// Loads that a wall or a body has built up do not act as springs: contacts return no energy when
// the wall or body retreats or has come to rest, for any parameters.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "engine/particles/random.hpp"
#include "tests/support/scenes.hpp"

namespace scree::unloading_test {
namespace {

constexpr double kRadius = 1e-3, kGravity = 9.81;

/// A pot with some layers of spheres, slightly apart, which fall and settle.
struct Pot {
  Communicator world = Communicator::World();
  Scene scene;
  StepParameters parameters;
  State state;
  double top;  // height of the layers [m]

  explicit Pot(double dt, int side = 4, int layers = 6)
      : scene(test::EmptyScene(Vec3(0, 0, -kRadius), Vec3(Width(side), Width(side), 0.04), 0.5)),
        top(Width(layers)) {
    parameters.dt = dt;
    scene.gravity = Vec3(0, 0, -kGravity);
    test::AddPlane(scene, Vec3::Zero(), Vec3::UnitZ());
    for (int axis = 0; axis < 2; ++axis) {
      test::AddPlane(scene, Vec3::Zero(), Vec3::Unit(axis));
      test::AddPlane(scene, Width(side) * Vec3::Unit(axis), -Vec3::Unit(axis));
    }
    if (!world.IsRoot()) return;
    for (ParticleId id = 0; id < side * side * layers; ++id) {
      const auto random = [&](std::uint64_t draw) { return UniformAroundZero(7, id, draw); };
      const Vec3 site(static_cast<double>(id % side), static_cast<double>(id / side % side),
                      static_cast<double>(id / (side * side)));
      test::AddSphere(state.particles, id, 2.1 * kRadius * (site + Vec3::Constant(0.5)),
                      kRadius * (0.95 + 0.05 * random(0)),
                      0.05 * Vec3(random(1), random(2), random(3)));
    }
  }
  static double Width(int spheres) { return 2.1 * kRadius * spheres; }
  double Mass() const {
    double mass = 0.0;
    for (std::size_t i = 0; i < state.particles.owned; ++i) {
      mass += test::Mass(state.particles.radius[i]);
    }
    return world.Sum(mass);
  }
};

/// Energy that the contacts have taken since the start, relative to steps without contacts: the
/// dissipated energy, plus the work of gravity −λ⋅g dt/2 that the impulses λ on walls prevent in
/// each step.
/// @pre wall loads have been enabled from the start
double EnergyTakenByContacts(const Pot& pot, const TimeStep& step) {
  const Observables observed = step.Observe(pot.state);
  const double dt = pot.parameters.dt, time = dt * static_cast<double>(pot.state.step);
  double energy = observed.energy->dissipated;
  for (std::size_t w = 0; w < pot.scene.walls.size(); ++w) {
    if (pot.scene.walls[w].IsFree()) continue;  // gravity acts on it as on the particles
    energy += 0.5 * dt * time * pot.scene.gravity.dot(observed.interval_loads[w].mean.force);
  }
  return energy;
}

/// Largest decrease of the energy that contacts have taken, relative to its maximum.
class ReturnedEnergy {
 public:
  void Add(double energy) {
    max_taken_ = std::max(max_taken_, energy);
    max_decrease_ = std::max(max_decrease_, max_taken_ - energy);
  }
  double RelativeDecrease() const { return max_decrease_ / max_taken_; }

 private:
  double max_taken_ = 0.0, max_decrease_ = 0.0;
};

constexpr double kRounding = 1e-9;
constexpr int kCheckInterval = 5;  // steps between checks; each check is a reduction

/// A piston that presses from above until a given time and then retreats.
Pot PressedPot(const StepParameters& parameters, double end_time) {
  constexpr double kSpeed = 0.05;
  Pot pot(parameters.dt);
  pot.parameters = parameters;
  Wall piston{"piston", {{Plane{Vec3(0, 0, pot.top), -Vec3::UnitZ()}}}};
  piston.motions = {{.name = "press", .until = end_time, .velocity = Vec3(0, 0, -kSpeed)},
                    {.name = "go", .from = end_time, .velocity = Vec3(0, 0, kSpeed)}};
  pot.scene.walls.push_back(piston);
  return pot;
}

/// Time at which the force on the piston first reaches this multiple of the particles' weight [s].
double TimeOfForce(const StepParameters& parameters, double weights) {
  Pot pot = PressedPot(parameters, std::numeric_limits<double>::infinity());
  const double weight = kGravity * pot.Mass();
  TimeStep step = test::Start(pot.world, pot.scene, pot.parameters, pot.state);
  step.EnableWallLoads(true);
  double force = 0.0;
  while (force < weights * weight) {
    step.Advance(pot.state);
    force = step.Observe(pot.state).wall_loads.back().force.z();
  }
  return parameters.dt * static_cast<double>(pot.state.step);
}

void ExpectNoReturn(const StepParameters& parameters) {
  Pot pot = PressedPot(parameters, TimeOfForce(parameters, 30.0));
  TimeStep step = test::Start(pot.world, pot.scene, pot.parameters, pot.state);
  step.EnableEnergyBalance(true);
  step.EnableWallLoads(true);
  ReturnedEnergy returned_energy;
  const double end = pot.scene.walls.back().motions[0].until + 0.01;
  while (parameters.dt * static_cast<double>(pot.state.step) < end) {
    step.Advance(pot.state);
    if (pot.state.step % kCheckInterval == 0) returned_energy.Add(EnergyTakenByContacts(pot, step));
  }
  EXPECT_LT(returned_energy.RelativeDecrease(), kRounding);
}

StepParameters WithSweeps(double dt, int sweeps, double momentum = 0.85) {
  StepParameters parameters;
  parameters.dt = dt;
  parameters.solver.sweeps = sweeps;
  parameters.solver.momentum = momentum;
  return parameters;
}

TEST(Unloading, BedReturnsNoEnergyWhenItsPistonRetreats) { ExpectNoReturn(WithSweeps(1e-4, 10)); }

TEST(UnloadingAlone, UnloadedContactsReturnNoEnergyForAnyParameters) {
  for (const int sweeps : {5, 100}) {
    SCOPED_TRACE(sweeps);
    ExpectNoReturn(WithSweeps(1e-4, sweeps));
  }
  ExpectNoReturn(WithSweeps(1e-4, 10, 0.0));
  ExpectNoReturn(WithSweeps(2e-5, 10));
}

TEST(UnloadingAlone, UnloadedContactsReturnNoEnergyForAnyLawOrScheme) {
  for (const Kernel kernel : {Kernel::kMaxDissipation, Kernel::kCoulomb}) {
    StepParameters parameters = WithSweeps(1e-4, 10);
    parameters.solver.kernel = kernel;
    SCOPED_TRACE(static_cast<int>(kernel));
    ExpectNoReturn(parameters);
  }
  StepParameters parameters = WithSweeps(1e-4, 20);
  parameters.solver.scheme = Scheme::kJacobi;
  ExpectNoReturn(parameters);
}

TEST(Unloading, HeavyLidDoesNotReboundFromItsBed) {
  for (const double ratio : {100.0, 1000.0}) {
    if (ratio == 100.0 && !test::IsSingleRank()) continue;
    SCOPED_TRACE(ratio);
    Pot pot(5e-5);
    Wall lid{"lid", {{Plane{Vec3(0, 0, pot.top + 2e-3), -Vec3::UnitZ()}}}};
    lid.free.freedom = Freedom::kAlong;
    lid.free.mass = ratio * pot.Mass();
    lid.free.start = 0.1;
    lid.axis = Vec3::UnitZ();
    pot.scene.walls.push_back(lid);
    TimeStep step = test::Start(pot.world, pot.scene, pot.parameters, pot.state);
    step.EnableEnergyBalance(true);
    step.EnableWallLoads(true);
    ReturnedEnergy returned_energy;
    double min_speed = 0.0, max_speed = 0.0;
    for (int k = 0; k < 6000; ++k) {
      step.Advance(pot.state);
      if (k % kCheckInterval == 0) returned_energy.Add(EnergyTakenByContacts(pot, step));
      min_speed = std::min(min_speed, pot.state.free_walls.back().speed);
      max_speed = std::max(max_speed, pot.state.free_walls.back().speed);
    }
    EXPECT_LT(min_speed, -0.2);
    EXPECT_LT(max_speed, -0.02 * min_speed);
    EXPECT_LT(returned_energy.RelativeDecrease(), kRounding);
    const double load = step.Observe(pot.state).wall_loads.back().force.z();
    EXPECT_NEAR(load / (kGravity * ratio * pot.Mass()), 1.0, 0.02);
  }
}

constexpr double kPressTime = 3e-3, kHoldTime = 4e-3, kEndTime = 8e-3;  // [s]

/// Adds a wall that presses until kPressTime and then stops. If `is_retreating`, it retreats after
/// kHoldTime.
void AddDrivenWall(Wall wall, const Vec3& velocity, bool is_retreating, Pot& pot) {
  wall.motions = {{.name = "press", .until = kPressTime, .velocity = velocity}};
  if (is_retreating)
    wall.motions.push_back({.name = "go", .from = kHoldTime, .velocity = -2.5 * velocity});
  pot.scene.walls.push_back(wall);
}

/// Loads that build up within a few milliseconds, in different ways.
struct Loading {
  const char* name;
  Pot (*make)(double dt);
};
constexpr Loading kLoadings[] = {
    {"a piston presses",
     [](double dt) {
       Pot pot(dt, 2, 3);
       AddDrivenWall({"piston", {{Plane{Vec3(0, 0, pot.top), -Vec3::UnitZ()}}}}, Vec3(0, 0, -0.02),
                     false, pot);
       return pot;
     }},
    {"a piston retreats",
     [](double dt) {
       Pot pot(dt, 2, 3);
       AddDrivenWall({"piston", {{Plane{Vec3(0, 0, pot.top), -Vec3::UnitZ()}}}}, Vec3(0, 0, -0.02),
                     true, pot);
       return pot;
     }},
    {"a heavy lid drops",
     [](double dt) {
       Pot pot(dt, 2, 3);
       Wall lid{"lid", {{Plane{Vec3(0, 0, pot.top + 5e-5), -Vec3::UnitZ()}}}};
       lid.free.freedom = Freedom::kAlong;
       lid.free.mass = 100.0 * pot.Mass();
       lid.axis = Vec3::UnitZ();
       pot.scene.walls.push_back(lid);
       return pot;
     }},
    {"a blade wedges a grain and goes back",
     [](double dt) {
       Pot pot(dt, 1, 1);
       pot.scene.domain.box = {Vec3(-0.03, -0.03, -kRadius), Vec3(0.03, 0.03, 0.04)};
       pot.scene.walls.resize(1);  // the floor
       for (Vec3& x : pot.state.particles.position) x = Vec3(0, 0, kRadius);
       for (double& radius : pot.state.particles.radius) radius = kRadius;
       for (Vec3& v : pot.state.particles.velocity) v = Vec3::Zero();
       const Block blade{{Vec3(-0.02, -5e-3, 1.8e-3), Vec3(-0.6 * kRadius, 5e-3, 0.01)}};
       AddDrivenWall({"blade", {{blade}}}, Vec3(0.02, 0, 0), true, pot);
       return pot;
     }},
};

void ExpectNoReturnOf(const Loading& loading, const StepParameters& parameters) {
  Pot pot = loading.make(parameters.dt);
  pot.parameters = parameters;
  TimeStep step = test::Start(pot.world, pot.scene, pot.parameters, pot.state);
  step.EnableEnergyBalance(true);
  step.EnableWallLoads(true);
  ReturnedEnergy returned_energy;
  while (parameters.dt * static_cast<double>(pot.state.step) < kEndTime) {
    step.Advance(pot.state);
    if (pot.state.step % kCheckInterval == 0) returned_energy.Add(EnergyTakenByContacts(pot, step));
  }
  EXPECT_LT(returned_energy.RelativeDecrease(), kRounding)
      << loading.name << ", kernel " << static_cast<int>(parameters.solver.kernel) << ", "
      << parameters.solver.sweeps << " sweeps of " << parameters.dt << " s, warm start "
      << parameters.warm_start << ", momentum " << parameters.solver.momentum;
}

TEST(UnloadingAlone, UnloadedContactsReturnNoEnergyForAnyLoading) {
  for (const Loading& loading : kLoadings) {
    for (const Kernel kernel : {Kernel::kMaxDissipation, Kernel::kCoulomb}) {
      for (const int sweeps : {1, 3, 10, 40}) {
        for (const double dt : {5e-6, 5e-5}) {
          for (const double momentum : {0.0, 0.85}) {
            StepParameters parameters = WithSweeps(dt, sweeps, momentum);
            parameters.solver.kernel = kernel;
            parameters.warm_start = false;
            ExpectNoReturnOf(loading, parameters);
            if (sweeps == 1) continue;  // an error with a warm start
            parameters.warm_start = true;
            ExpectNoReturnOf(loading, parameters);
          }
        }
      }
    }
  }
}

}  // namespace
}  // namespace scree::unloading_test
