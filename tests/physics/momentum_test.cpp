// Momentum and angular momentum of a free cluster that rank borders cut through.
#include <gtest/gtest.h>

#include "engine/random.hpp"
#include "tests/support/scenes.hpp"

namespace scree {
namespace {

constexpr double kLength = 0.02;

/// Spheres of several sizes, squeezed together, that fly towards the middle; made on rank 0.
State SqueezedCluster(const Communicator& communicator) {
  State state;
  if (!communicator.IsRoot()) return state;
  ParticleId id = 0;
  for (double x = 0.001; x < kLength; x += 0.0018) {
    for (double y = 0.001; y < kLength; y += 0.0018) {
      for (double z = 0.001; z < kLength; z += 0.0018, ++id) {
        const auto random = [&](std::uint64_t draw) { return UniformAroundZero(5, id, draw); };
        const Vec3 place = Vec3(x, y, z) + 1e-4 * Vec3(random(0), random(1), random(2));
        const Vec3 velocity = 20.0 * (Vec3::Constant(0.5 * kLength) - place);
        const Vec3 omega = 300.0 * Vec3(random(3), random(4), random(5));
        test::AddSphere(state.particles, id, place, 0.9e-3 + 0.2e-3 * random(6), velocity, omega);
      }
    }
  }
  return state;
}

struct Momentum {
  Vec3 linear = Vec3::Zero(), angular = Vec3::Zero();
  double scale = 0.0;  // Σ m |v|
};

Momentum TotalMomentum(const Communicator& communicator, const Particles& particles) {
  Momentum total;
  for (const auto& [id, p] : test::AllById(communicator, particles)) {
    const double m = test::Mass(p.radius);
    total.linear += m * p.velocity;
    total.angular +=
        m * p.position.cross(p.velocity) + 0.4 * m * p.radius * p.radius * p.angular_velocity;
    total.scale += m * p.velocity.norm();
  }
  return total;
}

TEST(Momentum, IsConservedToRounding) {
  const Communicator world = Communicator::World();
  const Scene scene = test::EmptyScene(Vec3::Constant(-0.02), Vec3::Constant(kLength + 0.02), 0.4);
  State state = SqueezedCluster(world);
  const Momentum before = TotalMomentum(world, state.particles);
  TimeStep step = test::Start(world, scene, StepParameters{}, state);
  std::int64_t loaded = 0;
  for (int k = 0; k < 50; ++k) {
    step.Advance(state);
    loaded += step.Observe(state).loaded_contacts;
  }
  ASSERT_GT(loaded, 5000);
  const Momentum after = TotalMomentum(world, state.particles);
  constexpr double kRounding = 1e-13;
  EXPECT_LT((after.linear - before.linear).norm(), kRounding * before.scale);
}

TEST(Momentum, OfRotationIsConservedUpToTheGapTimesTheImpulse) {
  // Equal and opposite impulses act at each sphere's own surface, so an overlap of depth d between
  // them makes a torque of at most d λ (the step's spec); closed contacts make none.
  const Communicator world = Communicator::World();
  const Scene scene = test::EmptyScene(Vec3::Constant(-0.02), Vec3::Constant(kLength + 0.02), 0.4);
  State state = SqueezedCluster(world);
  const Momentum before = TotalMomentum(world, state.particles);
  TimeStep step = test::Start(world, scene, StepParameters{}, state);
  double torque_bound = 0.0;
  for (int k = 0; k < 50; ++k) {
    step.Advance(state);
    double bound = 0.0;
    const ContactSolution solution = step.Solution();
    for (std::size_t j = 0; j < step.Contacts().size(); ++j) {
      bound += std::abs(step.Contacts()[j].gap) * solution.impulses[j].norm();
    }
    torque_bound += world.Sum(bound);
  }
  const Momentum after = TotalMomentum(world, state.particles);
  EXPECT_LT((after.angular - before.angular).norm(), torque_bound + 1e-12 * before.scale * kLength);
}

}  // namespace
}  // namespace scree
