// Forces in addition to weight and contacts: fields, a rotating frame, fluids, forces of a program.
#include "engine/step/step_forces.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "engine/geometry/periodic_images.hpp"
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

Scene CubeScene(double size) {
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

// The steps are a tenth and a hundred relaxation times long. The reference is an independent
// implementation of the drag law.
TEST(StepForces, SphereSettlesAtTheTerminalSpeedOfTheLaw) {
  if (!test::IsSingleRank()) return;
  for (const double viscosity : {0.6, 0.1, 1e-2, 1e-3, 3e-4}) {
    for (const DragLaw law : {DragLaw::kStokes, DragLaw::kSchillerNaumann}) {
      if (law == DragLaw::kStokes && viscosity < 1e-2) continue;  // would take long
      Scene scene = CubeScene(2.0);
      scene.domain.periodic = {true, true, true};
      scene.gravity = Vec3(0, 0, -9.81);
      scene.fluid = Water(law, viscosity);
      const double d = 2.0 * kRadius, relaxation = 2650.0 * d * d / (18.0 * viscosity);
      const auto drag = [&](double v) {
        const double reynolds = 1000.0 * d * v / viscosity;
        const double correction = law == DragLaw::kStokes ? 1.0
                                  : reynolds < 1000.0     ? 1.0 + 0.15 * std::pow(reynolds, 0.687)
                                                          : 0.44 / 24.0 * reynolds;
        return 3.0 * std::numbers::pi * viscosity * d * v * correction;
      };
      const double weight = 1650.0 * 9.81 * std::numbers::pi / 6.0 * d * d * d;
      double lower = 0.0, upper = 100.0;
      for (int k = 0; k < 100; ++k) {
        const double half = 0.5 * (lower + upper);
        (drag(half) < weight ? lower : upper) = half;
      }
      for (const double relaxations : {0.1, 100.0}) {
        const double dt = std::min({relaxations * relaxation, 0.2 / lower, 0.15});
        Simulation simulation = OneSphere(scene, dt);
        for (int k = 0; k < 400; ++k) simulation.Step();
        const double speed = -simulation.Grains().velocity[0].z();
        EXPECT_NEAR(speed / lower, 1.0, 1e-9) << viscosity << " Pa s, step " << dt;
        EXPECT_NEAR(simulation.BodyImpulses()[0].z(), dt * test::Mass(kRadius) * 9.81,
                    1e-9 * dt * test::Mass(kRadius));
      }
    }
  }
}

// A fluid at rest and the drag of the program, about a fluid of its own that flows. Both take the
// slip at the end of the step.
TEST(StepForces, SphereBetweenTwoFluidsReachesItsSteadySpeedInStepsOfAnyLength) {
  if (!test::IsSingleRank()) return;
  Scene scene = CubeScene(2.0);
  scene.domain.periodic = {true, true, true};
  scene.fluid = Water(DragLaw::kSchillerNaumann, 1e-3);
  for (const double program_drag : {1e-3, 5e-2}) {
    double lower = 0.0, upper = 1.0;
    for (int k = 0; k < 100; ++k) {
      const double v = 0.5 * (lower + upper);
      const double fluid_drag = DragCoefficient(scene.fluid, 2.0 * kRadius, v, 1.0) * v;
      (fluid_drag < program_drag * (1.0 - v) ? lower : upper) = v;
    }
    BodyForces forces;
    forces.force = {program_drag * Vec3::UnitX()};
    forces.drag = {program_drag};
    for (const double dt : {1e-4, 5e-3, 0.1}) {
      Simulation simulation = OneSphere(scene, dt);
      for (int k = 0; k < 3000; ++k) simulation.Step(forces);
      EXPECT_NEAR(simulation.Grains().velocity[0].x() / lower, 1.0, 1e-9) << program_drag << dt;
    }
  }
}

// The drag on the particles in a unit volume of a bed is Ergun's pressure drop per length.
TEST(StepForces, DragOfABedIsErgunsPressureDrop) {
  const double d = 1e-3, e = 0.45, u = 0.02;  // diameter, porosity, velocity between particles
  const Fluid fluid = Water(DragLaw::kGidaspow, 1e-3);
  const double superficial = e * u;
  const double drop = 150.0 * (1 - e) * (1 - e) * 1e-3 * superficial / (e * e * e * d * d) +
                      1.75 * (1 - e) * 1000.0 * superficial * superficial / (e * e * e * d);
  const double per_volume = (1 - e) / (std::numbers::pi / 6.0 * d * d * d);
  EXPECT_NEAR(per_volume * DragCoefficient(fluid, d, u, e) * u / drop, 1.0, 1e-12);
}

// Hindered settling, v/v₀ = ε^(n−1) for the interstitial slip. The exponent n of Richardson and
// Zaki is 4.65 at low and 2.4 at high Reynolds numbers; published bands are 4.6 to 4.9 and 2.3 to
// 2.5.
TEST(StepForces, HinderedSettlingHasTheExponentOfRichardsonAndZaki) {
  const double d = 2.0 * kRadius, weight = 1.0;  // any value, because only ratios are compared
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

// A particle at rest on a floor presses with its weight minus buoyancy and drag, however long
// the step is.
TEST(StepForces, ParticleAtRestUnderAFlowPressesWithItsNetForce) {
  if (!test::IsSingleRank()) return;
  Scene scene = CubeScene(0.1);
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

// The angular velocity of the sphere relative to half the curl of the fluid velocity shrinks by the
// factor 1/(1 + dt k_r/I) per step; k_r is the drag torque per angular velocity.
TEST(StepForces, SphereRotatesWithAShearedFluid) {
  if (!test::IsSingleRank()) return;
  Scene scene = CubeScene(0.1);
  scene.fluid = Water(DragLaw::kStokes, 0.1);
  scene.fluid.table = {{-0.1, 0.1}, {Vec3(-1, 0, 0), Vec3(1, 0, 0)}};  // 10 1/s
  Simulation simulation = OneSphere(scene, 1e-3);
  simulation.Step();
  const double inertia = 0.4 * test::Mass(kRadius) * kRadius * kRadius;
  const double relative_step =  // dt k_r/I
      1e-3 * 8.0 * std::numbers::pi * 0.1 * std::pow(kRadius, 3) / inertia;
  const Vec3 expected(0, 5.0 * relative_step / (1.0 + relative_step), 0);
  EXPECT_LT((simulation.Grains().angular_velocity[0] - expected).norm(), 1e-12);
}

// A sphere drifts with the fluid through the end along the gradient, where the velocity of the
// image is 2 m/s lower. It is wrapped some steps later.
TEST(StepForces, FluidOfAShearedDomainCarriesASphereThroughItsEnd) {
  if (!test::IsSingleRank()) return;
  Scene scene = CubeScene(0.1);
  scene.domain.periodic = {true, true, true};
  scene.domain.shear.rate = 10.0;
  scene.fluid = Water(DragLaw::kStokes, 1.0);
  scene.fluid.velocity = Vec3(0, 0, 0.05);
  scene.fluid.table = {{-0.1, 0.1}, {Vec3(-1, 0, 0), Vec3(1, 0, 0)}};
  Simulation simulation = OneSphere(scene, 1e-3, Vec3(0, 0, 0.099), Vec3(0.99, 0, 0.05));
  bool has_crossed = false;
  for (int k = 0; k < 60; ++k) {
    simulation.Step();
    Vec3 x = simulation.Grains().position[0], v = simulation.Grains().velocity[0];
    has_crossed = has_crossed || x.z() > 0.1;
    PeriodicImages(scene.domain, simulation.Time()).Wrap(x, v);
    ASSERT_NEAR(v.x(), 10.0 * x.z(), 2e-3) << k;
  }
  EXPECT_TRUE(has_crossed);
}

/// A point x with the velocity v in the frame at rest, seen from the rotating frame.
struct RotatingView {
  RotatingFrame frame = {Vec3(0.01, 0.02, 0), Vec3(0, 0, 7.0)};

  Vec3 Rotate(double time, const Vec3& vector) const {
    return Eigen::AngleAxisd(-frame.angular_velocity.z() * time, Vec3::UnitZ()) * vector;
  }
  Vec3 Position(double time, const Vec3& x) const {
    return frame.centre + Rotate(time, x - frame.centre);
  }
  Vec3 Velocity(double time, const Vec3& x, const Vec3& v) const {
    return Rotate(time, v - frame.angular_velocity.cross(x - frame.centre));
  }
};

const Vec3 kStart(0.1, -0.05, -0.3);

// In the frame at rest, particles rest or move on a straight line. The rotating frame makes a full
// turn. The velocities are given at the start time.
TEST(StepForces, RotatingFrameSeesAStraightLine) {
  if (!test::IsSingleRank()) return;
  const RotatingView view;
  Scene scene = CubeScene(1.0);
  scene.frame = view.frame;
  for (const Vec3& v : {Vec3(0, 0, 0), Vec3(0.3, 0.2, 0.5)}) {
    for (const double dt : {1e-3, 0.02}) {
      Simulation simulation = OneSphere(scene, dt, kStart, view.Velocity(0.0, kStart, v));
      simulation.EnableEnergyBalance();
      for (int k = 1; k * dt < 0.9; ++k) {
        simulation.Step();
        const Vec3 expected = view.Position(k * dt, kStart + k * dt * v);
        ASSERT_LT((simulation.Grains().position[0] - expected).norm(), 1e-12) << v << dt << k;
      }
      const EnergyBalance energy = *simulation.Observe().energy;
      EXPECT_NEAR(energy.body_forces, energy.kinetic, 1e-12 * std::abs(energy.kinetic) + 1e-18);
    }
  }
}

// Seen from the frame at rest, a box moves as it would without the rotating frame. It is at rest or
// tumbles.
TEST(StepForces, RotatingFrameSeesAFreeRotation) {
  if (!test::IsSingleRank()) return;
  const RotatingView view;
  for (const Vec3& omega : {Vec3(0, 0, 0), Vec3(0.3, 9.0, 2.0)}) {
    for (const double dt : {1e-3, 0.02}) {
      Scene rest_scene = CubeScene(1.0);
      ClumpDescription box;
      box.name = "box";
      box.solid = "box";
      box.size = {0.01, 0.02, 0.04};
      const ShapeId shape = test::AddShape(rest_scene, box);
      Scene rotating_scene = rest_scene;
      rotating_scene.frame = view.frame;
      const Quaternion start = RotationBy(Vec3(0.4, 0.2, 0.1));
      Particles rest_particles, rotating_particles;
      test::AddClump(rest_scene, rest_particles, 0, shape, kStart, start, Vec3::Zero(), omega);
      test::AddClump(rest_scene, rotating_particles, 0, shape, kStart, start,
                     view.Velocity(0.0, kStart, Vec3::Zero()), omega - view.frame.angular_velocity);
      StepParameters parameters = WithStep(dt);
      parameters.solver.kernel = kDefaultKernelOfBodies;
      Simulation in_rest_frame(Communicator::Self(), rest_scene, parameters, rest_particles);
      Simulation in_rotating_frame(Communicator::Self(), rotating_scene, parameters,
                                   rotating_particles);
      for (int k = 1; k * dt < 0.9; ++k) {
        in_rest_frame.Step();
        in_rotating_frame.Step();
        const Vec3 spin = view.Rotate(k * dt, in_rest_frame.Grains().angular_velocity[0]);
        ASSERT_LT(
            (in_rotating_frame.Grains().angular_velocity[0] - spin + view.frame.angular_velocity)
                .norm(),
            1e-10)
            << k;
        const Mat3 rotation = RotationMatrix(in_rest_frame.Grains().orientation[0]);
        const Mat3 expected = view.Rotate(k * dt, Vec3::UnitX()) * rotation.row(0) +
                              view.Rotate(k * dt, Vec3::UnitY()) * rotation.row(1) +
                              view.Rotate(k * dt, Vec3::UnitZ()) * rotation.row(2);
        ASSERT_LT((RotationMatrix(in_rotating_frame.Grains().orientation[0]) - expected).norm(),
                  1e-10)
            << k;
      }
    }
  }
}

// Steps change their length, and a program inserts a particle between them.
TEST(StepForces, RotatingFrameSeesAStraightLineInAutomaticSteps) {
  if (!test::IsSingleRank()) return;
  const RotatingView view;
  Scene scene = CubeScene(1.0);
  scene.frame = view.frame;
  const StepParameters parameters = {.dt = kBaseStep, .accuracy = 0.01};
  const Vec3 v(0.3, 0.2, 0.5), inserted_x(0.2, 0.1, 0.1), inserted_v(-0.1, 0.3, 0.2);
  Particles first_particle;
  test::AddSphere(first_particle, 0, kStart, 0.05, view.Velocity(0.0, kStart, v));
  Simulation simulation(Communicator::Self(), scene, parameters, first_particle);
  double start_time = 0.0;
  std::int64_t shortest = kNoEvent, longest = 0, step_before = 0;
  for (int k = 0; k < 60; ++k) {
    simulation.EndStepAt(simulation.Steps() + 100'000 * (1 + 2 * (k % 3)));
    simulation.Step();
    shortest = std::min(shortest, simulation.Steps() - step_before);
    longest = std::max(longest, simulation.Steps() - step_before);
    step_before = simulation.Steps();
    if (k == 10) {
      start_time = simulation.Time();
      Particles inserted;
      test::AddSphere(inserted, 0, view.Position(start_time, inserted_x), 0.05,
                      view.Velocity(start_time, inserted_x, inserted_v));
      simulation.Insert(inserted);
    }
    const double time = simulation.Time();
    for (std::size_t i = 0; i < simulation.Grains().owned; ++i) {
      const bool is_first = simulation.Grains().id[i] == 0;
      const Vec3 x =
          is_first ? Vec3(kStart + time * v) : Vec3(inserted_x + (time - start_time) * inserted_v);
      ASSERT_LT((simulation.Grains().position[i] - view.Position(time, x)).norm(), 1e-12) << k;
    }
  }
  EXPECT_GT(longest, 2 * shortest);
  EXPECT_EQ(simulation.Grains().owned, 2u);
}

// Rain enters in the step in which it is due.
TEST(StepForces, RotatingFrameSeesRainMoveStraight) {
  if (!test::IsSingleRank()) return;
  const RotatingView view;
  Scene scene = CubeScene(1.0);
  scene.frame = view.frame;
  Rain rain;
  rain.grain = {kRadius, 0, Vec3(0.2, -0.3, 0.1), Vec3::Zero()};
  rain.region = scree::Box{Vec3(0.1, 0.1, 0.1), Vec3(0.2, 0.2, 0.2)};
  rain.counts = true;
  rain.rate = 100.0;
  rain.total = 5.0;
  scene.rains = {rain};
  constexpr double kDt = 1e-3;
  Particles first_particle;  // far from the rain
  test::AddSphere(first_particle, 0, Vec3(0, 0, -0.5), kRadius);
  Simulation simulation(Communicator::Self(), scene, WithStep(kDt), first_particle);
  std::map<ParticleId, std::pair<double, Vec3>> starts;  // time, and position in the rotating frame
  for (int k = 1; k <= 200; ++k) {
    simulation.Step();
    const Particles& grains = simulation.Grains();
    for (std::size_t i = 0; i < grains.owned; ++i) {
      if (grains.id[i] == 0) continue;
      const auto [entry, is_new] = starts.try_emplace(grains.id[i], k * kDt, grains.position[i]);
      const auto& [start_time, start_position] = entry->second;
      const Vec3 v = rain.grain.velocity +
                     view.frame.angular_velocity.cross(start_position - view.frame.centre);
      const Vec3 x = start_position + (k * kDt - start_time) * v;
      ASSERT_LT((grains.position[i] - view.Position(k * kDt - start_time, x)).norm(), 1e-12);
    }
  }
  EXPECT_EQ(starts.size(), 5u);
}

// A restart point stores the time to which its velocities belong.
TEST(StepForces, RotatingFrameSeesAStraightLineThroughARestart) {
  if (!test::IsSingleRank()) return;
  const RotatingView view;
  Scene scene = CubeScene(1.0);
  scene.frame = view.frame;
  const Communicator self = Communicator::Self();
  const StepParameters parameters = {.dt = kBaseStep, .accuracy = 0.01};
  const Subdomains subdomains(scene.domain, SmallestHaloGrid(scene.domain, 1));
  const Vec3 v(0.3, 0.2, 0.5);
  for (const int stop : {0, 7}) {
    State state;
    test::AddSphere(state.particles, 0, kStart, 0.05, view.Velocity(0.0, kStart, v));
    const auto run = [&](TimeStep& step, int first_step, int last_step) {
      for (int k = first_step; k < last_step; ++k)
        step.Advance(state, {}, 0, state.step + 100'000 * (1 + 2 * (k % 3)));
    };
    TimeStep before_restart(self, scene, parameters, subdomains, state);
    run(before_restart, 0, stop);
    const RestartPoint point = before_restart.Point(state);
    TimeStep after_restart(self, scene, parameters, subdomains, state, point);
    run(after_restart, stop, 20);
    const double time = kBaseStep * static_cast<double>(state.step);
    const Vec3 expected = view.Position(time, kStart + time * v);
    EXPECT_LT((state.particles.position[0] - expected).norm(), 1e-12) << stop;
  }
}

// Output contains the velocities at its time, for fixed and automatic steps. A run can start from
// this output.
TEST(StepForces, OutputOfARotatingFrameHasTheVelocitiesOfItsTime) {
  if (!test::IsSingleRank()) return;
  const RotatingView view;
  Scene scene = CubeScene(1.0);
  scene.frame = view.frame;
  const Vec3 v(0.3, 0.2, 0.5);
  for (const bool is_automatic : {false, true}) {
    StepParameters parameters = WithStep(1e-3);
    if (is_automatic) parameters.dt = kBaseStep, parameters.accuracy = 0.01;
    Particles start_particles;
    test::AddSphere(start_particles, 0, kStart, 0.05, view.Velocity(0.0, kStart, v));
    Simulation simulation(Communicator::Self(), scene, parameters, start_particles);
    simulation.EnableEnergyBalance();
    const double energy = simulation.Observe().kinetic_energy;
    for (int k = 0; k < 100; ++k) {
      const double time = simulation.Time();
      const Vec3 expected = view.Velocity(time, kStart + time * v, v);
      const std::vector<Vec3> output_velocities = simulation.VelocitiesNow();
      ASSERT_EQ(output_velocities.size(), k == 0 ? 0u : 1u);
      ASSERT_LT(((k == 0 ? simulation.Grains().velocity : output_velocities)[0] - expected).norm(),
                1e-12)
          << k;
      const Observables observed = simulation.Observe();
      ASSERT_NEAR(observed.max_speed, expected.norm(), 1e-12);
      ASSERT_LT((observed.mean_velocity - expected).norm(), 1e-12);
      const double mass = simulation.Masses()[0];
      const double expected_spin =
          0.2 * mass * 0.05 * 0.05 * simulation.Grains().angular_velocity[0].squaredNorm();
      ASSERT_NEAR(observed.kinetic_energy, 0.5 * mass * expected.squaredNorm() + expected_spin,
                  1e-12 * mass);
      ASSERT_NEAR(observed.energy->kinetic, observed.kinetic_energy - energy, 1e-11 * mass);
      ASSERT_NEAR(observed.energy->Imbalance(), 0.0, 1e-11 * mass);
      simulation.Step();
    }
    if (is_automatic) continue;

    const double output_time = simulation.Time();
    Particles restart_particles = start_particles;
    restart_particles.position = {simulation.Grains().position[0]};
    restart_particles.velocity = {simulation.VelocitiesNow()[0]};
    StepParameters shorter = WithStep(0.3e-3);
    Simulation restarted(Communicator::Self(), scene, shorter, restart_particles);
    for (int k = 0; k < 300; ++k) restarted.Step();
    const Vec3 expected_position = view.Position(output_time + restarted.Time(),
                                                 kStart + (output_time + restarted.Time()) * v);
    EXPECT_LT((restarted.Grains().position[0] - expected_position).norm(), 1e-12);
  }
}

// A sphere that slides without friction on a level floor moves on a straight line in the frame at
// rest.
TEST(StepForces, OutputOfARotatingFrameHasTheSlidingVelocityOfItsTime) {
  if (!test::IsSingleRank()) return;
  const RotatingView view;
  Scene scene = test::EmptyScene(Vec3::Constant(-1.0), Vec3::Constant(1.0), 0.0);
  scene.gravity = Vec3(0, 0, -9.81);
  scene.frame = view.frame;
  test::AddPlane(scene, Vec3::Zero(), Vec3::UnitZ());
  const Vec3 start(0.05, 0.02, kRadius), v(0.3, 0.2, 0.0);
  Simulation simulation = OneSphere(scene, 1e-3, start, view.Velocity(0.0, start, v));
  for (int k = 0; k < 50; ++k) simulation.Step();
  const double time = simulation.Time();
  const Vec3 expected = view.Velocity(time, start + time * v, v);
  EXPECT_LT((simulation.VelocitiesNow().at(0) - expected).norm(), 2e-5);
  EXPECT_GT((simulation.Grains().velocity[0] - expected).norm(), 2e-3);
}

// The output does not contain half of the centrifugal kick, 4.9 mm/s, because the wall resists it.
TEST(StepForces, OutputOfARotatingFrameHasAPressedParticleAtRest) {
  if (!test::IsSingleRank()) return;
  Scene scene = CubeScene(1.0);
  scene.frame.angular_velocity = Vec3(0, 0, 7.0);
  test::AddPlane(scene, Vec3(0.2 + kRadius, 0, 0), -Vec3::UnitX());
  Simulation simulation = OneSphere(scene, 1e-3, Vec3(0.2, 0, 0));
  for (int k = 0; k < 50; ++k) simulation.Step();
  EXPECT_LT((simulation.VelocitiesNow().at(0) - simulation.Grains().velocity[0]).norm(), 1e-4);
}

/// A smooth or rough pipe about the axis of a rotating frame.
Scene PipeInARotatingFrame(double rate, double friction) {
  Scene scene = test::EmptyScene(Vec3::Constant(-0.2), Vec3::Constant(0.2), friction);
  scene.frame.angular_velocity = Vec3(0, 0, rate);
  Wall wall;
  wall.name = "pipe";
  wall.shape.parts = {Pipe{Vec3(0, 0, -1), Vec3(0, 0, 1), 0.1}};
  scene.walls.push_back(wall);
  return scene;
}
const Vec3 kOnPipe(0.1 - kRadius, 0, 0);

TEST(StepForces, SphereThatSlidesInARotatingFrameKeepsItsSpeedInSpace) {
  if (!test::IsSingleRank()) return;
  constexpr double kSpeed = 0.5;
  for (const double rate : {3.0, -3.0}) {
    const Scene scene = PipeInARotatingFrame(rate, 0.0);
    const Vec3& omega = scene.frame.angular_velocity;
    Simulation simulation =
        OneSphere(scene, 2e-4, kOnPipe, Vec3(0, kSpeed, 0) - omega.cross(kOnPipe));
    simulation.EnableEnergyBalance();
    for (int k = 0; k < 5000; ++k) simulation.Step();
    const Vec3 v = simulation.VelocitiesNow().at(0) + omega.cross(simulation.Grains().position[0]);
    EXPECT_NEAR(v.norm(), kSpeed, 1e-4 * kSpeed) << rate;
    EXPECT_NEAR(simulation.Observe().energy->Imbalance(), 0.0, 1e-9 * simulation.Masses()[0]);
  }
}

// The first step leaves a velocity of second order. An error of first order would accelerate the
// sphere, to a thousand times this velocity.
TEST(StepForces, SphereThatARotatingFramePressesToAWallIsNotDriven) {
  if (!test::IsSingleRank()) return;
  constexpr double kRate = 7.0, kStep = 1e-3;
  const double second_order = std::pow(kRate, 3) * kOnPipe.x() * kStep * kStep;  // [m/s]
  for (const double friction : {0.0, 0.5}) {
    Simulation simulation = OneSphere(PipeInARotatingFrame(kRate, friction), kStep, kOnPipe);
    for (int k = 0; k < 1000; ++k) simulation.Step();
    EXPECT_LT(simulation.Grains().velocity[0].norm(), 2.0 * second_order) << friction;
  }
}

// Drag and buoyancy resist the centrifugal kick. The step is 170 relaxation times long, so that
// half of the kick would be many times the velocity.
TEST(StepForces, OutputOfARotatingFrameHasTheVelocityOfADriftingParticle) {
  if (!test::IsSingleRank()) return;
  Scene scene = CubeScene(1.0);
  scene.frame.angular_velocity = Vec3(0, 0, 7.0);
  scene.fluid = Water(DragLaw::kStokes, 100.0);
  Simulation simulation = OneSphere(scene, 1e-3, Vec3(0.2, 0, 0));
  for (int k = 0; k < 50; ++k) simulation.Step();
  const Vec3 position = simulation.Grains().position[0];
  const Vec3 velocity = simulation.VelocitiesNow().at(0);
  simulation.Step();
  const Vec3 displacement = simulation.Grains().position[0] - position;
  EXPECT_LT((velocity - displacement / 1e-3).norm(), 1e-3 * velocity.norm());
}

// Particles that an edit does not touch keep their bits.
TEST(StepForces, EditedVelocitiesInARotatingFrameBelongToThePresentTime) {
  if (!test::IsSingleRank()) return;
  const RotatingView view;
  Scene scene = CubeScene(1.0);
  scene.frame = view.frame;
  const Vec3 v(0.3, 0.2, 0.5), edited_velocity(-0.2, 0.1, 0.4);
  Simulation simulation = OneSphere(scene, 1e-3, kStart, view.Velocity(0.0, kStart, v));
  for (int k = 0; k < 20; ++k) simulation.Step();
  const Vec3 stored = simulation.Grains().velocity[0], present = simulation.VelocitiesNow().at(0);
  ASSERT_EQ(simulation.BeginEdit().velocity[0], present);
  simulation.EndEdit();
  EXPECT_EQ(simulation.Grains().velocity[0], stored);
  const double edit_time = simulation.Time();
  const Vec3 edit_position = kStart + edit_time * v;
  const auto edited_velocities = simulation.BeginEdit().velocity;
  edited_velocities[0] = Vec3(0, 0, std::numeric_limits<double>::quiet_NaN());
  EXPECT_THROW(simulation.EndEdit(), SimulationError);
  edited_velocities[0] = view.Velocity(edit_time, edit_position, edited_velocity);
  simulation.EndEdit();
  EXPECT_LT(
      (simulation.VelocitiesNow().at(0) - view.Velocity(edit_time, edit_position, edited_velocity))
          .norm(),
      1e-12);
  for (int k = 0; k < 20; ++k) simulation.Step();
  const double time = simulation.Time();
  EXPECT_LT((simulation.Grains().position[0] -
             view.Position(time, edit_position + (time - edit_time) * edited_velocity))
                .norm(),
            1e-12);
}

// The stored velocity, half a step older, depends on the position.
TEST(StepForces, EditedPositionsInARotatingFrameKeepTheVelocities) {
  if (!test::IsSingleRank()) return;
  Scene scene = CubeScene(1.0);
  scene.frame.angular_velocity = Vec3(0, 0, 30.0);
  Simulation simulation = OneSphere(scene, 1e-3, Vec3(0.01, 0, 0), Vec3(0.1, 0.1, 0));
  for (int k = 0; k < 5; ++k) simulation.Step();
  const Vec3 velocity = simulation.VelocitiesNow().at(0);
  simulation.BeginEdit().position[0] += Vec3(0.05, 0, 0);
  simulation.EndEdit();
  EXPECT_LT((simulation.VelocitiesNow().at(0) - velocity).norm(), 1e-12);
}

TEST(StepForces, FieldActsInItsBoxOnItsMaterialsDuringItsTime) {
  if (!test::IsSingleRank()) return;
  Scene scene = CubeScene(0.1);
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

/// Particles that settle in a sheared fluid, in a rotating frame and in a field.
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
  if (has_clumps) grain.shapes.push_back({test::AddShape(scene, test::AsymmetricShape(0.2e-3))});
  if (has_clumps) grain.shapes[0].radius = 0.49e-3;
  scene.fills.push_back({Lattice{scree::Box{Vec3::Zero(), Vec3(0.02, 0.012, 0.012)}, 1e-3}, grain});
  return scene;
}

StepParameters JacobiParameters(bool has_clumps) {
  StepParameters parameters = WithStep(1e-4);
  parameters.solver.scheme = Scheme::kJacobi;
  if (has_clumps) parameters.solver.kernel = kDefaultKernelOfBodies;
  return parameters;
}

TEST(StepForces, SuspensionHasTheSameBitsOnAnyRanksAndAClosedEnergyBalance) {
  const Communicator world = Communicator::World();
  for (const bool has_clumps : {false, true}) {
    const Scene scene = Suspension(has_clumps);
    Simulation parallel(world, scene, JacobiParameters(has_clumps));
    Simulation serial(Communicator::Self(), scene, JacobiParameters(has_clumps));
    parallel.EnableEnergyBalance();
    for (int k = 0; k < 25; ++k) parallel.Step(), serial.Step();
    const Observables all = parallel.Observe();
    EXPECT_GT(all.loaded_contacts, 50);
    const auto serial_particles = test::GatherById(Communicator::Self(), serial.Grains());
    for (const auto& [id, motion] : test::GatherById(world, parallel.Grains())) {
      ASSERT_EQ(motion.velocity, serial_particles.at(id).velocity) << id;
      ASSERT_EQ(motion.angular_velocity, serial_particles.at(id).angular_velocity) << id;
    }
    const EnergyBalance& energy = *all.energy;
    EXPECT_GT(std::abs(energy.body_forces), 1e-3 * std::abs(energy.forces));
    EXPECT_NEAR(energy.Imbalance(), 0.0,
                1e-10 * (std::abs(energy.body_forces) + std::abs(energy.kinetic)));
    EXPECT_GT(energy.dissipated, 0.0);
  }
}

// Without walls, only weight and drag change the momentum.
TEST(StepForces, FluidGainsTheMomentumThatParticlesLose) {
  const Communicator world = Communicator::World();
  Scene scene = Suspension(false);
  scene.domain.periodic = {true, true, true};
  scene.frame = {};
  scene.walls.clear();
  Simulation simulation(world, scene, JacobiParameters(false));
  const auto momentum = [&] {
    const std::vector<double> masses = simulation.Masses();
    Vec3 sum = Vec3::Zero();
    for (std::size_t i = 0; i < masses.size(); ++i) {
      if (simulation.Grains().id[i] != kRemovedId)
        sum += masses[i] * simulation.Grains().velocity[i];
    }
    world.Sum(std::span(sum.data(), 3));
    return sum;
  };
  for (int k = 0; k < 50; ++k) {
    const Vec3 momentum_before = momentum();
    double mass = 0.0;
    for (const double particle_mass : simulation.Masses()) mass += particle_mass;
    simulation.Step();
    Vec3 fluid_impulse = Vec3::Zero();
    for (const Vec3& impulse : simulation.BodyImpulses()) fluid_impulse += impulse;
    world.Sum(std::span(fluid_impulse.data(), 3));
    const Vec3 weight = 1e-4 * world.Sum(mass) * scene.gravity;
    EXPECT_LT((momentum() - momentum_before - fluid_impulse - weight).norm(),
              1e-13 * world.Sum(mass));
  }
}

}  // namespace
}  // namespace scree::step_forces_test
