// Spheres with rolling and spinning resistance, compared with closed forms, on any number of ranks.
//
// For a sphere on a plane the effective radius R is r. For rolling without slip, the equations
// m v' = F, I ω' = −r F − μ_r r m g and v = r ω with I = 2/5 m r² give
//
//     v' = −5/7 μ_r g,   F = −5/7 μ_r m g,
//
// which friction can sustain if μ ≥ 5/7 μ_r. If μ_r ≥ μ, the sphere can slide without rolling, with
// v' = −μ g. On an incline it rests for tan θ ≤ μ_r; above that it rolls with the acceleration 5/7
// g (sin θ − μ_r cos θ). Spin about the normal decays with I ω' = −μ_s r m g, ω' = −5/2 μ_s g/r.
#include <gtest/gtest.h>

#include <cmath>

#include "engine/particles/random.hpp"
#include "tests/support/schemes.hpp"

namespace scree::rolling_resistance_test {
namespace {

constexpr double kGravity = 9.81, kRadius = 0.01;

PairRolling Resistance(double rolling, double spinning = 0.0) { return {rolling, spinning}; }

/// A sphere on a plane with normal +z. An incline is made by inclined gravity.
struct SphereOnPlane {
  const Communicator world = Communicator::World();
  Scene scene;
  State state;
  StepParameters parameters;

