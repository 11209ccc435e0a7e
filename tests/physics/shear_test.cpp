// Sheared periodic domains (Lees-Edwards): particles meet and cross the moving images at the ends,
// on any number of ranks.
#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <set>

#include "engine/geometry/periodic_images.hpp"
#include "engine/particles/random.hpp"
#include "tests/support/clump_scenes.hpp"
#include "tests/support/same_bits.hpp"
#include "tests/support/schemes.hpp"

namespace scree::shear_test {
namespace {

constexpr double kRadius = 1e-3;
constexpr double kSide = 0.02;
constexpr double kRate = 40.0;
constexpr double kSpeed = kRate * kSide;  // speed U of an image
constexpr double kRounding = 1e-11;       // relative error of the expected values

/// A cube, periodic along all axes.
Scene ShearedCube(double friction = 0.0, double side = kSide) {
  Scene scene = test::EmptyScene(Vec3::Zero(), Vec3::Constant(side), friction);
  scene.domain.periodic = {true, true, true};
  scene.domain.shear.rate = kRate;
  return scene;
}

StepParameters ParametersOf(double dt = 1e-5) {
  StepParameters parameters;
  parameters.dt = dt;
  return parameters;
}

/// All particles, wrapped into the domain at the time of the state, on every rank.
std::map<ParticleId, test::Kinematics> WrappedParticles(const Communicator& communicator,
                                                        const Scene& scene, const State& state,
                                                        double dt) {
  const PeriodicImages images(scene.domain, dt * static_cast<double>(state.step));
  auto particles = test::GatherById(communicator, state.particles);
  for (auto& [id, kinematics] : particles) images.Wrap(kinematics.position, kinematics.velocity);
  return particles;
}

TEST(PeriodicShear, ParticlesThatCrossAnEndContinueAtTheirImage) {
  const Communicator world = Communicator::World();
  const Scene scene = ShearedCube();
  const double dt = 1e-4;
  for (const double direction : {1.0, -1.0}) {
    State state;
    const Vec3 start(0.003, 0.01, 0.01), velocity(0.3, -0.2, direction);
    if (world.IsRoot()) test::AddSphere(state.particles, 0, start, kRadius, velocity);
    constexpr int kSteps = 400;  // passes through an end twice
    test::Run(world, scene, ParametersOf(dt), state, kSteps);
    const double time = kSteps * dt;
    // It reaches the first end after 0.01 s, and the second one after 0.03 s.
    const auto wrap_period = [](double x) { return x - kSide * std::floor(x / kSide); };
    const test::Kinematics end = WrappedParticles(world, scene, state, dt).at(0);
    // The particle crosses an end twice. Each time it continues at an image, which moves at U and
    // has moved by U t by now. The times of the crossings therefore do not matter.
    const double path = velocity.x() * time - 2.0 * direction * kSpeed * time;
    EXPECT_NEAR(end.velocity.x(), velocity.x() - 2.0 * direction * kSpeed, kRounding);
    EXPECT_NEAR(end.velocity.y(), velocity.y(), kRounding);
    EXPECT_NEAR(end.velocity.z(), direction, kRounding);
    EXPECT_NEAR(end.position.x(), wrap_period(start.x() + path), kRounding);
    EXPECT_NEAR(end.position.y(), wrap_period(start.y() + velocity.y() * time), kRounding);
    EXPECT_NEAR(end.position.z(), wrap_period(start.z() + direction * time), kRounding);
  }
}

/// Two spheres that meet across an end along z: the upper end (direction = 1) or the lower end
/// (−1).
struct MeetingSpheres {
  double direction;
  Vec3 velocity_a = Vec3(0.1, 0.05, 0.9), velocity_b = Vec3(-0.2, 0.1, -0.7);
  Vec3 omega_a = Vec3(30, -70, 20), omega_b = Vec3(-10, 40, 90);
  double time;  // when a and the image of b touch, one directly above the other [s]

