// Automatic steps: the limits of their length, exact output times, and states that do not depend on
// changes of the length.
#include "engine/step/adaptive_step.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <memory>
#include <vector>

#include "engine/contacts/contact_list.hpp"
#include "engine/geometry/triangle_mesh.hpp"
#include "engine/particles/random.hpp"
#include "engine/step/simulation.hpp"
#include "solvers/base/check.hpp"
#include "tests/support/meshes.hpp"
#include "tests/support/same_bits.hpp"
#include "tests/support/scenes.hpp"
#include "tests/support/schemes.hpp"

namespace scree::adaptive_step_test {
namespace {

using test::AddSphere;

constexpr double kRadius = 1e-3;

Scene Bed() {
  Scene scene = test::EmptyScene(Vec3::Zero(), Vec3(0.02, 0.016, 0.2), 0.4);
  scene.domain.periodic = {true, true, false};
  scene.gravity = Vec3(0.2, 0, -9.81);
  test::AddPlane(scene, Vec3::Zero(), Vec3::UnitZ());
  return scene;
}

State LooseSpheres(const Communicator& communicator) {
  State state;
  if (!communicator.IsRoot()) return state;
  for (ParticleId id = 0; id < 400; ++id) {
    const auto random = [&](std::uint64_t draw) { return UniformAroundZero(9, id, draw); };
    const Vec3 site(static_cast<double>(id % 9), static_cast<double>(id / 9 % 7),
                    static_cast<double>(id / 63));
    AddSphere(state.particles, id, 0.0022 * (site + Vec3::Constant(0.5)),
              kRadius + 0.05e-3 * random(0), 0.3 * Vec3(random(1), random(2), random(3)));
  }
  return state;
}

StepParameters AutomaticParameters(double accuracy = 0.01) {
  return {.dt = kBaseStep, .accuracy = accuracy};
}

/// The planned step [s] for particles with these speeds [m/s].
double PlannedFor(const Communicator& world, const Scene& scene, const std::vector<double>& speeds,
                  bool has_large_overlaps = false, AdaptiveStepState adaptive = {},
                  FreeWallStates free_walls = {}) {
  Particles particles;
  for (std::size_t i = world.IsRoot() ? 0 : speeds.size(); i < speeds.size(); ++i) {
    AddSphere(particles, static_cast<ParticleId>(i), Vec3(0.01, 0.01, 0.01), kRadius,
              Vec3(0, speeds[i], 0));
  }
  const StepLimits limits =
      MakeStepLimits(scene, AutomaticParameters(), {kRadius, kRadius, kRadius});
  PlanStride(limits, AllowedStep(world, scene, limits, 0, particles, free_walls, adaptive),
             has_large_overlaps, adaptive);
  return kBaseStep * static_cast<double>(adaptive.next_stride);
}

/// The state after many planned steps.
const AdaptiveStepState kSettledState = {
    .stride = std::int64_t{1} << 40, .next_stride = std::int64_t{1} << 40, .growing_steps = 8};

Scene Weightless() { return test::EmptyScene(Vec3::Zero(), Vec3::Constant(0.02), 0.4); }

TEST(PlanStride, StepIsProportionalToRadiusOverSpeed) {
  const Communicator world = Communicator::World();
  for (const double speed : {1e-3, 0.1, 3.0, 40.0}) {
    const double step = PlannedFor(world, Weightless(), std::vector<double>(10, speed));
    // The histogram and the ladder each round the step down by up to a fifth.
    EXPECT_LE(step, 0.2 * kRadius / speed) << speed;
    EXPECT_GT(step, 0.6 * 0.2 * kRadius / speed) << speed;
  }
}

/// The ladder consists of powers of two times 4, 5, 6 and 7.
TEST(PlanStride, StridesAreRoundedToALadder) {
  const Communicator world = Communicator::World();
  for (double speed = 1.0; speed < 4.0; speed *= 1.1) {
    const double step = PlannedFor(world, Weightless(), {speed, speed});
    auto stride = static_cast<std::uint64_t>(std::llround(step / kBaseStep));
    stride >>= std::countr_zero(stride);
    EXPECT_LT(stride, 8u) << step;
  }
}

/// The fastest thousandth of the particles may move by a radius in a step, the others by 0.2 radii.
TEST(PlanStride, RareFastParticlesDoNotLimitTheStep) {
  const Communicator world = Communicator::World();
  std::vector<double> speeds(2000, 0.1);
  const double calm_step = PlannedFor(world, Weightless(), speeds);
  speeds[17] = speeds[18] = 0.3;
  EXPECT_EQ(PlannedFor(world, Weightless(), speeds), calm_step);
  speeds[19] = 0.3;
  EXPECT_LE(PlannedFor(world, Weightless(), speeds), 0.2 * kRadius / 0.3);
  speeds[17] = 100.0;
  EXPECT_LE(PlannedFor(world, Weightless(), speeds), kRadius / 100.0);
}

TEST(PlanStride, WeightWallsAndOscillationsLimitStepsAtRest) {
  const Communicator world = Communicator::World();
  const std::vector<double> resting(10, 0.0);
  Scene scene = Weightless();
  scene.gravity = Vec3(0, 0, -9.81);
  const double weight_step = PlannedFor(world, scene, resting);
  EXPECT_LE(weight_step, 0.045 * std::sqrt(kRadius / 9.81));
  EXPECT_GT(weight_step, 0.035 * std::sqrt(kRadius / 9.81));
  test::AddPlane(scene, Vec3::Zero(), Vec3::UnitZ(), Vec3(0, 0, 2.0));
  EXPECT_LE(PlannedFor(world, scene, resting), 0.2 * kRadius / 2.0);
  scene.walls[0].velocity.setZero();
  scene.walls[0].oscillation = {Vec3(0, 0, 1e-9), 2000.0, 0.0};
  EXPECT_LE(PlannedFor(world, scene, resting), 0.1 / (2.0 * 3.14159 * 2000.0));
}

/// 1e7 Pa accelerates a plate of a gram so much that it limits even the first step.
TEST(PlanStride, DrivesOfFreeWallsLimitStepsAtRest) {
  const Communicator world = Communicator::World();
  Scene scene = Weightless();
  test::AddPlane(scene, Vec3::Zero(), Vec3::UnitZ());
  FreeMotion& plate = scene.walls[0].free;
  plate.freedom = Freedom::kAlong;
  plate.mass = 1e-3;
  plate.pressure = 1e7;
  plate.area = 4e-4;
  const std::vector<double> slow(10, 1e-3);
  EXPECT_LE(PlannedFor(world, scene, slow), std::sqrt(0.2 * kRadius * 1e-3 / 4e3));
  plate.damping = 4e5;  // so that its speed stays below 0.01 m/s
  EXPECT_GT(PlannedFor(world, scene, slow), 0.6 * 0.2 * kRadius / 0.01);
}

TEST(PlanStride, SpringsThatSwingLimitTheStep) {
  const Communicator world = Communicator::World();
  const std::vector<double> resting(10, 0.0);
  Scene scene = Weightless();
  test::AddPlane(scene, Vec3::Zero(), Vec3::UnitZ());
  FreeMotion& plate = scene.walls[0].free;
  plate.freedom = Freedom::kAlong;
  plate.mass = 0.1;
  plate.spring = 4e4;
  const double swing = std::sqrt(plate.mass / plate.spring);
  EXPECT_LE(PlannedFor(world, scene, resting, false, kSettledState), 0.1 * swing);
  plate.damping = std::sqrt(plate.mass * plate.spring);  // half of the critical damping
  const double damped_step = PlannedFor(world, scene, resting, false, kSettledState);
  EXPECT_GT(damped_step, 0.5 * swing);
  EXPECT_LE(damped_step, swing);
  plate.damping *= 2.1;
  EXPECT_GT(PlannedFor(world, scene, resting, false, kSettledState), 10.0 * swing);
  plate.freedom = Freedom::kAbout;
  plate.inertia = 1e-5;
  plate.torsion_spring = 1.0;
  EXPECT_LE(PlannedFor(world, scene, resting, false, kSettledState), 0.1 * std::sqrt(1e-5));
}

/// A heavy tip slides on an arm that a spring or a torque turns. The inertia about the hinge is m
/// r².
TEST(PlanStride, SpringOrDriveOfAHingeLimitsTheStepByThePresentInertia) {
  const Communicator world = Communicator::World();
  const std::vector<double> resting(10, 0.0);
  constexpr double kMass = 0.1, kStart = 0.01;
  const Vec3 hinge(0.002, 0.01, 0.01);
  const Mat3 negligible = 1e-15 * Mat3::Identity();
  Scene scene = Weightless();
  scene.links = {{.name = "arm", .mass = 1e-9, .centre = hinge, .inertia = negligible},
                 {.name = "tip",
                  .mass = kMass,
                  .centre = hinge + kStart * Vec3::UnitX(),
                  .inertia = negligible}};
  scene.joints = {{.name = "turn", .point = hinge, .axis = Vec3::UnitY()},
                  {.name = "slide",
                   .kind = JointKind::kSlider,
                   .parent = 0,
                   .child = 1,
                   .axis = Vec3::UnitX()}};
  std::vector<FreeWallState> states(scene.FreeRows());
  const auto step_at = [&](double r) {
    states[scene.JointRow(1)].travel = r - kStart;
    return PlannedFor(world, scene, resting, false, kSettledState, states);
  };
  const auto test_radii = [&](double step_per_r) {
    for (const double r : {kStart, 0.1 * kStart, 1.5 * kStart}) {
      EXPECT_LE(step_at(r), step_per_r * r) << r;
      EXPECT_GT(step_at(r), 0.75 * step_per_r * r) << r;  // the ladder rounds down by up to a fifth
    }
  };
  constexpr double kSpring = 1.0, kTorque = 2.0;
  scene.joints[0].spring = kSpring;
  test_radii(0.1 * std::sqrt(kMass / kSpring));
  scene.joints[0].spring = 0.0;
  scene.joints[0].force = kTorque;
  const double angle = 0.2 * kRadius / scene.domain.box.Extent().norm();
  test_radii(std::sqrt(angle * kMass / kTorque));
}

/// A flying and spinning mesh: as a driven wall, as a link on a free joint, and at the end of a
/// chain.
TEST(PlanStride, LinkLimitsTheStepLikeADrivenWall) {
  const Communicator world = Communicator::World();
  const std::vector<double> slow(10, 1e-3);
  const Vec3 centre(0.012, 0.01, 0.004), velocity(0, 3, 4), rate(0, 2000, 0);
  Mesh mesh;
  mesh.surface = std::make_shared<const TriangleMesh>(
      test::BoxSurface({Vec3(0.01, 0.008, 0.002), Vec3(0.014, 0.012, 0.006)}), MeshSolid::kNo);
  for (const bool is_spinning : {false, true}) {
    Scene driven = Weightless(), linked = Weightless();
    driven.walls = {{"blade", {{mesh}}}};
    driven.walls[0].velocity = velocity;
    if (is_spinning) driven.walls[0].rotation = {centre, rate};
    const double step = PlannedFor(world, driven, slow);
    EXPECT_LE(step, 0.2 * kRadius / 5.0);
    EXPECT_EQ(step < 0.1 * kRadius / 5.0, is_spinning);

    linked.walls = {{"blade", {{mesh}}}};
    linked.walls[0].link = 0;
    linked.links = {{.name = "blade", .mass = 1.0, .centre = centre, .inertia = Mat3::Identity()}};
    linked.joints = {{.name = "float", .kind = JointKind::kFree}};
    std::vector<FreeWallState> states(linked.FreeRows());
    for (std::size_t c = 0; c < 3; ++c) {
      states[linked.JointRow(0, c)].speed = velocity[static_cast<Index>(c)];
      if (is_spinning) states[linked.JointRow(0, 3 + c)].speed = rate[static_cast<Index>(c)];
    }
    EXPECT_EQ(PlannedFor(world, linked, slow, false, {}, states), step);

    // A slider moves the mesh along its velocity, and a hinge rotates it.
    linked.links.push_back(linked.links[0]);
    linked.walls[0].link = 1;
    linked.joints = {
        {.name = "slide", .kind = JointKind::kSlider, .child = 0, .axis = velocity / 5.0},
        {.name = "turn", .parent = 0, .child = 1, .point = centre, .axis = Vec3::UnitY()}};
    states.assign(linked.FreeRows(), {});
    states[linked.JointRow(0)].speed = 5.0;
    if (is_spinning) states[linked.JointRow(1)].speed = rate.y();
    EXPECT_EQ(PlannedFor(world, linked, slow, false, {}, states), step);
  }
}

/// A blade rotates at a given rate, by a torque, and as a link on a hinge with a torque.
TEST(PlanStride, SmallRotatingWallLimitsTheStepByItsOwnSize) {
  const Communicator world = Communicator::World();
  const std::vector<double> slow(10, 1e-3);
  const Vec3 centre(0.012, 0.01, 0.004);
  const auto steps_in = [&](double size) {
    Scene scene = test::EmptyScene(Vec3::Zero(), Vec3::Constant(size), 0.4);
    scene.walls = {{"blade", {{Block{{Vec3(0.01, 0.008, 0.002), Vec3(0.014, 0.012, 0.006)}}}}}};
    Wall& blade = scene.walls[0];
    blade.axis = Vec3::UnitY();
    blade.rotation = {centre, 200.0 * blade.axis};
    std::vector<double> steps = {PlannedFor(world, scene, slow)};
    blade.rotation.angular_velocity.setZero();
    blade.free.freedom = Freedom::kAbout;
    blade.free.inertia = 1e-6;
    blade.free.torque = 1.0;
    steps.push_back(PlannedFor(world, scene, slow));
    blade.free = {};
    blade.link = 0;
    scene.links = {
        {.name = "blade", .mass = 1.0, .centre = centre, .inertia = 1e-6 * Mat3::Identity()}};
    scene.joints = {{.name = "turn", .point = centre, .axis = Vec3::UnitY(), .force = 1.0}};
    steps.push_back(PlannedFor(world, scene, slow));
    return steps;
  };
  EXPECT_EQ(steps_in(0.02), steps_in(2.0));
}

TEST(PlanStride, DeepOverlapsShortenTheStep) {
  const Communicator world = Communicator::World();
  AdaptiveStepState adaptive;
  adaptive.stride = adaptive.next_stride = 1 << 26;
  adaptive.calm_steps = 100;
  const std::vector<double> slow(10, 1e-3);
  EXPECT_EQ(PlannedFor(world, Weightless(), slow, true, adaptive), kBaseStep * 3 * (1 << 24));
  EXPECT_EQ(PlannedFor(world, Weightless(), slow, false, adaptive), kBaseStep * (1 << 26));
}

/// Bodies that walls press together may overlap for any length of the steps.
TEST(PlanStride, OverlapsThatPersistDoNotShortenTheStepWithoutEnd) {
  const Communicator world = Communicator::World();
  const std::vector<double> slow(10, 1e-3);
  const double longest = PlannedFor(world, Weightless(), slow, false, kSettledState);
  AdaptiveStepState adaptive;
  adaptive.stride = adaptive.next_stride = 1 << 20;
  adaptive.calm_steps = 100;
  const double step = PlannedFor(world, Weightless(), slow, true, adaptive);
  EXPECT_EQ(step, kBaseStep * (1 << 20));
  EXPECT_LT(step, longest / 64.0);
}

TEST(AreOverlapsTooLarge, IsTrueForOneVeryDeepOrManyDeepOverlaps) {
  const Communicator world = Communicator::World();
  const StepLimits limits =
      MakeStepLimits(Bed(), AutomaticParameters(), {kRadius, kRadius, kRadius});
  // The last rank has several deep overlaps.
  const auto are_too_large = [&](double depth, int deep_count) {
    constexpr int kContacts = 4000;
    ContactList contacts;
    contacts.Begin();
    for (int j = world.Rank(); j < kContacts; j += world.Size()) {
      contacts.Add({Vec3::UnitZ(), -0.001 * kRadius, 0, 1});
    }
    for (int j = 0; j < (world.Rank() == world.Size() - 1 ? deep_count : 0); ++j) {
      contacts.Add({Vec3::UnitZ(), -depth * kRadius, 0, 1});
    }
    contacts.End();
    return AreOverlapsTooLarge(world, limits, contacts.All(), {}, depth * kRadius);
  };
  EXPECT_TRUE(are_too_large(0.11, 1));
  EXPECT_TRUE(are_too_large(0.04, 5));
  EXPECT_FALSE(are_too_large(0.04, 4));
  EXPECT_FALSE(are_too_large(0.02, 3000));
}

TEST(AreOverlapsTooLarge, IsFalseForOrderedImpacts) {
  const Communicator world = Communicator::World();
  const StepLimits limits =
      MakeStepLimits(Bed(), AutomaticParameters(), {kRadius, kRadius, kRadius});
  ContactList contacts;
  contacts.Begin();
  for (int j = 0; j < 10; ++j) contacts.Add({Vec3::UnitZ(), -0.04 * kRadius, 0, 1});
  contacts.End();
  const std::vector<Index> all = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9};
  EXPECT_TRUE(AreOverlapsTooLarge(world, limits, contacts.All(), {}, 0.04 * kRadius));
  EXPECT_FALSE(AreOverlapsTooLarge(world, limits, contacts.All(), all, 0.04 * kRadius));
}

TEST(AreOverlapsTooLarge, IsFalseForBodiesAtRest) {
  // The projection of positions leaves two slops of overlap, however short the steps are.
  const Communicator world = Communicator::World();
  const StepLimits limits =
      MakeStepLimits(Bed(), AutomaticParameters(1e-4), {kRadius, kRadius, kRadius});
  const auto are_too_large = [&](double slops) {
    const double depth = slops * SlopOf(AutomaticParameters(), kRadius);
    ContactList contacts;
    contacts.Begin();
    contacts.Add({Vec3::UnitZ(), -depth, 0, 1});
    contacts.End();
    return AreOverlapsTooLarge(world, limits, contacts.All(), {}, depth);
  };
  EXPECT_FALSE(are_too_large(2.5));
  EXPECT_TRUE(are_too_large(3.5));
}

TEST(PlanStride, FluidsAndAttractionLimitStepsAtRest) {
  const Communicator world = Communicator::World();
  const std::vector<double> resting(10, 0.0);
  Scene wet = Weightless();
  wet.fluid = {.density = 1000.0, .viscosity = 1e-3, .velocity = Vec3(0, 0.5, 0)};
  const double step = PlannedFor(world, wet, resting, false, kSettledState);
  // The particle starts from rest and reaches the speed of the fluid only after a while.
  EXPECT_LE(step, 0.2 * kRadius / 0.5 + 0.01);
  Scene sticky = Weightless();
  const double mass = test::Mass(kRadius), pull = 100.0 * 9.81 * mass;
  sticky.materials.SetLaw<CohesionLaw>(0, 0, {.force = pull});
  EXPECT_LE(PlannedFor(world, sticky, resting, false, kSettledState),
            0.15 * std::sqrt(mass * kRadius / pull));
  Scene spinning = Weightless();
  test::AddPlane(spinning, Vec3::Zero(), Vec3::UnitZ());
  spinning.walls[0].free.freedom = Freedom::kAbout;
  spinning.walls[0].free.inertia = 1e-6;
  spinning.walls[0].free.torque = 1.0;  // corners of the domain are within 35 mm of the axis
  EXPECT_LE(PlannedFor(world, spinning, resting, false, kSettledState),
            std::sqrt(0.2 * kRadius / 0.035 * 1e-6));
}

TEST(PlanStride, FirstStepIsShortWithoutATimeScale) {
  const Communicator world = Communicator::World();
  const std::vector<double> resting(10, 0.0);
  EXPECT_LE(PlannedFor(world, Weightless(), resting), 1.001e-6);
  EXPECT_LE(PlannedFor(world, Weightless(), resting, false, kSettledState), 10.0);
}

/// Without this error, bodies could pass through others unnoticed.
TEST(PlanStride, NoStepIsShorterThanABaseStep) {
  const Communicator world = Communicator::World();
  EXPECT_THROW(PlannedFor(world, Weightless(), {3e5, 3e5}), SimulationError);
}

/// Eight particles at rest, after this number of steps of growing length.
Simulation AtRest(const Communicator& world, Scene scene, int steps) {
  Particles particles;
  for (ParticleId id = 0; id < 8 && world.IsRoot(); ++id) {
    const Vec3 site((id & 1) != 0, (id & 2) != 0, (id & 4) != 0);
    AddSphere(particles, id, 0.008 * (site + Vec3::Constant(0.5)), kRadius);
  }
  Simulation simulation(world, scene, AutomaticParameters(), particles);
  for (int k = 0; k < steps; ++k) simulation.Step();
  return simulation;
}

double MaxSpeed(const Simulation& simulation) {
  double largest = 0.0;
  for (std::size_t i = 0; i < simulation.Grains().owned; ++i) {
    largest = std::max(largest, simulation.Grains().velocity[i].norm());
  }
  return simulation.Ranks().Max(largest);
}

TEST(WeightlessAtRest, ForcesOfTheCallerLimitTheFirstStep) {
  const Communicator world = Communicator::World();
  Scene scene = Weightless();
  scene.domain.periodic = {false, true, false};
  for (const int steps_before : {0, 10, 400}) {
    Simulation simulation = AtRest(world, scene, steps_before);
    const double begin = simulation.Time();
    if (steps_before <= 10) {
      EXPECT_LT(begin, 1e-4);
    }
    constexpr double kAcceleration = 2.0;  // [m/s²]
    for (int k = 0; k < 20; ++k) {
      BodyForces forces;
      for (const double mass : simulation.Masses()) {
        forces.force.emplace_back(0, kAcceleration * mass, 0);
      }
      const double time_before = simulation.Time();
      simulation.Step(forces);
      const double dt = simulation.Time() - time_before;
      const double v = kAcceleration * (simulation.Time() - begin);
      EXPECT_NEAR(MaxSpeed(simulation), v, 1e-10 * v) << k;
      EXPECT_LE(dt * v, 0.45 * kRadius) << k;
    }
  }
}

TEST(WeightlessAtRest, ForcesThatNeedLessThanABaseStepAreErrors) {
  Simulation simulation = AtRest(Communicator::World(), Weightless(), 10);
  BodyForces forces;
  for (const double mass : simulation.Masses()) forces.force.emplace_back(0, 1e30 * mass, 0);
  EXPECT_THROW(simulation.Step(forces), SimulationError);
}

TEST(WeightlessAtRest, ChangesByTheCallerShortenTheNextStep) {
  const Communicator world = Communicator::World();
  Simulation thrown = AtRest(world, Weightless(), 400);
  const double begin = thrown.Time();
  for (Vec3& v : thrown.BeginEdit().velocity) v = Vec3(0, 0, -3);
  thrown.EndEdit();
  thrown.Step();
  EXPECT_LE(thrown.Time() - begin, 0.2 * kRadius / 3.0);

  Scene walled = Weightless();
  test::AddPlane(walled, Vec3(0, 0, -0.01), Vec3::UnitZ());
  Simulation pushed = AtRest(world, walled, 400);
  const double time_before = pushed.Time();
  pushed.MoveWall(0, Vec3(0, 0, 3), Vec3::Zero());
  pushed.Step();
  EXPECT_LE(pushed.Time() - time_before, 0.2 * kRadius / 3.0);
}

TEST(WeightlessAtRest, FastRainShortensTheNextStep) {
  const Communicator world = Communicator::World();
  Scene scene = Weightless();
  Rain rain;
  rain.region = Box{Vec3(0.002, 0.002, 0.017), Vec3(0.018, 0.018, 0.02)};
  rain.grain.sizes = kRadius;
  rain.grain.velocity = Vec3(0, 0, -5);
  rain.counts = true;
  rain.rate = 10.0;
  rain.interval = 0.5;
  rain.start = 0.3;
  rain.total = 5.0;
  scene.rains.push_back(rain);
  Simulation simulation = AtRest(world, scene, 0);
  while (simulation.Observe().inserted == 0) simulation.Step();
  const double time_before = simulation.Time();
  simulation.Step();
  EXPECT_LE(simulation.Time() - time_before, 0.2 * kRadius / 5.0);
}

TEST(StrideTo, OutputTimesAreReachedByEqualSteps) {
  Scene scene = Weightless();
  const StepLimits limits = {.is_automatic = true, .base = kBaseStep};
  const auto strides = [&](std::int64_t start, std::int64_t planned, std::int64_t end) {
    std::vector<std::int64_t> all;
    while (start < end) {
      all.push_back(StrideTo(scene, limits, start, planned, end));
      start += all.back();
    }
    EXPECT_EQ(start, end);
    return all;
  };
  EXPECT_EQ(strides(0, 300, 1000), (std::vector<std::int64_t>{250, 250, 250, 250}));
  EXPECT_EQ(strides(7, 5000, 1000), (std::vector<std::int64_t>{993}));
  EXPECT_EQ(strides(0, 1, 3), (std::vector<std::int64_t>{1, 1, 1}));
  test::AddPlane(scene, Vec3::Zero(), Vec3::UnitZ());
  scene.walls[0].removed_at = 400e-9;
  EXPECT_EQ(strides(0, 300, 1000), (std::vector<std::int64_t>{200, 200, 300, 300}));
}

/// The impulse that carries a sphere is its weight times the step. Stored impulses are therefore
/// scaled to the length of the next step.
TEST(AutomaticSteps, BodiesAtRestStayAtRestWhenTheStepChanges) {
  const Communicator world = Communicator::World();
  Scene scene = Bed();
  scene.gravity = Vec3(0, 0, -9.81);
  State state;
  if (world.IsRoot()) AddSphere(state.particles, 0, Vec3(0.005, 0.005, kRadius), kRadius);
  StepParameters parameters = AutomaticParameters();
  parameters.solver.sweeps = 1;
  TimeStep step = test::Start(world, scene, parameters, state);
  step.EnableWallLoads(true);
  const double weight = 9.81 * test::Mass(kRadius);
  for (int k = 0; k < 60; ++k) {
    step.Advance(state, {}, 0, state.step + (k % 7 + 1) * 50'000);
    if (k < 10) continue;  // still settling
    step.StartInterval(state);
    step.Advance(state, {}, 0, state.step + (k % 5 + 1) * 80'000);
    const auto loads = step.Observe(state).interval_loads;
    ASSERT_EQ(loads.size(), 1u);
    EXPECT_NEAR(loads[0].mean.force.z(), -weight, 1e-9 * weight) << k;
  }
  EXPECT_LT(step.Observe(state).max_speed, 1e-12);
}

/// A blow of 2 m/s for 0.5 ms between two equal positions, long after the scene came to rest.
TEST(AutomaticSteps, BlowByTheTableOfAWallIsResolved) {
  const Communicator world = Communicator::World();
  Scene scene = Bed();
  scene.gravity = Vec3(0, 0, -9.81);
  MotionTable::Columns columns;
  columns[MotionTable::kZ] = {0.0, 0.0, 1e-3, 0.0, 0.0};
  scene.walls[0].table = MotionTable({0.0, 0.0504, 0.0509, 0.0514, 1.0}, columns);
  State state;
  if (world.IsRoot()) AddSphere(state.particles, 0, Vec3(0.005, 0.005, kRadius), kRadius);
  TimeStep step = test::Start(world, scene, AutomaticParameters(), state);
  while (state.step < 52'000'000) step.Advance(state, {}, 0, 52'000'000);
  EXPECT_NEAR(step.Observe(state).max_speed, 2.0, 0.1);
  EXPECT_LT(step.StepsDone(), 1000);
}

/// A plate on an undamped spring, which a constant force has pulled from rest, after 20 periods.
TEST(AutomaticSteps, SpringOfAJointSwingsOnAndStoresItsEnergy) {
  const Communicator world = Communicator::World();
  constexpr double kForce = 40.0, kSpring = 4e4;
  Scene scene = Weightless();
  Mesh mesh;
  mesh.surface = std::make_shared<const TriangleMesh>(
      test::BoxSurface({Vec3(0.01, 0.008, 0.002), Vec3(0.014, 0.012, 0.006)}), MeshSolid::kNo);
  scene.walls = {{"plate", {{mesh}}}};
  scene.walls[0].link = 0;
  scene.links = {{.name = "plate", .mass = 0.1, .inertia = Mat3::Identity()}};
  scene.joints = {{.name = "slide", .kind = JointKind::kSlider, .axis = Vec3::UnitZ()}};
  scene.joints[0].force = kForce;
  scene.joints[0].spring = kSpring;
  State state;
  if (world.IsRoot()) AddSphere(state.particles, 0, Vec3(0.005, 0.005, 0.005), kRadius);
  TimeStep step = test::Start(world, scene, AutomaticParameters(), state);
  double farthest = 0.0;
  while (state.step < 200'000'000) {
    step.Advance(state, {}, 0, 200'000'000);
    const FreeWallState& slide = state.free_walls[scene.JointRow(0)];
    if (state.step > 190'000'000) farthest = std::max(farthest, slide.travel);
    const double stored = 0.5 * kSpring * slide.travel * slide.travel;
    EXPECT_NEAR(slide.spring_energy, -stored, 1e-9) << state.step;
  }
  EXPECT_NEAR(farthest, 2.0 * kForce / kSpring, 0.02 * 2.0 * kForce / kSpring);
}

/// A new TimeStep has no previous step, so that the initial velocities do not change.
TEST(AutomaticSteps, NewTimeStepDoesNotShiftVelocities) {
  const Communicator world = Communicator::World();
  const Scene scene = Bed();
  State state = LooseSpheres(world);
  TimeStep first = test::Start(world, scene, AutomaticParameters(), state);
  for (int k = 0; k < 10; ++k) first.Advance(state);
  const auto particles_before = test::GatherById(world, state.particles);
  TimeStep second = test::Start(world, scene, AutomaticParameters(), state);
  const auto particles_after = test::GatherById(world, state.particles);
  ASSERT_EQ(particles_before.size(), particles_after.size());
  for (const auto& [id, particle] : particles_before)
    EXPECT_EQ(particle.velocity, particles_after.at(id).velocity) << id;
  EXPECT_EQ(second.StepsDone(), state.step);
}

class AutomaticScheme : public testing::TestWithParam<test::NamedScheme> {};

TEST_P(AutomaticScheme, RestartsContinueWithTheSameBits) {
  const Communicator world = Communicator::World();
  Scene scene = Bed();
  // A floor that moves under the bed for a while, which makes steps short.
  scene.walls[0].velocity = Vec3(3.0, 0, 0);
  scene.walls[0].moves_from = 0.02;
  scene.walls[0].moves_until = 0.04;
  StepParameters parameters = test::WithScheme(GetParam());
  parameters.dt = kBaseStep;
  parameters.accuracy = 0.01;
  State state = LooseSpheres(world);
  TimeStep step = test::Start(world, scene, parameters, state);
  const std::int64_t end = 60'000'000;
  std::vector<std::int64_t> strides;
  for (int part = 0; part < 4; ++part) {
    const std::int64_t part_end = (part + 1) * end / 4;
    State restart_state = test::CheckpointState(state);
    TimeStep restarted(world, scene, parameters, step.Partition(), restart_state,
                       step.Point(state));
    while (state.step < part_end) {
      step.Advance(state, {}, 0, part_end);
      restarted.Advance(restart_state, {}, 0, part_end);
      strides.push_back(step.Stride());
      ASSERT_EQ(state.step, restart_state.step);
    }
    ASSERT_EQ(state.step, part_end);
    test::ExpectSameBits(test::GatherById(world, restart_state.particles),
                         test::GatherById(world, state.particles));
    EXPECT_EQ(step.StepsDone(), restarted.StepsDone());
  }
  const auto [shortest, longest] = std::ranges::minmax(strides);
  EXPECT_GT(longest, 2 * shortest);
  EXPECT_LT(strides.size(), 2000u);
}

INSTANTIATE_TEST_SUITE_P(All, AutomaticScheme, testing::ValuesIn(test::kSchemes),
                         test::NameOfScheme);

}  // namespace
}  // namespace scree::adaptive_step_test
