// Free walls compared with mechanics, on any number of ranks.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "tests/support/same_bits.hpp"

namespace scree::free_walls_test {
namespace {

constexpr double kRadius = 0.01, kGravity = 10.0;

Wall Lid(double height, double mass) {
  Wall lid{"lid", {{Plane{Vec3(0, 0, height), -Vec3::UnitZ()}}}};
  lid.free.freedom = Freedom::kAlong;
  lid.free.mass = mass;
  lid.axis = Vec3::UnitZ();
  return lid;
}

struct World {
  Communicator world;
  Scene scene = test::EmptyScene(Vec3(-0.1, -0.1, -0.1), Vec3(0.1, 0.1, 0.3), 0.5);
  StepParameters parameters;
  State state;

  explicit World(double dt, const Communicator& communicator = Communicator::World())
      : world(communicator) {
    parameters.dt = dt;
  }
  void AddSphere(ParticleId id, const Vec3& x, const Vec3& v = Vec3::Zero()) {
    if (world.IsRoot()) test::AddSphere(state.particles, id, x, kRadius, v);
  }
  TimeStep Run(int steps) {
    Resize(state.particles, state.particles.owned);
    return test::Run(world, scene, parameters, state, steps);
  }
};

/// A box of 0.06 x 0.06 m with some layers of spheres and a lid above them.
World Bed(double lid_mass, int layers = 4, const Communicator& world = Communicator::World()) {
  World bed(1e-4, world);
  bed.scene.domain.box = {Vec3(0, 0, -0.05), Vec3(0.06, 0.06, 0.3)};
  bed.scene.gravity = Vec3(0, 0, -kGravity);
  test::AddPlane(bed.scene, Vec3::Zero(), Vec3::UnitZ());
  for (int axis = 0; axis < 2; ++axis) {
    test::AddPlane(bed.scene, Vec3::Zero(), Vec3::Unit(axis));
    test::AddPlane(bed.scene, 0.06 * Vec3::Unit(axis), -Vec3::Unit(axis));
  }
  ParticleId id = 0;
  for (int k = 0; k < layers; ++k) {
    const double shift = 0.004 * (k % 2);  // so that the layers settle
    for (int n = 0; n < 4; ++n) {
      bed.AddSphere(id++, Vec3(0.014 + shift + 0.024 * (n % 2), 0.014 + shift + 0.024 * (n / 2),
                               0.011 + 0.0201 * k));
    }
  }
  bed.scene.walls.push_back(Lid(0.011 + 0.0201 * layers, lid_mass));
  return bed;
}

/// One sphere bounces between floor and lid. The others lie on the rotating floor, where each
/// contact has a wall body of its own (patch). The number of patches changes with the contact at
/// the lid.
World BounceOnATurntable() {
  World bed = Bed(0.05, 1);
  bed.scene.materials = MaterialTable();
  bed.scene.materials.Add({"grain", 2650.0}, 0.5);
  bed.scene.materials.SetRestitution(0, 0, {.constant = 0.95});
  bed.scene.walls.front().rotation = {Vec3(0.03, 0.03, 0.0), Vec3(0, 0, 20.0)};
  Particles& particles = bed.state.particles;
  for (std::size_t i = 0; i < particles.owned; ++i) {
    particles.position[i].z() = kRadius;
    if (particles.id[i] == 0) particles.velocity[i].z() = 0.7;
  }
  return bed;
}

const FreeWallState& LidOf(const World& world) { return world.state.free_walls.back(); }

TEST(FreeWalls, FreeLidFalls) {
  World test(1e-4);
  test.scene.gravity = Vec3(0, 0, -kGravity);
  test.scene.walls.push_back(Lid(0.1, 0.3));
  test.scene.walls[0].free.start = 0.01;
  test.Run(1100);
  EXPECT_NEAR(LidOf(test).speed, -kGravity * 0.1, 1e-12);
  EXPECT_NEAR(LidOf(test).travel, -0.5 * kGravity * 0.1 * (0.1 + 1e-4), 1e-12);
}

/// A drive whose pressure is 0 at present does not lay the weight of the lid on the particles.
TEST(FreeWalls, DriveWithoutPressureCarriesTheWeight) {
  World test(1e-4);
  test.scene.gravity = Vec3(0, 0, -kGravity);
  test.scene.walls.push_back(Lid(0.1, 0.3));
  test.scene.walls[0].free.area = 0.01;
  test.Run(100);
  EXPECT_EQ(LidOf(test).travel, 0.0);
}

/// Steps are short while the lid is fast, because the radius of the sphere limits its path. If
/// forces acted for the length of a step, the lid would lose half of its amplitude in 20 periods.
TEST(FreeWalls, SpringKeepsTheAmplitudeOfALidInAutomaticSteps) {
  constexpr double kSpring = 400.0, kTravel = 0.08;
  const double period = 2.0 * std::numbers::pi / std::sqrt(kSpring);
  World test(kBaseStep);
  test.parameters.accuracy = kAccuracy;
  test.scene.walls.push_back(Lid(0.2, 1.0));
  test.scene.walls[0].free.spring = kSpring;
  test.AddSphere(1, Vec3(0, 0, -0.05));
  TimeStep step = test.Run(0);
  test.state.free_walls[0].travel = kTravel;
  double farthest = 0.0;
  const auto time = [&] { return kBaseStep * static_cast<double>(test.state.step); };
  while (time() < 20.0 * period) {
    step.Advance(test.state);
    if (time() > 19.0 * period) farthest = std::max(farthest, LidOf(test).travel);
  }
  EXPECT_NEAR(farthest, kTravel, 0.01 * kTravel);
}

/// Sphere and wall share the momentum m v. With e = 0 they then move together.
TEST(FreeWalls, ImpactOnAFreeWallConservesMomentum) {
  const double m = test::Mass(kRadius);
  for (const double mass : {1e-3 * m, m, 1e3 * m}) {
    for (const double e : {0.0, 1.0}) {
      World test(1e-4);
      test.scene.materials = MaterialTable();
      test.scene.materials.Add({"grain", 2650.0}, 0.0);
      if (e > 0.0) test.scene.materials.SetRestitution(0, 0, {.constant = e});
      test.scene.walls.push_back(Lid(0.02, mass));
      test.AddSphere(1, Vec3(0.003, 0.001, 0.0), Vec3(0, 0, 1.0));
      test.Run(200);
      const double wall_speed = (1.0 + e) * m / (m + mass);
      EXPECT_NEAR(LidOf(test).speed, wall_speed, 1e-9) << mass << " " << e;
      const test::Kinematics sphere = test::GatherById(test.world, test.state.particles).at(1);
      EXPECT_NEAR(m * sphere.velocity.z() + mass * LidOf(test).speed, m, 1e-12 * (m + mass));
    }
  }
}

/// Lids with 0.01, 1 and 10 times the mass of the bed. At rest the bed carries the lid, and floor
/// and sides carry both. Heavier lids would need more sweeps to propagate their weight
/// through the particles.
TEST(FreeWalls, BedCarriesALidAtRest) {
  const double bed_mass = 16.0 * test::Mass(kRadius);
  for (const double ratio : {0.01, 1.0, 10.0}) {
    const double mass = ratio * bed_mass;
    World bed = Bed(mass);
    TimeStep step = test::Start(bed.world, bed.scene, bed.parameters, bed.state);
    step.EnableWallLoads(true);
    for (int k = 0; k < 5000; ++k) step.Advance(bed.state);
    step.StartInterval(bed.state);
    const double weight = mass * kGravity;
    double carried = 0.0;  // mean over the steps; single steps deviated by up to 1.2 %
    for (int k = 0; k < 500; ++k) {
      step.Advance(bed.state);
      const std::vector<WallLoad> loads = step.Observe(bed.state).wall_loads;
      for (std::size_t w = 0; w + 1 < loads.size(); ++w) carried -= loads[w].force.z() / 500;
    }
    const FreeWallState& lid = LidOf(bed);
    EXPECT_NEAR(lid.impulse / (500 * bed.parameters.dt) / weight, 1.0, 1e-3) << ratio;
    EXPECT_LT(std::abs(lid.speed), 1e-4) << ratio;
    const Observables observed = step.Observe(bed.state);
    EXPECT_NEAR(observed.wall_loads.back().force.z() / weight, 1.0, 1e-2) << ratio;
    EXPECT_NEAR(carried / (weight + bed_mass * kGravity), 1.0, 1e-2) << ratio;
    EXPECT_LT(observed.max_penetration, 1e-3 * kRadius) << ratio;
  }
}

// Ten sweeps stop one ten-thousandth of the motion of this lid. Without the line search it would
// sink through its bed.
TEST(FreeWalls, LidOfTenThousandTimesTheMassOfTheBedRests) {
  constexpr int kLayers = 4;
  const double lid = 1e4 * 4 * kLayers * test::Mass(kRadius);
  World bed = Bed(lid, kLayers);
  TimeStep step = bed.Run(6000);
  step.EnableWallLoads(true);
  const double weight = lid * kGravity;
  double sum = 0.0, squares = 0.0;
  constexpr int kSteps = 1000;
  for (int k = 0; k < kSteps; ++k) {
    step.Advance(bed.state);
    const double deviation = -step.Observe(bed.state).wall_loads.back().force.z() / weight + 1.0;
    sum += deviation;
    squares += deviation * deviation;
  }
  EXPECT_NEAR(sum / kSteps, 0.0, 1e-2);
  EXPECT_LT(std::sqrt(squares / kSteps), 1e-2);
  EXPECT_LT(step.Observe(bed.state).max_penetration, 1e-2 * kRadius);
}

/// Even with two sweeps, the momentum of a lid changes by the impulses of the particles and of its
/// weight.
TEST(FreeWalls, MomentumOfALidIsBalanced) {
  World bed = Bed(0.02);
  bed.parameters.solver.sweeps = 2;
  TimeStep step = test::Start(bed.world, bed.scene, bed.parameters, bed.state);
  for (int k = 0; k < 300; ++k) {
    const FreeWallState lid_before = LidOf(bed);
    step.Advance(bed.state);
    const FreeWallState& lid_after = LidOf(bed);
    const double total_impulse =
        (lid_after.impulse - lid_before.impulse) - bed.parameters.dt * 0.02 * kGravity;
    EXPECT_NEAR(0.02 * (lid_after.speed - lid_before.speed), total_impulse, 1e-14) << k;
  }
}

TEST(FreeWalls, DriveKeepsItsPressure) {
  World bed = Bed(0.05);
  FreeMotion& drive = bed.scene.walls.back().free;
  bed.scene.walls.back().axis = -Vec3::UnitZ();
  drive.pressure = 2000.0;
  drive.area = 0.06 * 0.06;
  drive.damping = 5.0;
  TimeStep step = test::Start(bed.world, bed.scene, bed.parameters, bed.state);
  for (int k = 0; k < 6000; ++k) step.Advance(bed.state);  // the bed yields for up to 4500 steps
  for (int part = 0; part < 10; ++part) {
    step.StartInterval(bed.state);
    for (int k = 0; k < 100; ++k) step.Advance(bed.state);
    const double pressure = -LidOf(bed).impulse / (100 * bed.parameters.dt) / drive.area;
    EXPECT_NEAR(pressure, 2000.0, 20.0) << part;
  }
}

/// Expects a pendulum that starts at rest, 0.01 rad from its lowest position, to reverse its motion
/// on the other side after half a period.
void ExpectSwing(World& test, double period) {
  TimeStep step = test::Start(test.world, test.scene, test.parameters, test.state);
  int half = 0;  // steps until the motion reverses
  do {
    step.Advance(test.state);
    ++half;
  } while (LidOf(test).speed > 0.0 && half * test.parameters.dt < 2.0 * period);
  EXPECT_NEAR(half * test.parameters.dt, 0.5 * period, 2e-3 * period);
  EXPECT_NEAR(LidOf(test).travel, 0.02, 1e-4);
}

/// T = 2π √(I/(m g l)) for small swings.
TEST(FreeWalls, PendulumHasItsPeriod) {
  World test(4e-4);
  test.scene.gravity = Vec3(0, 0, -kGravity);
  Wall bar{"bar", {{Block{{Vec3(-0.005, -0.05, -0.05), Vec3(0.005, 0.05, 0.15)}}}}};
  bar.axis = Vec3::UnitY();
  bar.rotation.centre = Vec3(0, 0, 0.15);
  bar.free.freedom = Freedom::kAbout;
  bar.free.mass = 0.2;
  bar.free.inertia = 0.01;
  bar.free.centre_of_mass = Vec3(0.001, 0, 0.05);  // starts at 0.01 rad
  test.scene.walls.push_back(bar);
  const double period = 2.0 * std::numbers::pi * std::sqrt(0.01 / (0.2 * kGravity * 0.1));
  ExpectSwing(test, period);
}

/// In a frame that rotates about a parallel axis at the distance d, a pendulum swings about the
/// outward direction with the period 2π √(I/(m l Ω² d)). A drift of its axis along d with the
/// velocity u adds the Coriolis acceleration −2 Ω × u.
TEST(FreeWalls, PendulumSwingsInARotatingFrame) {
  constexpr double kMass = 0.2, kInertia = 0.01, kArm = 0.1, kDistance = 0.4, kRate = 5.0;
  World test(4e-4);
  test.scene.frame = {Vec3(0, 0, 0.15 + kDistance), Vec3(0, kRate, 0)};
  Wall bar{"bar", {{Block{{Vec3(-0.005, -0.05, -0.05), Vec3(0.005, 0.05, 0.15)}}}}};
  bar.axis = Vec3::UnitY();
  bar.rotation.centre = Vec3(0, 0, 0.15);
  bar.free.freedom = Freedom::kAbout;
  bar.free.mass = kMass;
  bar.free.inertia = kInertia;
  bar.free.centre_of_mass = Vec3(0.001, 0, 0.15 - kArm);  // starts at 0.01 rad
  test.scene.walls.push_back(bar);
  const double field = kRate * kRate * kDistance;
  const double period = 2.0 * std::numbers::pi * std::sqrt(kInertia / (kMass * field * kArm));
  ExpectSwing(test, period);

  World drift(1e-5);
  drift.scene.frame = {Vec3(0, 0, 0.15), Vec3(0, kRate, 0)};  // on the axis of the wall
  bar.free.centre_of_mass = Vec3(0, 0, 0.15 - kArm);
  bar.velocity = Vec3(0, 0, 0.01);
  drift.scene.walls.push_back(bar);
  drift.Run(10);
  const double acceleration = -2.0 * kRate * bar.velocity.z();  // along x
  EXPECT_NEAR(LidOf(drift).speed, -kMass * kArm * acceleration / kInertia * 10 * 1e-5, 1e-6);
}

/// A sphere hits a plate that rotates freely: I ω + (x − c) × m v along the axis is conserved.
TEST(FreeWalls, ImpactOnAHingedPlateConservesAngularMomentum) {
  World test(1e-5);
  Wall plate{"plate", {{Block{{Vec3(-0.005, -0.05, -0.05), Vec3(0.005, 0.05, 0.15)}}}}};
  plate.axis = Vec3::UnitY();
  plate.rotation.centre = Vec3(0, 0, 0.15);
  plate.free.freedom = Freedom::kAbout;
  plate.free.inertia = 2e-5;
  test.scene.walls.push_back(plate);
  const double m = test::Mass(kRadius), height = -0.02, v = 0.8;
  test.AddSphere(1, Vec3(-0.02, 0.004, height), Vec3(v, 0, 0));
  const auto momentum = [&](const Vec3& x, const Vec3& u, const Vec3& omega, double rate) {
    return 2e-5 * rate + (x - plate.rotation.centre).cross(m * u).y() +
           0.4 * m * kRadius * kRadius * omega.y();
  };
  const double momentum_before =
      momentum(Vec3(-0.02, 0.004, height), Vec3(v, 0, 0), Vec3::Zero(), 0.0);
  test.Run(1500);
  const test::Kinematics sphere = test::GatherById(test.world, test.state.particles).at(1);
  EXPECT_GT(std::abs(LidOf(test).speed), 0.5);
  EXPECT_NEAR(
      momentum(sphere.position, sphere.velocity, sphere.angular_velocity, LidOf(test).speed),
      momentum_before, 2e-3 * std::abs(momentum_before));
}

/// A spring of any stiffness is stable and moves the wall to the balance of forces.
TEST(FreeWalls, StiffSpringDoesNotRing) {
  for (const double spring : {1e2, 1e6, 1e12}) {
    World test(1e-3);
    test.scene.gravity = Vec3(0, 0, -kGravity);
    test.scene.walls.push_back(Lid(0.1, 0.1));
    test.scene.walls[0].free.spring = spring;
    test.scene.walls[0].free.spring_rest = 0.01;
    test.scene.walls[0].free.damping = 20.0;
    test.Run(3000);
    EXPECT_NEAR(LidOf(test).travel, 0.01 - 0.1 * kGravity / spring, 1e-7) << spring;
  }
}

/// Sums over contacts are exact.
TEST(FreeWalls, JacobiHasTheSameBitsOnAnyRanks) {
  const auto run = [](World bed) {
    bed.parameters.solver.scheme = Scheme::kJacobi;
    bed.Run(600);
    return std::pair(LidOf(bed), test::GatherById(bed.world, bed.state.particles));
  };
  const auto parallel = run(Bed(0.02)), serial = run(Bed(0.02, 4, Communicator::Self()));
  EXPECT_EQ(parallel.first, serial.first);
  test::ExpectSameBits(parallel.second, serial.second);
}

TEST(FreeWalls, RestartContinuesWithTheSameBits) {
  for (auto [bed, steps_before] :
       {std::pair(Bed(0.02), 333), std::pair(BounceOnATurntable(), 200)}) {
    const TimeStep step = bed.Run(steps_before);
    const State end = test::ExpectRestartWithTheSameBits(bed.world, bed.scene, bed.parameters, step,
                                                         bed.state, 400)
                          .second;
    EXPECT_NE(end.free_walls.back().travel, 0.0);
  }
}

TEST(FreeWalls, WallThatFliesAwayIsReported) {
  World test(1e-3);
  test.scene.walls.push_back(Lid(0.1, 1e-9));
  test.scene.walls[0].free.force = 1.0;
  EXPECT_THROW(test.Run(10), SimulationError);
}

}  // namespace
}  // namespace scree::free_walls_test