  SphereOnPlane(double mu, const PairRolling& rolling, double slope = 0.0)
      : scene(test::EmptyScene(Vec3(-1, -1, -1), Vec3(1, 1, 1), mu)) {
    scene.materials.SetLaw<RollingLaw>(0, 0, rolling);
    scene.gravity = kGravity * Vec3(std::sin(slope), 0, -std::cos(slope));
    test::AddPlane(scene, Vec3::Zero(), Vec3::UnitZ());
    parameters.dt = 1e-4;
  }
  void SetMotion(const Vec3& velocity, const Vec3& omega) {
    if (world.IsRoot()) {
      test::AddSphere(state.particles, 1, Vec3(0, 0, kRadius), kRadius, velocity, omega);
    }
  }
  void Roll(double speed) { SetMotion(Vec3(speed, 0, 0), Vec3(0, speed / kRadius, 0)); }
  /// Runs more steps. @returns the sphere
  test::Kinematics StateAfter(int steps) {
    Resize(state.particles, state.particles.owned);  // without the ghosts of an earlier call
    test::Run(world, scene, parameters, state, steps);
    return test::GatherById(world, state.particles).at(1);
  }
  double Time(int steps) const { return parameters.dt * steps; }
};

double SlidingSpeed(const test::Kinematics& sphere) {
  return sphere.velocity.x() - kRadius * sphere.angular_velocity.y();
}

class RollingResistance : public testing::TestWithParam<test::NamedScheme> {};
INSTANTIATE_TEST_SUITE_P(All, RollingResistance, testing::ValuesIn(test::kSchemes),
                         test::NameOfScheme);

TEST_P(RollingResistance, RollingSphereSlowsDownWithoutSlip) {
  const double rolling = 0.05, speed = 0.3;
  SphereOnPlane test(0.3, Resistance(rolling));
  test.parameters.solver = test::WithScheme(GetParam()).solver;
  test.parameters.solver.sweeps = 100;
  test.parameters.dt = 5e-4;
  test.Roll(speed);
  const int steps = 400;
  const test::Kinematics end = test.StateAfter(steps);
  EXPECT_NEAR(SlidingSpeed(end), 0.0, 1e-9);
  EXPECT_NEAR(end.velocity.x(), speed - 5.0 / 7.0 * rolling * kGravity * test.Time(steps), 1e-9);
  const test::Kinematics stopped = test.StateAfter(2000);  // it stops after 1713 steps
  EXPECT_LT(stopped.velocity.norm(), 1e-9);
  EXPECT_LT(kRadius * stopped.angular_velocity.norm(), 1e-9);
}

TEST(RollingResistanceAlone, SphereSlidesWithoutRollingIfResistanceExceedsFriction) {
  const double mu = 0.2, speed = 0.5;
  SphereOnPlane test(mu, Resistance(0.3));
  test.Roll(speed);
  // The rotation slows down by 5/2 (μ_r − μ) g/r, faster than rolling without slip would require.
  const test::Kinematics rotating = test.StateAfter(1000);
  EXPECT_NEAR(kRadius * rotating.angular_velocity.y(),
              speed - 2.5 * (0.3 - mu) * kGravity * test.Time(1000), 1e-9);
  const int steps = 2500;
  const test::Kinematics end = test.StateAfter(steps - 1000);
  EXPECT_NEAR(end.velocity.x(), speed - mu * kGravity * test.Time(steps), 1e-9);
  EXPECT_LT(kRadius * end.angular_velocity.norm(), 1e-9);
}

TEST(RollingResistanceAlone, InclineBelowTheLimitHoldsTheSphere) {
  const double rolling = 0.1;
  SphereOnPlane test(0.4, Resistance(rolling), 0.98 * std::atan(rolling));
  test.SetMotion(Vec3::Zero(), Vec3::Zero());
  // The sweeps of the first steps leave a small error, which warm starts remove.
  TimeStep step = test::Start(test.world, test.scene, test.parameters, test.state);
  const auto advance = [&] {
    for (int k = 0; k < 1000; ++k) step.Advance(test.state);
    return test::GatherById(test.world, test.state.particles).at(1);
  };
  const test::Kinematics first = advance(), end = advance();
  EXPECT_LT(first.position.head<2>().norm(), 1e-8);
  EXPECT_LT((end.position - first.position).norm(), 1e-15);
  EXPECT_LT(end.velocity.norm(), 1e-12);
}

TEST(RollingResistanceAlone, SphereRollsOnAnInclineAboveTheLimit) {
  const double rolling = 0.1, slope = 1.1 * std::atan(rolling);
  SphereOnPlane test(0.4, Resistance(rolling), slope);
  test.SetMotion(Vec3::Zero(), Vec3::Zero());
  const int steps = 3000;
  const test::Kinematics end = test.StateAfter(steps);
  const double expected = 5.0 / 7.0 * kGravity * (std::sin(slope) - rolling * std::cos(slope));
  EXPECT_NEAR(SlidingSpeed(end), 0.0, 1e-9);
  EXPECT_NEAR(end.velocity.x(), expected * test.Time(steps), 1e-4 * expected * test.Time(steps));
}

TEST(RollingResistanceAlone, SpinDecaysAtAConstantRateAndStaysZero) {
  const double spinning = 0.04, spin = 20.0;
  SphereOnPlane test(0.4, Resistance(0.0, spinning));
  test.SetMotion(Vec3::Zero(), Vec3(0, 0, spin));
  const int steps = 1000;
  const test::Kinematics halfway = test.StateAfter(steps);
  EXPECT_NEAR(halfway.angular_velocity.z(),
              spin - 2.5 * spinning * kGravity / kRadius * test.Time(steps), 1e-9);
  const test::Kinematics end = test.StateAfter(3000);
  EXPECT_NEAR(end.angular_velocity.z(), 0.0, 1e-12);
  EXPECT_LT((end.position - Vec3(0, 0, kRadius)).norm(), 1e-12);
}

TEST(RollingResistanceAlone, SpinningAndRollingAreIndependent) {
  SphereOnPlane test(0.3, Resistance(0.05, 0.02));
  test.SetMotion(Vec3(0.3, 0, 0), Vec3(0, 0.3 / kRadius, 10.0));
  const int steps = 500;
  const test::Kinematics end = test.StateAfter(steps);
  EXPECT_NEAR(end.velocity.x(), 0.3 - 5.0 / 7.0 * 0.05 * kGravity * test.Time(steps), 1e-9);
  EXPECT_NEAR(end.angular_velocity.z(), 10.0 - 2.5 * 0.02 * kGravity / kRadius * test.Time(steps),
              1e-9);
}

TEST(RollingResistanceAlone, AllKernelsGiveTheSameTrajectory) {
  const auto run = [](Kernel kernel) {
    SphereOnPlane test(0.3, Resistance(0.05, 0.02), 0.1);
    test.parameters.solver.kernel = kernel;
    test.SetMotion(Vec3(1.0, 0.3, -0.5), Vec3(0, 3, 10));  // lands, slides, rolls
    return test.StateAfter(2000);
  };
  const test::Kinematics sphere_kernel = run(Kernel::kSphere);
  EXPECT_LT(std::abs(SlidingSpeed(sphere_kernel)), 1e-9);
  for (const Kernel kernel : {Kernel::kMaxDissipation, Kernel::kCoulomb}) {
    const test::Kinematics general = run(kernel);
    EXPECT_LT((general.velocity - sphere_kernel.velocity).norm(), 1e-12);
    EXPECT_LT(kRadius * (general.angular_velocity - sphere_kernel.angular_velocity).norm(), 1e-12);
  }
}

/// Spinning resistance accelerates a sphere in the centre of a turntable by ω' = 5/2 μ_s g/r until
/// both rotate together. It does so again when the table reverses.
TEST(RollingResistanceAlone, TurntableSpinsTheSphereUp) {
  const double spinning = 0.03, rate = 7.0;
  SphereOnPlane test(0.4, Resistance(0.0, spinning));
  test.scene.walls[0].rotation = {Vec3::Zero(), Vec3(0, 0, rate)};
  test.SetMotion(Vec3::Zero(), Vec3::Zero());
  const int steps = 500;
  const test::Kinematics halfway = test.StateAfter(steps);
  EXPECT_NEAR(halfway.angular_velocity.z(), 2.5 * spinning * kGravity / kRadius * test.Time(steps),
              1e-9);
  const test::Kinematics end = test.StateAfter(1500);
  EXPECT_NEAR(end.angular_velocity.z(), rate, 1e-9);
  EXPECT_LT((end.position - Vec3(0, 0, kRadius)).norm(), 1e-9);
}

/// Two spheres collide; one of them spins about their line of centres. Λ is limited by the λₙ that
/// stops the approach: I Δω = μ_s R λₙ.
TEST(RollingResistanceOfMany, TwoSpheresShareTheirSpinAndKeepTheirMomenta) {
  const Communicator world = Communicator::World();
  Scene scene = test::EmptyScene(Vec3(-0.2, -0.1, -0.1), Vec3(0.2, 0.1, 0.1), 0.0);
  const double spinning = 0.1, r_a = 0.01, r_b = 0.02, speed = 0.3, spin = 50.0;
  scene.materials.SetLaw<RollingLaw>(0, 0, Resistance(0.0, spinning));
  State state;
  if (world.IsRoot()) {
    test::AddSphere(state.particles, 1, Vec3(-r_a, 0, 0), r_a, Vec3(speed, 0, 0), Vec3(spin, 0, 0));
    test::AddSphere(state.particles, 2, Vec3(r_b, 0, 0), r_b, Vec3::Zero());
  }
  test::Run(world, scene, StepParameters(), state, 1);
  const auto spheres = test::GatherById(world, state.particles);
  const double m_a = test::Mass(r_a), m_b = test::Mass(r_b);
  const double i_a = 0.4 * m_a * r_a * r_a, i_b = 0.4 * m_b * r_b * r_b;
  const double lambda = speed / (1.0 / m_a + 1.0 / m_b);
  const double rotation = spinning * r_a * r_b / (r_a + r_b) * lambda;
  const double kRounding = 1e-12;
  EXPECT_NEAR(spheres.at(1).angular_velocity.x(), spin - rotation / i_a, kRounding * spin);
  EXPECT_NEAR(spheres.at(2).angular_velocity.x(), rotation / i_b, kRounding * spin);
  EXPECT_GT(rotation / i_b, 0.1);
  EXPECT_NEAR(m_a * spheres.at(1).velocity.x() + m_b * spheres.at(2).velocity.x(), m_a * speed,
              kRounding * m_a * speed);
}

/// Mean height of a heap that has spread over a rough floor.
double HeightOfAHeap(const PairRolling& rolling) {
  const Communicator world = Communicator::World();
  constexpr double kHalfWidth = 0.4;
  Scene scene =
      test::EmptyScene(Vec3(-kHalfWidth, -0.011, -0.01), Vec3(kHalfWidth, 0.011, 0.3), 0.6);
  scene.materials.SetLaw<RollingLaw>(0, 0, rolling);
  scene.gravity = Vec3(0, 0, -kGravity);
  test::AddPlane(scene, Vec3::Zero(), Vec3::UnitZ());
  for (const double side : {-1.0, 1.0}) {
    test::AddPlane(scene, Vec3(0, 0.011 * side, 0), Vec3(0, -side, 0));
    test::AddPlane(scene, Vec3(kHalfWidth * side, 0, 0), Vec3(-side, 0, 0));
  }
  State state;
  for (ParticleId id = 0; world.IsRoot() && id < 72; ++id) {
    const double shift = id / 6 % 2 == 0 ? 0.0 : 0.5 * kRadius;
    const Vec3 site((2.05 * static_cast<double>(id % 6) - 5.0) * kRadius + shift, 0,
                    (1.0 + 1.95 * static_cast<double>(id / 6)) * kRadius);
    test::AddSphere(state.particles, id, site, kRadius);
  }
  StepParameters parameters;
  parameters.dt = 2e-4;
  TimeStep step = test::Run(world, scene, parameters, state, 5000);
  double height = 0.0;
  for (const auto& [id, sphere] : test::GatherById(world, state.particles)) {
    height += sphere.position.z() / 72;
  }
  return height;
}

TEST(RollingResistanceAlone, HeapStaysSteeper) {
  const double loose = HeightOfAHeap(Resistance(0.0)), steep = HeightOfAHeap(Resistance(0.3, 0.3));
  EXPECT_GT(steep, 1.3 * loose);
}

/// A box full of spheres of several sizes, nearly at rest, created on rank 0.
State LooseBox(const Communicator& communicator) {
  State state;
  for (ParticleId id = 0; communicator.IsRoot() && id < 12 * 8 * 8; ++id) {
    const auto random = [&](std::uint64_t draw) { return UniformAroundZero(7, id, draw); };
    const Vec3 site(static_cast<double>(id % 12), static_cast<double>(id / 12 % 8),
                    static_cast<double>(id / 96));
    test::AddSphere(state.particles, id, 0.002 * (site + Vec3::Constant(0.5)),
                    0.9e-3 + 0.08e-3 * random(0), 0.1 * Vec3(random(1), random(2), random(3)));
  }
  return state;
}

constexpr double kPileStep = 5e-5;

Scene Pile() {
  Scene scene = test::EmptyScene(Vec3(0, 0, 0), Vec3(0.024, 0.016, 0.03), 0.4);
  scene.materials.SetLaw<RollingLaw>(0, 0, Resistance(0.2, 0.2));
  scene.gravity = Vec3(0, 0, -kGravity);
  for (int axis = 0; axis < 3; ++axis) {
    test::AddPlane(scene, Vec3::Zero(), Vec3::Unit(axis));
    if (axis < 2) test::AddPlane(scene, scene.domain.box.upper, -Vec3::Unit(axis));
  }
  return scene;
}

/// The pile nearly at rest, shared by all schemes. Collective.
const State& PileAtRest() {
  static const State pile = [] {
    const Communicator world = Communicator::World();
    StepParameters parameters;
    parameters.dt = kPileStep;
    State state = LooseBox(world);
    test::Run(world, Pile(), parameters, state, 1900);
    Resize(state.particles, state.particles.owned);  // without ghosts
    return state;
  }();
  return pile;
}

/// Several ranks change the same bodies at the same time, and both friction and Λ rotate them. The
/// sweeps must still converge.
TEST_P(RollingResistance, SweepsConvergeInAPileAcrossRanks) {
  const Communicator world = Communicator::World();
  const Scene scene = Pile();
  StepParameters parameters = test::WithScheme(GetParam());
  parameters.dt = kPileStep;
  State state = PileAtRest();
  TimeStep step = test::Run(world, scene, parameters, state, 600);
  ASSERT_LT(step.Observe(state).max_speed, 0.2);  // all but a few at the top are at rest
  ASSERT_GT(step.Observe(state).loaded_contacts, 1000);

  // Starts from zero impulses. From the impulses of a pile at rest, any number of sweeps would
  // leave only rounding.
  const RestartPoint point = step.Point(state);
  parameters.warm_start = false;
  const auto residual_after = [&](int sweeps) {
    State copy = state;
    Resize(copy.particles, copy.particles.owned);
    parameters.solver.sweeps = sweeps;
    TimeStep restarted(world, scene, parameters, step.Partition(), copy, point);
    restarted.Advance(copy);
    return restarted.Report().residual_rms;
  };
  const double residual_1 = residual_after(1), residual_300 = residual_after(300);
  EXPECT_LT(
      residual_300,
      0.7 * residual_1);  // without convergence the error grows from step to step on four ranks
}

}  // namespace
}  // namespace scree::rolling_resistance_test
