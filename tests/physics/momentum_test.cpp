// Momentum and angular momentum of a free cluster that is divided among ranks.
#include <gtest/gtest.h>

#include "engine/particles/random.hpp"
#include "tests/support/schemes.hpp"

namespace scree::momentum_test {
namespace {

constexpr double kLength = 0.02;

/// Overlapping spheres of several sizes that fly towards the middle, created on rank 0.
State SqueezedCluster(const Communicator& communicator) {
  State state;
  if (!communicator.IsRoot()) return state;
  ParticleId id = 0;
  for (double x = 0.001; x < kLength; x += 0.0018) {
    for (double y = 0.001; y < kLength; y += 0.0018) {
      for (double z = 0.001; z < kLength; z += 0.0018, ++id) {
        const auto random = [&](std::uint64_t draw) { return UniformAroundZero(5, id, draw); };
        const Vec3 position = Vec3(x, y, z) + 1e-4 * Vec3(random(0), random(1), random(2));
        const Vec3 velocity = 20.0 * (Vec3::Constant(0.5 * kLength) - position);
        const Vec3 omega = 300.0 * Vec3(random(3), random(4), random(5));
        test::AddSphere(state.particles, id, position, 0.9e-3 + 0.2e-3 * random(6), velocity,
                        omega);
      }
    }
  }
  return state;
}

struct Momenta {
  Vec3 linear = Vec3::Zero(), angular = Vec3::Zero();
  double scale = 0.0;  // Σ m |v|
};

Momenta TotalMomentum(const Communicator& communicator, const Particles& particles) {
  Momenta total;
  for (const auto& [id, p] : test::GatherById(communicator, particles)) {
    const double m = test::Mass(p.radius);
    total.linear += m * p.velocity;
    total.angular +=
        m * p.position.cross(p.velocity) + 0.4 * m * p.radius * p.radius * p.angular_velocity;
    total.scale += m * p.velocity.norm();
  }
  return total;
}

class Momentum : public testing::TestWithParam<test::NamedScheme> {};
INSTANTIATE_TEST_SUITE_P(All, Momentum, testing::ValuesIn(test::kSchemes), test::NameOfScheme);

/// Number of this rank's contacts that have an impulse and touch a particle of another rank.
std::int64_t LoadedAcrossBorders(const TimeStep& step, const State& state) {
  std::int64_t count = 0;
  for (std::size_t j = 0; j < step.Contacts().size(); ++j) {
    const auto b = static_cast<std::size_t>(step.Contacts()[j].b);
    count += b >= state.particles.owned && step.Problem().Impulse(j).norm() > 0.0;
  }
  return count;
}

void ExpectConserved(const StepParameters& parameters, const PairRolling& rolling = {}) {
  const Communicator world = Communicator::World();
  Scene scene = test::EmptyScene(Vec3::Constant(-0.02), Vec3::Constant(kLength + 0.02), 0.4);
  scene.materials.SetLaw<RollingLaw>(0, 0, rolling);
  State state = SqueezedCluster(world);
  const Momenta initial = TotalMomentum(world, state.particles);
  TimeStep step = test::Start(world, scene, parameters, state);
  std::int64_t loaded = 0, across_ranks = 0;
  for (int k = 0; k < 50; ++k) {
    step.Advance(state);
    loaded += step.Observe(state).loaded_contacts;
    across_ranks += world.Sum(LoadedAcrossBorders(step, state));
    constexpr double kRounding = 1e-13;
    const Momenta current = TotalMomentum(world, state.particles);
    ASSERT_LT((current.linear - initial.linear).norm(), kRounding * initial.scale) << "step " << k;
  }
  EXPECT_GT(loaded, 5000);
  if (world.Size() > 1) {
    EXPECT_GT(across_ranks, loaded / 25);  // 4.9 % or more, depending on the order of the contacts
  }
}

TEST_P(Momentum, MomentumIsConservedToRounding) { ExpectConserved(test::WithScheme(GetParam())); }

TEST_P(Momentum, MomentumIsConservedWithRollingResistance) {
  ExpectConserved(test::WithScheme(GetParam()), {0.2, 0.1});
}

TEST(MomentumOfGaussSeidel, MomentumIsConservedByUnfinishedSweeps) {
  StepParameters parameters;
  parameters.solver.sweeps = 1;
  // If overlaps were corrected, a single sweep with a warm start would add more error in each step
  // than it removes, and the cluster would burst.
  parameters.error_reduction = 0.0;
  ExpectConserved(parameters);
}

TEST(MomentumOfGaussSeidel, MomentumIsConservedByEveryKernel) {
  for (const Kernel kernel : {Kernel::kMaxDissipation, Kernel::kCoulomb}) {
    StepParameters parameters;
    parameters.solver.kernel = kernel;
    ExpectConserved(parameters);
  }
}

class AngularMomentum : public testing::TestWithParam<std::tuple<test::NamedScheme, double>> {};
INSTANTIATE_TEST_SUITE_P(All, AngularMomentum,
                         testing::Combine(testing::ValuesIn(test::kSchemes),
                                          testing::Values(0.0, 0.2)));

TEST_P(AngularMomentum, ErrorIsAtMostTheGapTimesTheImpulse) {
  // Equal and opposite impulses act at the surface of each sphere, so that an overlap of depth d
  // makes a torque of at most d λ. Touching contacts and rolling resistance make no torque.
  const auto& [scheme, rolling] = GetParam();
  const Communicator world = Communicator::World();
  Scene scene = test::EmptyScene(Vec3::Constant(-0.02), Vec3::Constant(kLength + 0.02), 0.4);
  scene.materials.SetLaw<RollingLaw>(0, 0, {rolling, rolling});
  State state = SqueezedCluster(world);
  const Momenta initial = TotalMomentum(world, state.particles);
  TimeStep step = test::Start(world, scene, test::WithScheme(scheme), state);
  double torque_bound = 0.0;
  for (int k = 0; k < 50; ++k) {
    step.Advance(state);
    double bound = 0.0;
    for (std::size_t j = 0; j < step.Contacts().size(); ++j) {
      bound += std::abs(step.Contacts()[j].gap) * step.Problem().Impulse(j).norm();
    }
    torque_bound += world.Sum(bound);
  }
  const Momenta final_momentum = TotalMomentum(world, state.particles);
  EXPECT_LT((final_momentum.angular - initial.angular).norm(),
            torque_bound + 1e-12 * initial.scale * kLength);
}

}  // namespace
}  // namespace scree::momentum_test
