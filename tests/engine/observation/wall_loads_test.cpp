// Forces and torques on walls.
#include "engine/observation/wall_loads.hpp"

#include <gtest/gtest.h>

#include "tests/support/scenes.hpp"

namespace scree::wall_loads_test {
namespace {

constexpr double kRadius = 0.01, kDt = 1e-4;

struct SpheresOnAFloor {
  const Communicator world = Communicator::World();
  Scene scene = test::EmptyScene(Vec3::Zero(), Vec3(0.2, 0.1, 0.1), 0.5);
  StepParameters parameters;
  State state;

  SpheresOnAFloor() {
    scene.gravity = Vec3(0, 0, -10);
    test::AddPlane(scene, Vec3::Zero(), Vec3::UnitZ());
    parameters.dt = kDt;
  }
  void AddSphereAt(ParticleId id, double x, double y) {
    if (world.IsRoot()) test::AddSphere(state.particles, id, Vec3(x, y, kRadius), kRadius);
  }
  Observables ObserveAfter(int steps) {
    TimeStep step = test::Start(world, scene, parameters, state);
    step.EnableWallLoads(true);
    for (int k = 0; k < steps; ++k) step.Advance(state);
    return step.Observe(state);
  }
};

TEST(WallLoads, FloorCarriesTheWeightAtThePositionsOfTheSpheres) {
  SpheresOnAFloor setup;
  setup.AddSphereAt(1, 0.03, 0.05);
  setup.AddSphereAt(2, 0.15, 0.02);
  setup.scene.walls[0].rotation.centre = Vec3(0.1, 0, 0);
  const Observables observed = setup.ObserveAfter(20);
  const double weight = 10.0 * test::Mass(kRadius);
  ASSERT_EQ(observed.wall_loads.size(), 1u);
  const WallLoad& load = observed.wall_loads[0];
  EXPECT_LT((load.force - Vec3(0, 0, -2.0 * weight)).norm(), 1e-12 * weight);
  // (x − c) × F about c = (0.1, 0, 0).
  const Vec3 torque = Vec3(-0.07, 0.05, 0).cross(Vec3(0, 0, -weight)) +
                      Vec3(0.05, 0.02, 0).cross(Vec3(0, 0, -weight));
  EXPECT_LT((load.torque - torque).norm(), 1e-12 * weight);
}

TEST(WallLoads, LoadOnABeltIsTheReactionToTheSphere) {
  SpheresOnAFloor setup;
  setup.scene.walls[0].velocity = Vec3(1, 0, 0);
  setup.AddSphereAt(1, 0.03, 0.05);
  const Observables observed = setup.ObserveAfter(1);
  const double weight = 10.0 * test::Mass(kRadius);
  EXPECT_NEAR(observed.wall_loads.at(0).force.x(), -0.5 * weight, 1e-12 * weight);
  EXPECT_NEAR(observed.mean_velocity.x(), 0.5 * 10.0 * kDt, 1e-15);
}

TEST(WallLoads, SpinningFrictionIsATorqueOnTheFloor) {
  SpheresOnAFloor setup;
  setup.scene.materials.SetLaw<RollingLaw>(0, 0, {0.1, 0.02});
  setup.AddSphereAt(1, 0.03, 0.05);
  if (setup.world.IsRoot()) setup.state.particles.angular_velocity[0] = Vec3(0, 0, 30);
  const Observables observed = setup.ObserveAfter(3);
  const double weight = 10.0 * test::Mass(kRadius);
  const WallLoad& load = observed.wall_loads.at(0);
  EXPECT_NEAR(load.torque.z(), 0.02 * kRadius * weight, 1e-12 * weight);
  EXPECT_LT((load.force - Vec3(0, 0, -weight)).norm(), 1e-12 * weight);
}

TEST(WallLoads, LoadsAreComputedOnlyOnRequest) {
  SpheresOnAFloor setup;
  setup.AddSphereAt(1, 0.03, 0.05);
  TimeStep step = test::Start(setup.world, setup.scene, setup.parameters, setup.state);
  step.Advance(setup.state);
  EXPECT_TRUE(step.Observe(setup.state).wall_loads.empty());
}

}  // namespace
}  // namespace scree::wall_loads_test