  MeetingSpheres(double end_direction, double contact_time)
      : direction(end_direction), time(contact_time) {
    velocity_a.z() *= direction;
    velocity_b.z() *= direction;
  }
  Vec3 ImageVelocity() const { return {direction * kSpeed, 0, 0}; }
  Vec3 PositionA() const {
    return Vec3(0.013, 0.01, 0.5 * kSide + direction * (0.5 * kSide - kRadius)) - time * velocity_a;
  }
  Vec3 ImageOfB() const {  // at time zero
    const Vec3 touching(0.013, 0.01, 0.5 * kSide + direction * (0.5 * kSide + kRadius));
    return touching - time * (velocity_b + ImageVelocity());
  }
  Vec3 PositionB() const { return ImageOfB() - Vec3(0, 0, direction * kSide); }
};

TEST(PeriodicShear, SpheresStickAcrossAnEndAsInTheClosedForm) {
  const Communicator world = Communicator::World();
  const double dt = 1e-7;
  for (const double direction : {1.0, -1.0}) {
    const MeetingSpheres spheres(direction, 10 * dt);
    const Scene scene = ShearedCube(100.0);
    State state;
    if (world.IsRoot()) {
      test::AddSphere(state.particles, 0, spheres.PositionA(), kRadius, spheres.velocity_a,
                      spheres.omega_a);
      test::AddSphere(state.particles, 1, spheres.PositionB(), kRadius, spheres.velocity_b,
                      spheres.omega_b);
    }
    test::Run(world, scene, ParametersOf(dt), state, 13);
    const auto end = WrappedParticles(world, scene, state, dt);

    // Equal spheres, w = 1/m each: A_nn = 2 w, A_tt = 7 w, and λ stops δv at the contact. While
    // they touch, the normal rotates by about v dt/(2 r) per step.
    const Vec3 n(0, 0, -direction);
    const Vec3 u_a = kRadius * spheres.omega_a, u_b = kRadius * spheres.omega_b;
    const Vec3 image_velocity = spheres.velocity_b + spheres.ImageVelocity();
    const Vec3 delta = spheres.velocity_a - image_velocity - (u_a + u_b).cross(n);
    const Vec3 normal = delta.dot(n) * n;
    const Vec3 impulse_w = -0.5 * normal - (delta - normal) / 7.0;  // w λ
    const double normal_rotation = 2.0 * dt * delta.norm() / (2.0 * kRadius);
    const double tolerance = 3.0 * normal_rotation * delta.norm();
    EXPECT_LT((end.at(0).velocity - (spheres.velocity_a + impulse_w)).norm(), tolerance);
    EXPECT_LT((end.at(1).velocity - (spheres.velocity_b - impulse_w)).norm(), tolerance);
    const Vec3 spin = 2.5 / kRadius * n.cross(impulse_w);
    EXPECT_LT((end.at(0).angular_velocity - (spheres.omega_a - spin)).norm(), tolerance / kRadius);
    EXPECT_LT((end.at(1).angular_velocity - (spheres.omega_b - spin)).norm(), tolerance / kRadius);
    EXPECT_GT(impulse_w.norm(), 0.5);
  }
}

TEST(PeriodicShear, SpheresMeetAcrossAnEndAsInOpenSpace) {
  const Communicator world = Communicator::World();
  const Communicator self = Communicator::Self();
  const double dt = 1e-5;
  for (const test::NamedScheme& scheme : test::kSchemes) {
    for (const double direction : {1.0, -1.0}) {
      const MeetingSpheres spheres(direction, 100 * dt);
      StepParameters parameters = test::WithScheme(scheme);
      parameters.dt = dt;
      const Scene scene = ShearedCube(0.3);
      State sheared, unwrapped;
      if (world.IsRoot()) {
        test::AddSphere(sheared.particles, 0, spheres.PositionA(), kRadius, spheres.velocity_a,
                        spheres.omega_a);
        test::AddSphere(sheared.particles, 1, spheres.PositionB(), kRadius, spheres.velocity_b,
                        spheres.omega_b);
      }
      test::AddSphere(unwrapped.particles, 0, spheres.PositionA(), kRadius, spheres.velocity_a,
                      spheres.omega_a);
      test::AddSphere(unwrapped.particles, 1, spheres.ImageOfB(), kRadius,
                      spheres.velocity_b + spheres.ImageVelocity(), spheres.omega_b);
      const Scene open = test::EmptyScene(Vec3::Constant(-kSide), Vec3::Constant(2.0 * kSide), 0.3);
      constexpr int kSteps = 300;
      test::Run(world, scene, parameters, sheared, kSteps);
      test::Run(self, open, parameters, unwrapped, kSteps);
      const auto end = WrappedParticles(world, scene, sheared, dt);
      const PeriodicImages images(scene.domain, kSteps * dt);
      for (auto& [id, expected] : test::GatherById(self, unwrapped.particles)) {
        Vec3 x = expected.position, v = expected.velocity;
        images.Wrap(x, v);
        EXPECT_LT((end.at(id).position - x).norm(), kRounding) << scheme.name << id << direction;
        EXPECT_LT((end.at(id).velocity - v).norm(), kRounding) << scheme.name << id << direction;
        EXPECT_LT((end.at(id).angular_velocity - expected.angular_velocity).norm(), 1e-8);
      }
      EXPECT_LT(end.at(0).velocity.z() * direction, 0.3);  // they have met
    }
  }
}

/// A dense bed of spheres of several sizes with the mean flow and some fluctuations, created on
/// rank 0.
State Bed(const Communicator& communicator, const Scene& scene, int spheres_per_side = 8) {
  State state;
  if (!communicator.IsRoot()) return state;
  const double spacing = scene.domain.box.Extent().x() / spheres_per_side;
  for (ParticleId id = 0; id < spheres_per_side * spheres_per_side * spheres_per_side; ++id) {
    const auto random = [&](std::uint64_t draw) { return UniformAroundZero(7, id, draw); };
    const Vec3 site(static_cast<double>(id % spheres_per_side),
                    static_cast<double>(id / spheres_per_side % spheres_per_side),
                    static_cast<double>(id / (spheres_per_side * spheres_per_side)));
    const Vec3 disorder =
        0.08 * Vec3(random(7), random(8), random(9));  // disorder, so that layers do not slide
    const Vec3 position = spacing * (site + Vec3::Constant(0.5) + disorder);
    const Vec3 fluctuation = 0.3 * Vec3(random(1), random(2), random(3));
    test::AddSphere(state.particles, id, position, 0.5 * spacing * (0.95 + 0.1 * random(0)),
                    scene.domain.MeanFlow(position) + fluctuation,
                    50.0 * Vec3(random(4), random(5), random(6)));
  }
  return state;
}

constexpr double kBedStep = 4e-5;
constexpr int kBedSteps = 700;  // a strain of 1.1: images above overtake the images below once

/// Pairs of ids that overlap by more than rounding, also across images.
std::set<std::pair<ParticleId, ParticleId>> AllOverlaps(
    const Scene& scene, const std::map<ParticleId, test::Kinematics>& particles, double time) {
  const PeriodicImages images(scene.domain, time);
  std::set<std::pair<ParticleId, ParticleId>> pairs;
  for (auto a = particles.begin(); a != particles.end(); ++a) {
    for (auto b = std::next(a); b != particles.end(); ++b) {
      Vec3 d = b->second.position - a->second.position;
      double min = HUGE_VAL;
      for (int number = 0; number < 27; ++number) {
        const Image image = {static_cast<std::int8_t>(number % 3 - 1),
                             static_cast<std::int8_t>(number / 3 % 3 - 1),
                             static_cast<std::int8_t>(number / 9 - 1)};
        min = std::min(min, (d + images.Shift(image)).norm());
      }
      if (min - a->second.radius - b->second.radius < -1e-9 * kRadius) {
        pairs.emplace(a->first, b->first);
      }
    }
  }
  return pairs;
}

TEST(PeriodicShear, EveryOverlapIsAContact) {
  const Communicator world = Communicator::World();
  const Scene scene = ShearedCube(0.4, 0.012);
  State state = Bed(world, scene, 6);
  TimeStep step = test::Start(world, scene, ParametersOf(kBedStep), state);
  std::size_t overlap_count = 0;
  std::int64_t across_count = 0;
  for (int k = 0; k < kBedSteps; ++k) {
    const bool is_checked = k % 10 == 9;
    const double time = kBedStep * static_cast<double>(state.step);
    const auto expected =
        is_checked ? AllOverlaps(scene, WrappedParticles(world, scene, state, kBedStep), time)
                   : std::set<std::pair<ParticleId, ParticleId>>();
    step.Advance(state);
    if (!is_checked) continue;
    std::int64_t overlaps = 0;
    for (const DetectedContact& contact : step.Contacts()) {
      if (contact.gap >= -1e-9 * kRadius) continue;
      ++overlaps;
      const ParticleId a = state.particles.id[static_cast<std::size_t>(contact.a)];
      const ParticleId b = state.particles.id[static_cast<std::size_t>(contact.b)];
      EXPECT_EQ(expected.count(std::minmax(a, b)), 1u);
      across_count += static_cast<std::size_t>(contact.b) >= state.particles.owned;
    }
    ASSERT_EQ(world.Sum(overlaps), static_cast<std::int64_t>(expected.size())) << "step " << k;
    overlap_count += expected.size();
  }
  EXPECT_GT(overlap_count, 400u);
  EXPECT_GT(world.Sum(across_count), 100);
  EXPECT_LT(step.Rebuilds(), kBedSteps / 10);
}

class ShearWithScheme : public testing::TestWithParam<test::NamedScheme> {};
INSTANTIATE_TEST_SUITE_P(All, ShearWithScheme, testing::ValuesIn(test::kSchemes),
                         test::NameOfScheme);

TEST_P(ShearWithScheme, MomentumIsConservedExceptForWrapping) {
  const Communicator world = Communicator::World();
  const Scene scene = ShearedCube(0.4, 0.016);
  StepParameters parameters = test::WithScheme(GetParam());
  parameters.dt = kBedStep;
  const double speed = kRate * 0.016;
  State state = Bed(world, scene);
  TimeStep step = test::Start(world, scene, parameters, state);
  std::map<ParticleId, test::Kinematics> previous = WrappedParticles(world, scene, state, kBedStep);
  std::map<ParticleId, double> images;  // ends crossed upwards minus downwards, by id
  const auto momentum = [&](const auto& particles) {
    Vec3 sum = Vec3::Zero();
    for (const auto& [id, p] : particles) {
      const Vec3 image_shift = images[id] * speed * Vec3::UnitX();
      sum += test::Mass(p.radius) * (p.velocity + image_shift);
    }
    return sum;
  };
  double scale = 0.0;
  for (const auto& [id, p] : previous) scale += test::Mass(p.radius) * p.velocity.norm();
  const Vec3 initial_momentum = momentum(previous);
  int crossings = 0;
  for (int k = 0; k < kBedSteps; ++k) {
    step.Advance(state);
    const auto current = WrappedParticles(world, scene, state, kBedStep);
    for (const auto& [id, p] : current) {
      const double jump = p.position.z() - previous.at(id).position.z();
      if (std::abs(jump) < 0.008) continue;
      images[id] -= std::copysign(1.0, jump);
      ++crossings;
    }
    previous = current;
    ASSERT_LT((momentum(current) - initial_momentum).norm(), 1e-11 * scale) << "step " << k;
  }
  EXPECT_GT(crossings, 5);
}

/// Checks that the energy balance of a sheared state closes.
void ExpectClosed(const Scene& scene, const StepParameters& parameters, State state) {
  const Communicator world = Communicator::World();
  TimeStep step = test::Start(world, scene, parameters, state);
  step.EnableEnergyBalance(true);
  const double start = step.Observe(state).kinetic_energy;
  double turnover = 0.0;
  for (int k = 0; k < kBedSteps; ++k) {
    step.Advance(state);
    const EnergyBalance last_balance = SumOverRanks(world, step.Energy());
    turnover += std::abs(last_balance.contacts) + std::abs(last_balance.shear);
  }
  const EnergyBalance total = SumOverRanks(world, state.energy);
  EXPECT_LT(std::abs(total.Imbalance()), 1e-11 * turnover);
  EXPECT_NEAR(step.Observe(state).kinetic_energy - start, total.kinetic, 1e-11 * turnover);
  EXPECT_GT(total.shear, 0.0);
  EXPECT_LT(total.contacts, 0.0);
}

TEST_P(ShearWithScheme, WorkOfTheShearIsRecorded) {
  StepParameters parameters = test::WithScheme(GetParam());
  parameters.dt = kBedStep;
  const Scene scene = ShearedCube(0.4, 0.016);
  ExpectClosed(scene, parameters, Bed(Communicator::World(), scene));
}

TEST(PeriodicShear, WorkOfCohesionAndRollingResistanceIsRecorded) {
  Scene scene = ShearedCube(0.4, 0.016);
  scene.materials.SetLaw<RollingLaw>(0, 0, {0.2, 0.1});
  scene.materials.SetLaw<CohesionLaw>(0, 0, {.force = 2e-3});
  ExpectClosed(scene, ParametersOf(kBedStep), Bed(Communicator::World(), scene));
}

/// A Bed with randomly oriented dumbbells and tetrapods instead of spheres.
State ClumpBed(const Communicator& communicator, const Scene& scene) {
  State state = Bed(communicator, scene, 6);
  for (std::size_t i = 0; i < state.particles.Size(); ++i) {
    const ParticleId id = state.particles.id[i];
    state.particles.shape[i] = static_cast<ShapeId>(1 + id % 2);
    const auto random = [&](std::uint64_t draw) { return UniformAroundZero(9, id, draw); };
    const Eigen::Vector4d q = Eigen::Vector4d(random(0), random(1), random(2), 0.3).normalized();
    state.particles.orientation[i] = {q[0], q[1], q[2], q[3]};
  }
  return state;
}

TEST(PeriodicShear, BalanceOfClumpsClosesWithTheSameBitsOnAnyRanks) {
  const Communicator world = Communicator::World();
  const Communicator self = Communicator::Self();
  Scene scene = ShearedCube(0.4, 0.014);
  test::AddShape(scene, test::Dumbbell(0.5));
  test::AddShape(scene, test::Tetrapod(0.5));
  StepParameters parameters = ParametersOf(kBedStep);
  parameters.solver.kernel = kDefaultKernelOfBodies;
  parameters.solver.scheme = Scheme::kJacobi;
  State state = ClumpBed(world, scene);
  State serial_state = ClumpBed(self, scene);
  for (Vec3& omega : state.particles.angular_velocity) omega *= 10.0;
  for (Vec3& omega : serial_state.particles.angular_velocity) omega *= 10.0;
  ExpectClosed(scene, parameters, state);
  test::Run(world, scene, parameters, state, 200);
  const auto bodies = test::GatherById(world, state.particles);
  if (!world.IsRoot()) return;
  test::Run(self, scene, parameters, serial_state, 200);
  test::ExpectSameBits(bodies, test::GatherById(self, serial_state.particles));
}

TEST(PeriodicShear, JacobiHasTheSameBitsOnAnyNumberOfRanks) {
  const Communicator world = Communicator::World();
  const Communicator self = Communicator::Self();
  for (const Kernel kernel : {Kernel::kSphere, Kernel::kMaxDissipation}) {
    Scene scene = ShearedCube(0.4, 0.016);
    scene.materials.SetLaw<RollingLaw>(0, 0, {0.1, 0.05});
    StepParameters parameters = ParametersOf(kBedStep);
    parameters.solver.scheme = Scheme::kJacobi;
    parameters.solver.kernel = kernel;
    const int steps = kernel == Kernel::kSphere ? kBedSteps : 100;
    State parallel_state = Bed(world, scene);
    TimeStep parallel = test::Start(world, scene, parameters, parallel_state);
    std::int64_t loaded = 0;
    for (int k = 0; k < steps; ++k) {
      parallel.Advance(parallel_state);
      if (k % 10 == 9) loaded += parallel.Observe(parallel_state).loaded_contacts;
    }
    EXPECT_GT(loaded, 2 * steps);
    const Observables end = parallel.Observe(parallel_state);
    const auto spheres = test::GatherById(world, parallel_state.particles);
    if (!world.IsRoot()) continue;
    State serial_state = Bed(self, scene);
    TimeStep serial = test::Run(self, scene, parameters, serial_state, steps);
    EXPECT_EQ(end.loaded_contacts, serial.Observe(serial_state).loaded_contacts);
    EXPECT_EQ(parallel.Rebuilds(), serial.Rebuilds());
    EXPECT_GT(parallel.Rebuilds(), 2);
    test::ExpectSameBits(spheres, test::GatherById(self, serial_state.particles));
  }
}

TEST_P(ShearWithScheme, RestartContinuesWithTheSameBits) {
  const Communicator world = Communicator::World();
  const Scene scene = ShearedCube(0.4, 0.016);
  StepParameters parameters = test::WithScheme(GetParam());
  parameters.dt = kBedStep;
  State state = Bed(world, scene);
  TimeStep step = test::Start(world, scene, parameters, state);
  int restarts_with_list = 0;
  for (const int part : {313, 1, 1, 80}) {
    for (int k = 0; k < part; ++k) step.Advance(state);
    restarts_with_list += !step.Point(state).rebuild_due;
    test::ExpectRestartWithTheSameBits(world, scene, parameters, step, state, 60);
  }
  EXPECT_GT(restarts_with_list, 0);
}

}  // namespace
}  // namespace scree::shear_test
