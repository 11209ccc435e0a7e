// Spheres that move along the inside of pipes and cones: a step follows their curvature.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

#include "solvers/base/check.hpp"
#include "tests/support/scenes.hpp"

namespace scree::hollow_walls_test {
namespace {

constexpr double kRadius = 1e-3, kPipeRadius = 5e-3, kTrackRadius = kPipeRadius - kRadius;  // [m]
constexpr double kGravity = 9.81;

struct SphereInside {
  Scene scene = test::EmptyScene(Vec3::Constant(-0.1), Vec3::Constant(0.1), 0.0);
  State state;
  StepParameters parameters;

  SphereInside(ShapePart part, const Vec3& position, const Vec3& velocity, double dt) {
    scene.gravity = Vec3::Zero();
    Wall wall;
    wall.name = "inside";
    wall.shape.parts = {std::move(part)};
    scene.walls.push_back(wall);
    test::AddSphere(state.particles, 0, position, kRadius, velocity);
    parameters.dt = dt;
  }
  Wall& OnlyWall() { return scene.walls.front(); }
  void Run(int steps) { test::Run(Communicator::Self(), scene, parameters, state, steps); }
  double Speed() const { return state.particles.velocity[0].norm(); }
};

Pipe PipeAlongY(double x = 0.0) { return {Vec3(x, -0.2, 0), Vec3(x, 0.2, 0), kPipeRadius}; }

/// The kinetic energy of a sphere that moves back and forth, at the lowest point of each swing,
/// relative to the exact energy.
/// @param friction  0: the sphere slides; 1: it rolls
std::vector<double> EnergiesOfSwings(double friction, double dt, double time) {
  const double start = std::numbers::pi / 3.0;
  SphereInside sphere(PipeAlongY(), kTrackRadius * Vec3(std::sin(start), 0, -std::cos(start)),
                      Vec3::Zero(), dt);
  sphere.scene.gravity = Vec3(0, 0, -kGravity);
  sphere.scene.materials.SetFriction(0, 0, friction);
  const double mass_ratio = friction > 0.0 ? 1.4 : 1.0;  // effective mass over mass
  const double exact = 2.0 * kGravity * kTrackRadius * (1.0 - std::cos(start)) / mass_ratio;  // v²
  const Communicator self = Communicator::Self();
  TimeStep step = test::Start(self, sphere.scene, sphere.parameters, sphere.state);
  std::vector<double> maxima;
  double previous = 0.0, current = 0.0;
  for (int k = 0; k < static_cast<int>(time / dt); ++k) {
    step.Advance(sphere.state);
    const double next_energy = sphere.Speed() * sphere.Speed() / exact;
    if (current > 0.2 && current >= previous && current > next_energy) maxima.push_back(current);
    previous = current;
    current = next_energy;
  }
  return maxima;
}

TEST(HollowWalls, SphereThatSlidesOrRollsBackAndForthKeepsItsEnergy) {
  for (const double friction : {0.0, 1.0}) {
    for (const double dt : {4e-4, 2e-4}) {
      SCOPED_TRACE(Text("friction ", friction, ", step ", dt, " s"));
      const std::vector<double> maxima = EnergiesOfSwings(friction, dt, 1.5);
      ASSERT_GT(maxima.size(), 15u);
      EXPECT_NEAR(maxima.front(), 1.0, 5e-3);
      EXPECT_NEAR(maxima.back() / maxima.front(), 1.0, 3e-4);
    }
  }
}

TEST(HollowWalls, SphereThatSlidesAroundAPipeKeepsItsSpeedAndTrack) {
  const double speed = 0.4, dt = 5e-4;  // 0.05 of the track's radius per step
  for (const double restitution : {0.0, 0.9}) {
    SphereInside sphere(PipeAlongY(), Vec3(0, 0, -kTrackRadius), Vec3(speed, 0.1, 0), dt);
    sphere.scene.materials.SetRestitution(0, 0, {.constant = restitution});
    sphere.Run(1);
    const double initial_speed = sphere.Speed();
    EXPECT_NEAR(initial_speed, std::hypot(speed, 0.1), 1e-3 * speed);
    sphere.Run(400);
    EXPECT_NEAR(sphere.Speed(), initial_speed, 1e-5 * speed) << restitution;
    const Vec3& x = sphere.state.particles.position[0];
    EXPECT_NEAR(std::hypot(x.x(), x.z()), kTrackRadius, 1e-5 * kTrackRadius) << restitution;
  }
}

TEST(HollowWalls, SphereThatSlidesAroundAConeKeepsItsSpeed) {
  const Vec3 normal = Vec3(-1, 0, 1).normalized();  // of the cone r = z at y = 0
  const Cone cone = {Vec3::Zero(), Vec3(0, 0, 0.09), 0.0, 0.09};
  SphereInside sphere(cone, Vec3(5e-3, 0, 5e-3) + kRadius * normal, Vec3(0, 0.4, 0), 5e-4);
  sphere.Run(200);
  EXPECT_NEAR(sphere.Speed(), 0.4, 1e-3 * 0.4);
  EXPECT_GT(sphere.state.particles.position[0].z(), 0.02);  // it moves outwards
}

TEST(HollowWalls, SphereOutsideAPipeIsNotDeflected) {
  const double outside = kPipeRadius + kRadius;
  SphereInside sphere(PipeAlongY(), Vec3(0, 0, outside), Vec3(0.4, 0, 0), 5e-4);
  sphere.Run(20);
  EXPECT_EQ(sphere.state.particles.velocity[0], Vec3(0.4, 0, 0));
}

/// The pipe rotates about its axis, or about an axis 2 mm away.
TEST(HollowWalls, RotatingPipeCarriesASphereOnItsTrack) {
  const double rate = 100.0, dt = 5e-4;
  for (const double offset : {0.0, 2e-3}) {
    const double track = kTrackRadius + offset;
    SphereInside sphere(PipeAlongY(offset), Vec3(track, 0, 0), Vec3(0, 0, -rate * track), dt);
    sphere.state.particles.angular_velocity[0] = Vec3(0, rate, 0);
    sphere.scene.materials.SetFriction(0, 0, 1.0);
    sphere.OnlyWall().rotation.angular_velocity = Vec3(0, rate, 0);
    sphere.Run(400);
    const Vec3& x = sphere.state.particles.position[0];
    EXPECT_NEAR(x.norm(), track, 1e-5 * track) << offset;
    EXPECT_NEAR(sphere.Speed(), rate * track, 1e-3 * rate * track) << offset;
  }
}

TEST(HollowWalls, SphereAtRestStaysAtRest) {
  const double start = 0.5;
  SphereInside sphere(PipeAlongY(), kTrackRadius * Vec3(std::sin(start), 0, -std::cos(start)),
                      Vec3::Zero(), 5e-4);
  sphere.scene.gravity = kGravity * Vec3(std::sin(start), 0, -std::cos(start));
  sphere.scene.materials.SetFriction(0, 0, 1.0);
  sphere.Run(1000);
  EXPECT_LT(sphere.Speed(), 1e-9);
}

TEST(HollowWalls, SphereThatFallsAlongTheAxisIsNotDeflected) {
  const double off_axis = 1e-18;  // like rounding: the nearest point changes sides
  SphereInside sphere(PipeAlongY(), Vec3(off_axis, 0, off_axis), Vec3(-off_axis, 0, 2 * off_axis),
                      5e-4);
  sphere.scene.gravity = Vec3(0, kGravity, 0);
  sphere.state.particles.radius[0] = 0.99 * kPipeRadius;
  sphere.Run(100);
  EXPECT_NEAR(sphere.Speed(), kGravity * 0.05, 1e-9);
}

/// The sphere moves in a pipe or a cone in which it has little room, in any direction.
TEST(HollowWalls, SphereThatCrossesTheAxisGainsNoEnergy) {
  const Cone cone = {Vec3(0, -0.02, 0), Vec3(0, 0.02, 0), 0.0, 2.0 * kPipeRadius};
  for (const ShapePart& part : {ShapePart(PipeAlongY()), ShapePart(cone)}) {
    for (const double room : {0.01, 0.05, 0.2}) {                  // of the pipe's radius
      for (const double path : {0.002, 0.01, 0.03, 0.09, 0.27}) {  // in a step, of the same
        for (int direction = 0; direction < 32; ++direction) {
          const double dt = 1e-4, speed = path * kPipeRadius / dt, angle = 0.2 * direction;
          SphereInside sphere(
              part, (direction % 2 == 0 ? 0.5 : 0.999) * room * kPipeRadius * Vec3(0.6, 0, 0.8),
              speed * Vec3(std::cos(angle), 0, std::sin(angle)), dt);
          sphere.state.particles.radius[0] = (1.0 - room) * kPipeRadius;
          sphere.Run(10);
          EXPECT_LE(sphere.Speed(), (1.0 + 0.02) * speed) << room << ", " << path << ", " << angle;
        }
      }
    }
  }
}

}  // namespace
}  // namespace scree::hollow_walls_test
