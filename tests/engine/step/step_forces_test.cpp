// Forces beside weight and contacts: fields, a rotating frame, fluids, and those of a program.
#include "engine/step/step_forces.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "engine/step/simulation.hpp"
#include "tests/support/clump_scenes.hpp"

namespace scree::step_forces_test {
namespace {

constexpr double kRadius = 1e-3;

StepParameters WithStep(double dt) {
  StepParameters parameters;
  parameters.dt = dt;
  return parameters;
}

Scene Box(double size) {
  return test::EmptyScene(Vec3::Constant(-size), Vec3::Constant(size), 0.3);
}

Simulation OneSphere(const Scene& scene, double dt, const Vec3& x = Vec3::Zero(),
                     const Vec3& v = Vec3::Zero()) {
  Particles particles;
  test::AddSphere(particles, 0, x, kRadius, v);
  return {Communicator::Self(), scene, WithStep(dt), particles};
}

Fluid Water(DragLaw law, double viscosity) {
  Fluid fluid;
  fluid.density = 1000.0;
  fluid.viscosity = viscosity;
  fluid.drag = law;
  return fluid;
}

// Also in steps of a hundred relaxation times, and against a law written down once more.
TEST(StepForces, SphereSettlesAtTheSpeedOfTheLaw) {
  if (!test::RunsAlone()) return;
  for (const double viscosity : {0.6, 0.1, 1e-2, 1e-3, 3e-4}) {
    for (const DragLaw law : {DragLaw::kStokes, DragLaw::kSchillerNaumann}) {
      if (law == DragLaw::kStokes && viscosity < 1e-2) continue;  // it would take long
      Scene scene = Box(2.0);
      scene.domain.periodic = {true, true, true};
      scene.gravity = Vec3(0, 0, -9.81);
      scene.fluid = Water(law, viscosity);
      const double d = 2.0 * kRadius, relaxation = 2650.0 * d * d / (18.0 * viscosity);
      const auto drag = [&](double v) {
        const double reynolds = 1000.0 * d * v / viscosity;
        const double more = law == DragLaw::kStokes ? 1.0
                            : reynolds < 1000.0     ? 1.0 + 0.15 * std::pow(reynolds, 0.687)
                                                    : 0.44 / 24.0 * reynolds;
        return 3.0 * std::numbers::pi * viscosity * d * v * more;
      };
      const double weight = 1650.0 * 9.81 * std::numbers::pi / 6.0 * d * d * d;
      double lower = 0.0, upper = 100.0;
      for (int k = 0; k < 100; ++k) {
        const double half = 0.5 * (lower + upper);
        (drag(half) < weight ? lower : upper) = half;
      }
      for (const double step : {0.1, 100.0}) {
        const double dt = std::min({step * relaxation, 0.2 / lower, 0.15});
        Simulation simulation = OneSphere(scene, dt);
        for (int k = 0; k < 400; ++k) simulation.Step();
        const double speed = -simulation.Grains().velocity[0].z();
        EXPECT_NEAR(speed / lower, 1.0, 1e-9) << viscosity << " Pa s, step " << step;
        EXPECT_NEAR(simulation.BodyImpulses()[0].z(), dt * test::Mass(kRadius) * 9.81,
                    1e-9 * dt * test::Mass(kRadius));
      }
    }
  }
}

// A bed that Ergun's pressure drop lifts: the excess pressure over its height is its weight.
TEST(StepForces, DragOfABedIsErgunsPressureDrop) {
  const double d = 1e-3, e = 0.45, u = 0.02;
  const Fluid fluid = Water(DragLaw::kGidaspow, 1e-3);
  const double superficial = e * u;
  const double drop = 150.0 * (1 - e) * (1 - e) * 1e-3 * superficial / (e * e * e * d * d) +
                      1.75 * (1 - e) * 1000.0 * superficial * superficial / (e * e * e * d);
  const double per_volume = (1 - e) / (std::numbers::pi / 6.0 * d * d * d);
  EXPECT_NEAR(per_volume * DragCoefficient(fluid, d, u, e) * u / drop, 1.0, 1e-12);
}

// Hindered settling, v/v₀ = ε^(n−1) of the interstitial slip: n of Richardson and Zaki is 4.65 at
// low and 2.4 at high Reynolds numbers; published bands 4.6 to 4.9 and 2.3 to 2.5.
TEST(StepForces, HinderedSettlingHasTheExponentOfRichardsonAndZaki) {
  const double d = 2.0 * kRadius, weight = 1.0;  // any: the drag is what is asked
  for (const DragLaw law : {DragLaw::kDiFelice, DragLaw::kGidaspow}) {
    for (const bool is_slow : {true, false}) {
      const Fluid fluid = Water(law, is_slow ? 1e6 : 1e-9);
      const auto slip = [&](double e) {
        double lower = 0.0, upper = 1e6;
        for (int k = 0; k < 200; ++k) {
          const double half = 0.5 * (lower + upper);
          (DragCoefficient(fluid, d, half, e) * half < weight ? lower : upper) = half;
        }
        return lower;
      };
      const double n = 1.0 + std::log(slip(0.95) / slip(0.85)) / std::log(0.95 / 0.85);
      EXPECT_GT(n, is_slow ? 4.6 : 2.3);
      EXPECT_LT(n, is_slow ? 4.9 : 2.5);
    }
  }
}

// A grain at rest on a floor bears what weight, buoyancy and flow leave, in a step of any length.
TEST(StepForces, GrainAtRestUnderAFlowBearsItsLoad) {
  if (!test::RunsAlone()) return;
  Scene scene = Box(0.1);
  scene.gravity = Vec3(0, 0, -9.81);
  scene.fluid = Water(DragLaw::kStokes, 0.5);
  scene.fluid.velocity = Vec3(0, 0, 0.001);
  test::AddPlane(scene, Vec3::Zero(), Vec3::UnitZ());
  const double dt = 0.05;  // 44 relaxation times
  Simulation simulation = OneSphere(scene, dt, Vec3(0, 0, kRadius));
  for (int k = 0; k < 10; ++k) simulation.Step();
  EXPECT_LT(simulation.Grains().velocity[0].norm(), 1e-12);
  const double volume = 4.0 / 3.0 * std::numbers::pi * std::pow(kRadius, 3);
  const double load = 1650.0 * volume * 9.81 - 6.0 * std::numbers::pi * 0.5 * kRadius * 0.001;
  EXPECT_NEAR(simulation.BodyImpulses()[0].z() / dt, test::Mass(kRadius) * 9.81 - load,
              1e-12 * load);
}

// What a turning sphere keeps of its rotation: 1/(1 + dt k_r/I) per step, towards half the curl.
TEST(StepForces, SphereTurnsWithAShearedFluid) {
  if (!test::RunsAlone()) return;
  Scene scene = Box(0.1);
  scene.fluid = Water(DragLaw::kStokes, 0.1);
  scene.fluid.table = {{-0.1, 0.1}, {Vec3(-1, 0, 0), Vec3(1, 0, 0)}};  // 10 1/s
  Simulation simulation = OneSphere(scene, 1e-3);
  simulation.Step();
  const double inertia = 0.4 * test::Mass(kRadius) * kRadius * kRadius;
  const double turns = 1e-3 * 8.0 * std::numbers::pi * 0.1 * std::pow(kRadius, 3) / inertia;
  const Vec3 expected(0, 5.0 * turns / (1.0 + turns), 0);
  EXPECT_LT((simulation.Grains().angular_velocity[0] - expected).norm(), 1e-12);
}

// Free flight for a turn, as the frame at rest sees it.
TEST(StepForces, RotatingFrameSeesAStraightLine) {
  if (!test::RunsAlone()) return;
  constexpr int kSteps = 1000;
  constexpr double kRate = 20.0, kDt = 2.0 * std::numbers::pi / kRate / kSteps;
  Scene scene = Box(1.0);
  scene.frame = {Vec3(0.01, 0.02, 0), Vec3(0, 0, kRate)};
  const Vec3 x(0.1, -0.05, -0.3), v(0.3, 0.2, 0.5);  // v in the frame at rest
  const auto turned = [&](double time, const Vec3& at) {
    const Eigen::AngleAxisd q(-kRate * time, Vec3::UnitZ());
    return Vec3(scene.frame.centre + q * (at - scene.frame.centre));
  };
  const Vec3 seen = (x - turned(-kDt, x - kDt * v)) / kDt;
  Simulation simulation = OneSphere(scene, kDt, x, seen);
  simulation.KeepEnergyBook();
  double worst = 0.0;
  for (int k = 1; k <= kSteps; ++k) {
    simulation.Step();
    worst = std::max(worst,
                     (simulation.Grains().position[0] - turned(k * kDt, x + k * kDt * v)).norm());
  }
  EXPECT_LT(worst, 1e-9);
  const EnergyBook energy = *simulation.Observe().energy;
  EXPECT_NEAR(energy.body_forces, energy.kinetic, 1e-12 * std::abs(energy.kinetic) + 1e-18);
}

TEST(StepForces, FieldActsInItsBoxOnItsMaterialsOverTime) {
  if (!test::RunsAlone()) return;
  Scene scene = Box(0.1);
  scene.materials.Add({"other", 1000.0}, 0.3);
  ForceField field;
  field.acceleration = Vec3(1, 0, 0);
  field.force_per_volume = Vec3(0, 2650.0, 0);
  field.table = {{0.0, 1e-3}, {Vec3::Zero(), Vec3(0, 0, 2)}};
  field.lower = Vec3(0, -1, -1), field.upper = Vec3(1, 1, 1);
  field.materials = {0};
  scene.fields = {field};
  Particles particles;
  for (int i = 0; i < 3; ++i) {
    test::AddSphere(particles, i, Vec3(i == 1 ? -0.05 : 0.05, 0, 0.01 * i), kRadius);
  }
  particles.material[2] = 1;
  Simulation simulation(Communicator::Self(), scene, WithStep(1e-3), particles);
  simulation.Step();
  simulation.Step();
  for (std::size_t i = 0; i < 3; ++i) {
    const Vec3 expected = simulation.Grains().id[i] == 0 ? Vec3(2e-3, 2e-3, 2e-3) : Vec3::Zero();
    EXPECT_LT((simulation.Grains().velocity[i] - expected).norm(), 1e-15);
  }
}

/// Grains that settle through a fluid that shears, in a frame that turns, in a field: all at once.
Scene Suspension(bool has_clumps) {
  Scene scene = test::EmptyScene(Vec3::Zero(), Vec3(0.02, 0.012, 0.012), 0.3);
  scene.gravity = Vec3(0, 0, -9.81);
  scene.domain.periodic = {true, false, false};
  for (int axis = 1; axis < 3; ++axis) {
    test::AddPlane(scene, Vec3::Zero(), Vec3::Unit(axis));
    test::AddPlane(scene, Vec3::Constant(0.012), -Vec3::Unit(axis));
  }
  scene.fluid = Water(DragLaw::kGidaspow, 1e-3);
  scene.fluid.table = {{0.0, 0.012}, {Vec3(-0.1, 0, 0), Vec3(0.3, 0, 0.1)}};
  scene.fluid.cells = {4, 2, 3};
  scene.frame = {Vec3(0, 0.006, 0.006), Vec3(30, 0, 0)};
  scene.fields.emplace_back().acceleration = Vec3(0, 2, 0);
  GrainTemplate grain{0.49e-3, 0, Vec3(0.1, 0, 0), Vec3::Constant(0.1)};
  if (has_clumps) grain.shapes.push_back({test::AddShape(scene, test::Crooked(0.2e-3))});
  if (has_clumps) grain.shapes[0].radius = 0.49e-3;
  scene.fills.push_back({Lattice{scree::Box{Vec3::Zero(), Vec3(0.02, 0.012, 0.012)}, 1e-3}, grain});
  return scene;
}

StepParameters Jacobi(bool has_clumps) {
  StepParameters parameters = WithStep(1e-4);
  parameters.solver.scheme = Scheme::kJacobi;
  if (has_clumps) parameters.solver.kernel = kDefaultKernelOfBodies;
  return parameters;
}

// The energy closes, on any ranks with the same bits, and momentum is what forces and walls gave.
TEST(StepForces, AllAtOnceCloseTheBalanceWithTheSameBitsOnAnyRanks) {
  const Communicator world = Communicator::World();
  for (const bool has_clumps : {false, true}) {
    const Scene scene = Suspension(has_clumps);
    Simulation together(world, scene, Jacobi(has_clumps));
    Simulation alone(Communicator::Self(), scene, Jacobi(has_clumps));
    together.KeepEnergyBook();
    for (int k = 0; k < 25; ++k) together.Step(), alone.Step();
    const Observables all = together.Observe();
    EXPECT_GT(all.loaded_contacts, 50);
    const auto others = test::AllById(Communicator::Self(), alone.Grains());
    for (const auto& [id, motion] : test::AllById(world, together.Grains())) {
      ASSERT_EQ(motion.velocity, others.at(id).velocity) << id;
      ASSERT_EQ(motion.angular_velocity, others.at(id).angular_velocity) << id;
    }
    const EnergyBook& energy = *all.energy;
    EXPECT_GT(std::abs(energy.body_forces), 1e-3 * std::abs(energy.forces));
    EXPECT_NEAR(energy.Imbalance(), 0.0,
                1e-10 * (std::abs(energy.body_forces) + std::abs(energy.kinetic)));
    EXPECT_GT(energy.dissipated, 0.0);
  }
}

// Without walls all that changes the momentum is the weight, and what the fluid takes.
TEST(StepForces, FluidTakesWhatGrainsLose) {
  const Communicator world = Communicator::World();
  Scene scene = Suspension(false);
  scene.domain.periodic = {true, true, true};
  scene.frame = {};
  scene.walls.clear();
  Simulation simulation(world, scene, Jacobi(false));
  const auto momentum = [&] {
    const std::vector<double> masses = simulation.Masses();
    Vec3 sum = Vec3::Zero();
    for (std::size_t i = 0; i < masses.size(); ++i) {
      if (simulation.Grains().id[i] != kGone) sum += masses[i] * simulation.Grains().velocity[i];
    }
    world.Sum(std::span(sum.data(), 3));
    return sum;
  };
  for (int k = 0; k < 50; ++k) {
    const Vec3 before = momentum();
    double mass = 0.0;
    for (const double one : simulation.Masses()) mass += one;
    simulation.Step();
    Vec3 given = Vec3::Zero();
    for (const Vec3& one : simulation.BodyImpulses()) given += one;
    world.Sum(std::span(given.data(), 3));
    const Vec3 weight = 1e-4 * world.Sum(mass) * scene.gravity;
    EXPECT_LT((momentum() - before - given - weight).norm(), 1e-13 * world.Sum(mass));
  }
}

}  // namespace
}  // namespace scree::step_forces_test
