// Positions and orientations after a step.
#include "engine/step/integration.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "tests/support/draw.hpp"

namespace scree::integration_test {
namespace {

using test::Draw;

Quaternion RotationAbout(const Vec3& axis, double angle) {
  const Vec3 v = std::sin(0.5 * angle) * axis;
  return {std::cos(0.5 * angle), v.x(), v.y(), v.z()};
}

Quaternion Product(const Quaternion& p, const Quaternion& q) {
  return {
      p.w * q.w - p.x * q.x - p.y * q.y - p.z * q.z, p.w * q.x + p.x * q.w + p.y * q.z - p.z * q.y,
      p.w * q.y + p.y * q.w + p.z * q.x - p.x * q.z, p.w * q.z + p.z * q.w + p.x * q.y - p.y * q.x};
}

double Norm(const Quaternion& q) {
  return std::sqrt(q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z);
}

double Distance(const Quaternion& p, const Quaternion& q) {
  return Norm({p.w - q.w, p.x - q.x, p.y - q.y, p.z - q.z});
}

/// Error after a rotation by one radian with a constant angular velocity.
double RotationError(int steps) {
  Draw draw(1);
  const Vec3 axis = draw.Direction();
  const Quaternion start = RotationAbout(draw.Direction(), 0.7);
  Quaternion q = start;
  for (int k = 0; k < steps; ++k) q = Rotate(q, 5.0 * axis, 0.2 / steps);
  return Distance(q, Product(RotationAbout(axis, 1.0), start));
}

TEST(Integration, VelocityChangeIsStored) {
  Particles particles;
  Resize(particles, 2);  // one particle and its ghost
  particles.owned = 1;
  particles.radius = {0.1, 0.1};
  particles.velocity = {Vec3(1, 2, 3), Vec3(1, 2, 3)};
  Particles rigid_particles = particles;
  SphereBody sphere;
  sphere.v = Vec3(1, 5, 7);
  sphere.radius = 0.1;
  Integrate(std::vector(2, sphere), {}, 1e-3, particles);
  EXPECT_EQ(particles.velocity_change, std::vector({5.0, 5.0}));
  Integrate(std::vector(2, sphere), {}, 1e-3, particles);
  EXPECT_EQ(particles.velocity_change, std::vector({0.0, 0.0}));
  RigidBody body;
  body.v = sphere.v;
  Integrate(std::vector(2, body), {}, {}, 1e-3, std::vector(2, 1.0), {}, rigid_particles);
  EXPECT_EQ(rigid_particles.velocity_change, std::vector({5.0, 5.0}));
}

TEST(Integration, FallStaysOnItsParabolaIfTheStepChanges) {
  const Vec3 g(0.3, 0.0, -9.81);
  Particles particles;
  Resize(particles, 4);  // falling, at rest, removed, ghost of the first
  particles.owned = 3;
  particles.id = {1, 2, kRemovedId, 1};
  particles.velocity[0] = particles.velocity[3] = Vec3(0.4, 1.0, 2.0);  // at the time 0
  const std::vector<double> inverse_masses(4, 0.5);
  const Vec3 start = particles.velocity[0];
  double time = 0.0, last_step = 0.0, gained_energy = 0.0;
  for (const double dt : {1e-2, 3e-2, 0.5e-2, 2e-2}) {
    gained_energy = 0.0;
    const double squared_speed_before = particles.velocity[0].squaredNorm();
    if (time > 0.0) {
      gained_energy = ShiftFlights(g, {}, last_step, dt, inverse_masses, particles).of_weight;
      EXPECT_NEAR(gained_energy,
                  0.5 * (particles.velocity[0].squaredNorm() - squared_speed_before) / 0.5, 1e-14);
    } else {
      for (const std::size_t i : {0, 3}) particles.velocity[i] -= 0.5 * dt * g;
    }
    for (const std::size_t i : {0, 3}) {
      particles.velocity[i] += dt * g;
      particles.position[i] += dt * particles.velocity[i];
      particles.velocity_change[i] = dt * g.norm();
    }
    particles.velocity_change[2] = dt * g.norm();  // the value when it was removed
    time += dt;
    last_step = dt;
    const Vec3 exact = time * start + 0.5 * time * time * g;
    EXPECT_LT((particles.position[0] - exact).norm(), 1e-15);
    EXPECT_EQ(particles.position[0], particles.position[3]);
  }
  EXPECT_NE(gained_energy, 0.0);
  for (const std::size_t i : {1, 2}) EXPECT_EQ(particles.velocity[i], Vec3(0, 0, 0)) << i;
}

/// Roots and divisions are computed for eight spheres at once. The test has two full packets, and a
/// partial packet that includes ghosts.
TEST(Integration, SpheresInPacketsMoveAsSingleSpheres) {
  constexpr std::size_t kSpheres = 21;
  Draw draw(4);
  Particles particles;
  Resize(particles, kSpheres);
  particles.owned = 18;
  std::vector<SphereBody> bodies(kSpheres);
  std::vector<Displacement> displacements(kSpheres);
  for (std::size_t i = 0; i < kSpheres; ++i) {
    displacements[i].d = draw.Vector(1e-3);
    particles.velocity[i] = draw.Vector(1.0);
    particles.orientation[i] = RotationAbout(draw.Direction(), draw.Uniform(0.0, 3.0));
    particles.radius[i] = bodies[i].radius = draw.Uniform(0.01, 0.1);
    bodies[i].v = draw.Vector(1.0);
    bodies[i].u = draw.Vector(1.0);
  }
  const Particles start = particles;
  Integrate(bodies, displacements, 1e-3, particles);
  for (std::size_t i = 0; i < kSpheres; ++i) {
    const Vec3 omega = bodies[i].u / bodies[i].radius;
    const Quaternion rotated = Rotate(start.orientation[i], omega, 1e-3);
    EXPECT_EQ(particles.position[i], 1e-3 * bodies[i].v + displacements[i].d);
    EXPECT_EQ(particles.velocity[i], bodies[i].v);
    EXPECT_EQ(particles.velocity_change[i], (bodies[i].v - start.velocity[i]).norm());
    EXPECT_EQ(particles.angular_velocity[i], omega);
    EXPECT_EQ(particles.orientation[i], i < particles.owned ? rotated : start.orientation[i]);
  }
}

TEST(Integration, ConstantRotationConvergesWithTheStep) {
  EXPECT_LT(RotationError(100), 1e-2);
  EXPECT_GT(RotationError(10), 0.0);
  // At least first order.
  for (const int steps : {10, 20, 40}) {
    EXPECT_LT(RotationError(2 * steps), 0.55 * RotationError(steps));
  }
}

TEST(Integration, RotationAxisIsInWorldAxes) {
  const Quaternion start = RotationAbout(Vec3::UnitX(), 1.0);
  const Quaternion world = Product(RotationAbout(Vec3::UnitZ(), 1e-4), start);
  const Quaternion body = Product(start, RotationAbout(Vec3::UnitZ(), 1e-4));
  const Quaternion rotated = Rotate(start, Vec3::UnitZ(), 1e-4);
  EXPECT_LT(Distance(rotated, world), 1e-11);
  EXPECT_GT(Distance(rotated, body), 1e-5);
}

TEST(Integration, QuaternionsStayNormalised) {
  Draw draw(2);
  Quaternion q;
  for (int k = 0; k < 10000; ++k) {
    q = Rotate(q, draw.Vector(1000.0), 1e-3);
    ASSERT_NEAR(Norm(q), 1.0, 1e-15);
  }
}

TEST(Integration, ZeroAngularVelocityKeepsTheOrientation) {
  const Quaternion identity;
  EXPECT_EQ(Rotate(identity, Vec3::Zero(), 1.0), identity);
}

TEST(Integration, GhostsMoveLikeTheirOwnersButKeepTheirOrientation) {
  constexpr double kStep = 1e-3;
  Draw draw(3);
  Particles particles;
  Resize(particles, 4);
  particles.owned = 2;
  std::vector<SphereBody> bodies(6);  // two walls behind the particles
  for (std::size_t i = 0; i < 2; ++i) {
    particles.position[i] = particles.position[i + 2] = draw.Vector(1.0);
    bodies[i] = bodies[i + 2] = {draw.Vector(1.0), 1.0, draw.Vector(1.0), draw.Uniform(0.1, 0.3)};
  }
  const Particles start = particles;
  Integrate(bodies, {}, kStep, particles);
  for (std::size_t i = 0; i < 2; ++i) {
    EXPECT_EQ(particles.velocity[i], bodies[i].v);
    EXPECT_LT((particles.position[i] - start.position[i] - kStep * bodies[i].v).norm(), 1e-16);
    const Vec3 omega = bodies[i].u / bodies[i].radius;
    EXPECT_LT((particles.angular_velocity[i] - omega).norm(), 1e-14);
    EXPECT_EQ(particles.orientation[i], Rotate({}, particles.angular_velocity[i], kStep));
    EXPECT_EQ(particles.position[i + 2], particles.position[i]);
    EXPECT_EQ(particles.velocity[i + 2], particles.velocity[i]);
    EXPECT_EQ(particles.angular_velocity[i + 2], particles.angular_velocity[i]);
    EXPECT_EQ(particles.orientation[i + 2], Quaternion{});
  }
}

}  // namespace
}  // namespace scree::integration_test
