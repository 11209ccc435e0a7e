// Grains that a wall wedges: a problem without a solution ends in words.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <utility>

#include "tests/support/scenes.hpp"

namespace scree::jam_test {
namespace {

constexpr double kRadius = 1e-3, kGravity = 9.81, kDt = 5e-5;

/// A blade comes over the floor, with its lower edge below the top of a sphere: half the angle
/// between the two contacts has a tangent of 1/3.
struct Wedge {
  Communicator world = Communicator::World();
  Scene scene;
  StepParameters parameters;
  State state;

  explicit Wedge(double friction)
      : scene(test::EmptyScene(Vec3(-0.03, -0.03, -0.001), Vec3(0.03, 0.03, 0.03), friction)) {
    scene.gravity = Vec3(0, 0, -kGravity);
    parameters.dt = kDt;
    test::AddPlane(scene, Vec3::Zero(), Vec3::UnitZ());
    scene.walls.back().name = "floor";
    Wall blade{"blade", {{Block{{Vec3(-0.02, -0.005, 1.8e-3), Vec3(-0.001, 0.005, 0.01)}}}}};
    blade.velocity = Vec3(0.02, 0, 0);
    scene.walls.push_back(blade);
    if (world.IsRoot()) test::AddSphere(state.particles, 4, Vec3(6e-4, 0, kRadius), kRadius);
  }
  /// @returns what was wrong in the end, and the greatest force on the floor
  std::pair<std::string, double> Run(double time) {
    TimeStep step = test::Start(world, scene, parameters, state);
    step.KeepWallLoads(true);
    double most = 0.0;
    try {
      for (int k = 0; k * kDt < time; ++k) {
        step.Advance(state);
        most = std::max(most, -step.Observe(state).wall_loads[0].force.z());
      }
    } catch (const SimulationError& error) {
      return {error.what(), most};
    }
    return {{}, most};
  }
};

TEST(Jam, AWedgedGrainEndsTheRunAndIsNamed) {
  Wedge wedge(0.5);
  const auto [error, force] = wedge.Run(0.3);
  EXPECT_NE(error.find("[wall.blade] jams particle 4"), std::string::npos) << error;
  EXPECT_NE(error.find("[wall.floor]"), std::string::npos) << error;
  EXPECT_LT(force, 20.0);  // 95 N after 0.15 s more
}

/// With tan > μ the sphere slips out and rolls ahead.
TEST(Jam, AGrainThatSlipsOutIsNone) {
  Wedge wedge(0.3);
  const auto [error, force] = wedge.Run(0.3);
  EXPECT_EQ(error, "");
  EXPECT_LT(force, 0.1);
  EXPECT_GT(test::AllById(wedge.world, wedge.state.particles).at(4).position.x(), 3e-3);
}

/// A piston that cannot be met by the spheres that it presses together.
TEST(Jam, APistonAgainstAFullPotIsOne) {
  Wedge pot(0.5);
  pot.scene.walls[1] = {"piston", {{Plane{Vec3(0, 0, 8.3e-3), -Vec3::UnitZ()}}}};
  pot.scene.walls[1].velocity = Vec3(0, 0, -0.02);
  Resize(pot.state.particles, 0);
  pot.state.particles.owned = 0;
  for (ParticleId id = 0; id < (pot.world.IsRoot() ? 4 : 0); ++id) {
    test::AddSphere(pot.state.particles, id,
                    Vec3(0.0, 0.0, (2.0 * static_cast<double>(id) + 1.0) * kRadius), kRadius);
  }
  const auto [error, force] = pot.Run(0.1);
  EXPECT_NE(error.find("[wall.piston] jams particle 3"), std::string::npos) << error;
}

/// Loads that build up slowly, but are carried: a floor that sets off under a tall pile.
TEST(Jam, ATallPileOnALiftIsNone) {
  Wedge lift(0.5);
  lift.scene.domain.box = {Vec3(-0.03, -0.03, -0.001), Vec3(0.03, 0.03, 0.3)};
  lift.scene.walls.resize(1);
  lift.scene.walls[0].velocity = Vec3(0, 0, 0.1);
  lift.scene.walls[0].moves_from = 0.02;
  Resize(lift.state.particles, 0);
  lift.state.particles.owned = 0;
  for (ParticleId id = 0; id < (lift.world.IsRoot() ? 60 : 0); ++id) {
    test::AddSphere(lift.state.particles, id,
                    Vec3(0.0, 0.0, (2.0 * static_cast<double>(id) + 1.0) * kRadius), kRadius);
  }
  EXPECT_EQ(lift.Run(0.1).first, "");
}

}  // namespace
}  // namespace scree::jam_test
