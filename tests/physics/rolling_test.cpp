// A sphere on a plane: the transition from sliding to rolling, and an incline.
#include <gtest/gtest.h>

#include <cmath>

#include "tests/support/scenes.hpp"

namespace scree::rolling_test {
namespace {

using test::AddPlane;
using test::AddSphere;
using test::EmptyScene;

constexpr double kGravity = 9.81;
constexpr double kRadius = 0.01;

/// A sphere that touches a plane with normal +z and starts at a velocity. An incline is made by
/// inclined gravity.
struct SphereOnPlane {
  Scene scene;
  State state;
  StepParameters parameters;

  SphereOnPlane(double mu, double slope, double dt, const Vec3& velocity)
      : scene(EmptyScene(Vec3(-10, -10, -1), Vec3(10, 10, 1), mu)) {
    scene.gravity = kGravity * Vec3(std::sin(slope), 0, -std::cos(slope));
    AddPlane(scene, Vec3::Zero(), Vec3::UnitZ());
    AddSphere(state.particles, 0, Vec3(0, 0, kRadius), kRadius, velocity);
    parameters.dt = dt;
  }
  void Run(int steps) { test::Run(Communicator::Self(), scene, parameters, state, steps); }
  Vec3 Velocity() const { return state.particles.velocity[0]; }
  /// Velocity of the point of contact.
  double SlidingSpeed() const {
    return Velocity().x() - kRadius * state.particles.angular_velocity[0].y();
  }
};

TEST(RollingSphere, SlidingSphereEndsWithFiveSeventhsOfItsSpeed) {
  const double v0 = 1.0, mu = 0.3, dt = 1e-4;
  SphereOnPlane sphere(mu, 0.0, dt, Vec3(v0, 0, 0));
  const double rolling_time = 2.0 * v0 / (7.0 * mu * kGravity);

  const int half = static_cast<int>(0.5 * rolling_time / dt);
  sphere.Run(half);
  EXPECT_NEAR(sphere.Velocity().x(), v0 - mu * kGravity * half * dt,
              1e-12);  // uniform deceleration
  EXPECT_GT(sphere.SlidingSpeed(), 0.1);

  const int sliding_steps = static_cast<int>(rolling_time / dt) - 2 - half;
  sphere.Run(sliding_steps);
  EXPECT_GT(sphere.SlidingSpeed(), 1e-6);
  sphere.Run(4);  // from here on it rolls, within O(dt) of the exact time
  EXPECT_NEAR(sphere.SlidingSpeed(), 0.0, 1e-12);
  EXPECT_NEAR(sphere.Velocity().x(), 5.0 / 7.0 * v0, 1e-12);
  sphere.Run(1000);
  EXPECT_NEAR(sphere.Velocity().x(), 5.0 / 7.0 * v0, 1e-11);
}

TEST(RollingSphere, SphereRollsOnAnInclineBelowTheLimit) {
  const double mu = 0.3, dt = 1e-3;
  const double slope = 0.98 * std::atan(3.5 * mu);
  SphereOnPlane sphere(mu, slope, dt, Vec3::Zero());
  const int steps = 500;
  sphere.Run(steps);
  EXPECT_NEAR(sphere.SlidingSpeed(), 0.0, 1e-12);
  const double expected = 5.0 / 7.0 * kGravity * std::sin(slope) * steps * dt;
  EXPECT_NEAR(sphere.Velocity().x(), expected, 1e-9 * expected);
  EXPECT_NEAR(sphere.state.particles.position[0].x(), 0.5 * expected * steps * dt,
              2.0 * dt * expected);  // first order in the time step
}

TEST(RollingSphere, SphereSlidesOnAnInclineAboveTheLimit) {
  const double mu = 0.3, dt = 1e-3;
  const double slope = 1.02 * std::atan(3.5 * mu);
  SphereOnPlane sphere(mu, slope, dt, Vec3::Zero());
  const int steps = 500;
  sphere.Run(steps);
  EXPECT_GT(sphere.SlidingSpeed(), 1e-3);
  const double expected = kGravity * (std::sin(slope) - mu * std::cos(slope)) * steps * dt;
  EXPECT_NEAR(sphere.Velocity().x(), expected, 1e-9 * expected);
}

TEST(RollingSphere, AllKernelsGiveTheSameTrajectory) {
  const auto run = [](Kernel kernel) {
    SphereOnPlane sphere(0.3, 0.2, 1e-4, Vec3(1.0, 0.3, -0.5));  // lands, slides, rolls
    sphere.parameters.solver.kernel = kernel;
    sphere.Run(2000);
    return sphere;
  };
  const SphereOnPlane sphere_kernel = run(Kernel::kSphere);
  EXPECT_LT(std::abs(sphere_kernel.SlidingSpeed()), 1e-9);
  for (const Kernel kernel : {Kernel::kMaxDissipation, Kernel::kCoulomb}) {
    const SphereOnPlane general = run(kernel);
    const Particles& a = general.state.particles;
    const Particles& b = sphere_kernel.state.particles;
    EXPECT_LT((a.velocity[0] - b.velocity[0]).norm(), 1e-12);
    EXPECT_LT((a.position[0] - b.position[0]).norm(), 1e-13);
    EXPECT_LT(kRadius * (a.angular_velocity[0] - b.angular_velocity[0]).norm(), 1e-12);
  }
}

TEST(RollingSphere, OrientationRotatesWithTheSphere) {
  SphereOnPlane sphere(1.0, 0.0, 1e-4, Vec3(0.5, 0, 0));
  sphere.state.particles.angular_velocity[0] = Vec3(0, 0.5 / kRadius, 0);  // rolls already
  const int steps = 100;
  sphere.Run(steps);
  const double angle = 0.5 / kRadius * steps * 1e-4;
  const Quaternion& q = sphere.state.particles.orientation[0];
  EXPECT_NEAR(2.0 * std::atan2(q.y, q.w), angle, 1e-5);  // error dt² ω³ t / 12
  EXPECT_NEAR(q.x, 0.0, 1e-15);
  EXPECT_NEAR(q.z, 0.0, 1e-15);
}

}  // namespace
}  // namespace scree::rolling_test
