// Walls that rotate, oscillate or vanish, and a single sphere, on any number of ranks.
#include <gtest/gtest.h>

#include <cmath>

#include "tests/support/same_bits.hpp"

namespace scree::moving_walls_test {
namespace {

constexpr double kRadius = 0.01, kGravity = 10.0;

struct SphereInABox {
  const Communicator world = Communicator::World();
  Scene scene = test::EmptyScene(Vec3(-0.2, -0.2, -0.2), Vec3(0.2, 0.2, 0.2), 0.5);
  StepParameters parameters;
  State state;

  explicit SphereInABox(double dt) {
    scene.gravity = Vec3(0, 0, -kGravity);
    parameters.dt = dt;
  }
  void PlaceSphere(const Vec3& x, const Vec3& v = Vec3::Zero(), const Vec3& omega = Vec3::Zero()) {
    if (world.IsRoot()) test::AddSphere(state.particles, 1, x, kRadius, v, omega);
  }
  /// Runs more steps. @returns the sphere
  test::Kinematics StateAfter(int steps) {
    Resize(state.particles, state.particles.owned);  // without the ghosts of an earlier call
    test::Run(world, scene, parameters, state, steps);
    return test::GatherById(world, state.particles).at(1);
  }
};

/// On a turntable, a sphere that rolls without slipping moves on a circle at 2/7 of the table's
/// angular velocity: v = 2/7 Ω × (x − c) (R. H. Weltner, "Stable circular orbits of freely moving
/// balls on rotating discs", Am. J. Phys. 47, 984 (1979)).
TEST(MovingWalls, SphereOnATurntableCirclesAtTwoSeventhsOfItsRate) {
  constexpr double kRate = 7.0, kDt = 1e-4;
  const Vec3 table_rate(0, 0, kRate), centre(0.02, 0.01, 0), start(0.1, 0.01, kRadius);
  SphereInABox test(kDt);
  test.scene.walls.push_back({"table", {{Plane{Vec3::Zero(), Vec3::UnitZ()}}}});
  test.scene.walls[0].rotation = {centre, table_rate};
  const Vec3 v = 2.0 / 7.0 * table_rate.cross(start - centre);
  // Rolling: v + ω × (−r n) is the velocity of the table at the contact.
  const Vec3 slip = table_rate.cross(start - centre) - v;
  test.PlaceSphere(start, v, slip.cross(Vec3::UnitZ()) / kRadius);
  const int quarter = static_cast<int>(std::lround(0.25 * 3.5 * 2.0 * M_PI / kRate / kDt));
  const test::Kinematics end = test.StateAfter(quarter);
  EXPECT_NEAR(end.position.x(), centre.x(), 0.01 * 0.08);
  EXPECT_NEAR(end.position.y(), centre.y() + 0.08, 0.01 * 0.08);
  EXPECT_NEAR(end.velocity.norm(), v.norm(), 0.01 * v.norm());
}

/// Friction transfers the tangential velocity of a drum's surface to a sphere at its bottom. The
/// sphere initially accelerates by μ g.
TEST(MovingWalls, DrumDragsASphereAlong) {
  constexpr double kDt = 1e-5, kDrum = 0.15;
  SphereInABox test(kDt);
  test.scene.walls.push_back({"drum", {{Pipe{{0, -1, 0}, {0, 1, 0}, kDrum}}}});
  test.scene.walls[0].rotation = {Vec3::Zero(), Vec3(0, 20, 0)};  // the bottom moves along −x
  test.PlaceSphere(Vec3(0, 0, kRadius - kDrum));
  const test::Kinematics end = test.StateAfter(100);
  EXPECT_NEAR(end.velocity.x(), -0.5 * kGravity * 1e-3, 1e-5);
  EXPECT_NEAR(end.angular_velocity.y(), 2.5 * 0.5 * kGravity * 1e-3 / kRadius, 1e-3);
}

TEST(MovingWalls, FrictionlessDrumDoesNotDragASphere) {
  SphereInABox test(1e-5);
  test.scene = test::EmptyScene(Vec3(-0.2, -0.2, -0.2), Vec3(0.2, 0.2, 0.2), 0.0);
  test.scene.gravity = Vec3(0, 0, -kGravity);
  test.scene.walls.push_back({"drum", {{Pipe{{0, -1, 0}, {0, 1, 0}, 0.15}}}});
  test.scene.walls[0].rotation = {Vec3::Zero(), Vec3(0, 20, 0)};
  test.PlaceSphere(Vec3(0, 0, kRadius - 0.15));
  EXPECT_LT(test.StateAfter(100).velocity.norm(), 1e-9);
}

TEST(MovingWalls, SphereStaysOnASlowlyOscillatingFloor) {
  constexpr double kDt = 1e-4, kAmplitude = 0.02;
  SphereInABox test(kDt);
  test.scene.walls.push_back({"floor", {{Plane{Vec3::Zero(), Vec3::UnitZ()}}}});
  // The floor accelerates by a third of gravity.
  test.scene.walls[0].oscillation = {Vec3(0, 0, kAmplitude), 2.0, 0.0};
  test.PlaceSphere(Vec3(0, 0, kRadius));
  for (int part = 1; part <= 10; ++part) {
    const double t = kDt * 370 * part;
    const double height = kAmplitude * std::sin(2.0 * M_PI * 2.0 * t);
    EXPECT_NEAR(test.StateAfter(370).position.z(), kRadius + height, 1e-6) << part;
  }
}

/// A bar rotates and hits a distant sphere at 4 m/s. The candidate lists must include the sphere in
/// time. The bar then drives the sphere ahead.
TEST(MovingWalls, FastRotatingBarHitsADistantSphere) {
  constexpr double kDt = 1e-4;
  SphereInABox test(kDt);
  test.scene.gravity.setZero();
  test.scene.walls.push_back({"bar", {{Block{{Vec3(0, -0.005, -0.05), Vec3(0.15, 0.005, 0.05)}}}}});
  test.scene.walls[0].rotation = {Vec3::Zero(), Vec3(0, 0, 40)};
  test.PlaceSphere(Vec3(-0.1, 0, 0));
  const test::Kinematics end = test.StateAfter(800);  // 3.2 rad: half a rotation of the bar
  EXPECT_GT(end.velocity.norm(), 3.9);
  EXPECT_LT(end.velocity.y(), -3.5);
  EXPECT_LT(end.velocity.norm(), 5.0);
}

/// The poses of walls are functions of the step number, so checkpoints do not store them.
TEST(MovingWalls, RestartContinuesTheMotionOfWalls) {
  SphereInABox test(1e-4);
  test.scene.walls.push_back({"floor", {{Plane{Vec3::Zero(), Vec3::UnitZ()}}}});
  test.scene.walls[0].oscillation = {Vec3(0, 0, 0.004), 12.0, 0.5};
  test.scene.walls.push_back({"bar", {{Block{{Vec3(0, -0.005, -0.05), Vec3(0.15, 0.005, 0.05)}}}}});
  test.scene.walls[1].rotation = {Vec3::Zero(), Vec3(0, 0, 20)};
  test.scene.walls[1].removed_at = 0.135;  // it hits the sphere at 0.123 s
  test.PlaceSphere(Vec3(-0.06, 0.03, 0.02));
  const TimeStep step = test::Run(test.world, test.scene, test.parameters, test.state, 700);
  const State end = test::ExpectRestartWithTheSameBits(test.world, test.scene, test.parameters,
                                                       step, test.state, 700)
                        .second;
  const Vec3 x = test::GatherById(test.world, end.particles).at(1).position;
  EXPECT_GT((x - Vec3(-0.06, 0.03, x.z())).norm(), 0.01);  // the bar has hit the sphere
}

TEST(MovingWalls, SphereFallsWhenItsFloorIsRemoved) {
  constexpr double kDt = 1e-4;
  SphereInABox test(kDt);
  test.scene.walls.push_back({"gate", {{Disk{Vec3::Zero(), Vec3::UnitZ(), 0.1, 0.0}}}});
  test.scene.walls[0].removed_at = 0.05;
  test.PlaceSphere(Vec3(0, 0, kRadius));
  EXPECT_NEAR(test.StateAfter(500).position.z(), kRadius, 1e-9);
  const double expected_fall = 0.5 * kGravity * 0.1 * (0.1 + kDt);  // g t²/2 + O(dt)
  EXPECT_NEAR(test.StateAfter(1000).position.z(), kRadius - expected_fall, 1e-9);
}

}  // namespace
}  // namespace scree::moving_walls_test
