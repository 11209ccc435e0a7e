// Particles jammed by a wall: a problem without a solution ends with an error message.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <utility>

#include "tests/support/scenes.hpp"

namespace scree::jam_test {
namespace {

constexpr double kRadius = 1e-3, kGravity = 9.81, kDt = 5e-5;

/// A blade moves over the floor with its lower edge below the top of a sphere. The tangent of half
/// the angle between the planes of the two contacts is 1/3, so the sphere jams if μ > 1/3.
struct Wedge {
  Communicator world = Communicator::World();
  Scene scene;
  StepParameters parameters;
  State state;
  std::int64_t suspected_step = -1;  // SuspectedJam of a run that ended without error

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
  /// Uses automatic steps. A jam ends the run when no step is short enough: with this base step of
  /// 100 ns after 2000 steps, with kBaseStep after 200 000.
  void UseAutomaticSteps() {
    parameters.accuracy = kAccuracy;
    parameters.dt = 100.0 * kBaseStep;
  }
  /// Replaces the spheres by a row.
  void PlaceRow(ParticleId count, const Vec3& first, const Vec3& spacing) {
    Resize(state.particles, 0);
    state.particles.owned = 0;
    for (ParticleId id = 0; id < (world.IsRoot() ? count : 0); ++id) {
      test::AddSphere(state.particles, id, first + static_cast<double>(id) * spacing, kRadius);
    }
  }
  /// @returns the error that ended the run (empty: none), and the maximum force on the floor [N]
  std::pair<std::string, double> Run(double time) {
    TimeStep step = test::Start(world, scene, parameters, state);
    step.EnableWallLoads(true);
    double max = 0.0;
    try {
      while (parameters.dt * static_cast<double>(state.step) < time) {
        step.Advance(state);
        max = std::max(max, -step.Observe(state).wall_loads[0].force.z());
      }
      suspected_step = step.SuspectedJam();
    } catch (const SimulationError& error) {
      return {error.what(), max};
    }
    return {{}, max};
  }
};

TEST(Jam, WedgedParticleEndsTheRunAndIsNamed) {
  Wedge wedge(0.5);
  const auto [error, force] = wedge.Run(0.3);
  EXPECT_NE(error.find("[wall.blade] jams particle 4"), std::string::npos) << error;
  EXPECT_NE(error.find("[wall.floor]"), std::string::npos) << error;
  EXPECT_EQ(error.find("sense of rotation"), std::string::npos) << error;
  EXPECT_LT(force, 20.0);  // it would be 95 N after another 0.15 s
}

TEST(Jam, ErrorForARotatingWallSuggestsTheSenseOfRotation) {
  Wedge wedge(0.5);
  wedge.scene.walls[1].rotation.angular_velocity = Vec3(0, 1e-6, 0);
  EXPECT_NE(wedge.Run(0.3).first.find("use the other sense of rotation"), std::string::npos);
}

/// Automatic steps get shorter and shorter while the wall hardly moves. The error must name the
/// jam, not the base step.
TEST(Jam, JamIsNamedWithAutomaticSteps) {
  Wedge wedge(0.5);
  wedge.UseAutomaticSteps();
  const std::string wedge_error = wedge.Run(0.3).first;
  EXPECT_NE(wedge_error.find("[wall.blade] jams particle 4"), std::string::npos) << wedge_error;
  EXPECT_EQ(wedge_error.find("base step"), std::string::npos) << wedge_error;
}

TEST(Jam, SenseOfRotationIsSuggestedWithAutomaticSteps) {
  Wedge valve(0.5);
  valve.UseAutomaticSteps();
  valve.scene.walls[1].rotation.angular_velocity = Vec3(0, 1e-6, 0);
  const std::string valve_error = valve.Run(0.3).first;
  EXPECT_NE(valve_error.find("the other sense of rotation"), std::string::npos) << valve_error;
}

TEST(Jam, PistonOnAFullPotIsNamedWithAutomaticSteps) {
  Wedge pot(0.5);
  pot.UseAutomaticSteps();
  pot.scene.walls[1] = {"piston", {{Plane{Vec3(0, 0, 8.3e-3), -Vec3::UnitZ()}}}};
  pot.scene.walls[1].velocity = Vec3(0, 0, -0.02);
  pot.PlaceRow(4, Vec3(0.0, 0.0, kRadius), Vec3(0.0, 0.0, 2.0 * kRadius));
  const std::string pot_error = pot.Run(0.1).first;
  EXPECT_NE(pot_error.find("[wall.piston] jams particle 3"), std::string::npos) << pot_error;
}

/// With μ < 1/3 the sphere slips out and rolls ahead of the blade.
TEST(Jam, ParticleThatSlipsOutDoesNotCountAsAJam) {
  Wedge wedge(0.3);
  const auto [error, force] = wedge.Run(0.3);
  EXPECT_EQ(error, "");
  EXPECT_EQ(wedge.suspected_step, -1);
  EXPECT_LT(force, 0.1);
  EXPECT_GT(test::GatherById(wedge.world, wedge.state.particles).at(4).position.x(), 3e-3);
}

TEST(Jam, PistonOnAFullPotJams) {
  Wedge pot(0.5);
  pot.scene.walls[1] = {"piston", {{Plane{Vec3(0, 0, 8.3e-3), -Vec3::UnitZ()}}}};
  pot.scene.walls[1].velocity = Vec3(0, 0, -0.02);
  pot.PlaceRow(4, Vec3(0.0, 0.0, kRadius), Vec3(0.0, 0.0, 2.0 * kRadius));
  const auto [error, force] = pot.Run(0.1);
  EXPECT_NE(error.find("[wall.piston] jams particle 3"), std::string::npos) << error;
}

/// The blade presses a row of two spheres against a post. The row crosses the middle of the domain,
/// where ranks meet. A single rank can name both spheres, but none of several ranks sees both.
TEST(Jam, RowAcrossRanksIsSuspected) {
  Wedge wedge(0.5);
  test::AddPlane(wedge.scene, Vec3(2.0 * kRadius, 0, 0), -Vec3::UnitX());
  wedge.scene.walls.back().name = "post";
  wedge.PlaceRow(2, Vec3(-kRadius, 2.0 * kRadius, kRadius), Vec3(2.0 * kRadius, 0, 0));
  wedge.scene.walls[1].shape = {{Block{{Vec3(-0.02, -0.005, 5e-4), Vec3(-0.002, 0.005, 0.01)}}}};
  const auto [error, force] = wedge.Run(0.03);
  if (test::IsSingleRank()) {
    EXPECT_NE(error.find("[wall.blade] jams particle 0"), std::string::npos) << error;
    EXPECT_NE(error.find("[wall.post]"), std::string::npos) << error;
  } else {
    EXPECT_EQ(error, "");
    EXPECT_GT(wedge.suspected_step, 0);
  }
}

/// A floor starts to move under a tall pile. The loads build up slowly, but the pile carries them.
TEST(Jam, TallPileOnALiftDoesNotCountAsAJam) {
  Wedge lift(0.5);
  lift.scene.domain.box = {Vec3(-0.03, -0.03, -0.001), Vec3(0.03, 0.03, 0.3)};
  lift.scene.walls.resize(1);
  lift.scene.walls[0].velocity = Vec3(0, 0, 0.1);
  lift.scene.walls[0].moves_from = 0.02;
  lift.PlaceRow(60, Vec3(0.0, 0.0, kRadius), Vec3(0.0, 0.0, 2.0 * kRadius));
  EXPECT_EQ(lift.Run(0.1).first, "");
  EXPECT_EQ(lift.suspected_step, -1);
}

}  // namespace
}  // namespace scree::jam_test
