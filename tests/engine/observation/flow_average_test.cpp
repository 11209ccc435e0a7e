// Crossings of a plane, compared with known paths of particles.
#include "engine/observation/flow_average.hpp"

#include <gtest/gtest.h>

#include <limits>

#include "engine/particles/position_corrections.hpp"
#include "tests/support/all_pairs.hpp"
#include "tests/support/scenes.hpp"

namespace scree::flow_average_test {
namespace {

constexpr double kRounding = 1e-12;  // sums of the same numbers in different order

/// Sums of one particle after a step of length 1 s with this velocity.
/// @param end  position after the step
FlowSums SumsOfOneStep(const FlowPlane& plane, const Scene& scene, const Vec3& end, const Vec3& v) {
  Particles particles;
  test::AddSphere(particles, 0, end, 0.1, v);
  FlowSums sums;
  AddCrossings(plane, scene, 1.0, particles, {}, sums);
  return sums;
}

Scene UnitCube(std::array<bool, 3> periodic) {
  Scene scene = test::EmptyScene(Vec3::Zero(), Vec3::Ones(), 0.4);
  scene.domain.periodic = periodic;
  return scene;
}

TEST(FlowAverage, CrossingsOfBothDirectionsAreSeparate) {
  const Scene scene = UnitCube({false, false, false});
  const FlowPlane plane{{0.5, 0, 0}, Vec3::UnitX()};
  const FlowSums forward = SumsOfOneStep(plane, scene, {0.6, 0.1, 0.1}, {0.2, 9, 9});
  EXPECT_EQ(forward.particles_forward, 1);
  EXPECT_EQ(forward.particles_backward, 0);
  EXPECT_NEAR(forward.mass_forward, test::Mass(0.1), kRounding * test::Mass(0.1));
  EXPECT_EQ(forward.mass_backward, 0.0);
  const FlowSums backward = SumsOfOneStep(plane, scene, {0.4, 0.1, 0.1}, {-0.2, 9, 9});
  EXPECT_EQ(backward.particles_forward, 0);
  EXPECT_EQ(backward.particles_backward, 1);
  EXPECT_EQ(backward.mass_backward, forward.mass_forward);
  for (const double v : {0.05, -0.2}) {
    const FlowSums no_crossing = SumsOfOneStep(plane, scene, {0.6, 0.1, 0.1}, {v, 9, 9});
    EXPECT_EQ(no_crossing.particles_forward + no_crossing.particles_backward, 0);
    EXPECT_EQ(no_crossing.steps, 1);
  }
}

TEST(FlowAverage, CountsCrossingsOfAnObliquePlane) {
  const Scene scene = UnitCube({false, false, false});
  const FlowPlane plane{Vec3::Constant(0.5), Vec3(1, 1, 0).normalized()};
  EXPECT_EQ(SumsOfOneStep(plane, scene, {0.9, 0.2, 0.5}, {0.2, 0, 0}).particles_forward, 1);
  EXPECT_EQ(SumsOfOneStep(plane, scene, {0.9, 0.2, 0.5}, {0.2, -0.2, 0}).particles_forward, 0);
}

TEST(FlowAverage, GhostsAndRemovedParticlesAreNotCounted) {
  const Scene scene = UnitCube({false, false, false});
  Particles particles;
  for (const ParticleId id : {ParticleId{0}, kRemovedId, ParticleId{2}}) {
    test::AddSphere(particles, id, {0.6, 0.5, 0.5}, 0.1, {1, 0, 0});
  }
  particles.owned = 2;
  FlowSums sums;
  AddCrossings({{0.5, 0, 0}, Vec3::UnitX()}, scene, 1.0, particles, {}, sums);
  EXPECT_EQ(sums.particles_forward, 1);
}

TEST(FlowAverage, PlaneAcrossAPeriodicAxisIsCrossedInEachPeriod) {
  const Scene scene = UnitCube({true, false, false});
  const FlowPlane plane{{0.05, 0, 0}, Vec3::UnitX()};
  // The particle has passed the end of the domain and is not yet wrapped.
  EXPECT_EQ(SumsOfOneStep(plane, scene, {1.1, 0.5, 0.5}, {0.2, 0, 0}).particles_forward, 1);
  EXPECT_EQ(SumsOfOneStep(plane, scene, {1.04, 0.5, 0.5}, {0.2, 0, 0}).particles_forward, 0);
  EXPECT_EQ(SumsOfOneStep(plane, scene, {-0.97, 0.5, 0.5}, {-0.1, 0, 0}).particles_backward, 1);
  const FlowSums far_crossing = SumsOfOneStep(plane, scene, {3.1, 0.5, 0.5}, {3, 0, 0});
  EXPECT_EQ(far_crossing.particles_forward, 3);
  EXPECT_NEAR(far_crossing.mass_forward, 3 * test::Mass(0.1), kRounding * test::Mass(0.1));
}

/// The projection separates two overlapping spheres at rest, one on each side of planes. It moves
/// the centre of one sphere from 0.499 m past 0.4985 m, and no velocity shows it.
TEST(FlowAverage, CrossingsByThePositionProjectionCount) {
  const Communicator self = Communicator::Self();
  const Scene scene = UnitCube({false, false, false});
  State state;
  test::AddSphere(state.particles, 0, {0.499, 0.5, 0.5}, 0.05);
  test::AddSphere(state.particles, 1, {0.595, 0.5, 0.5}, 0.05);
  StepParameters parameters;
  parameters.dt = 1e-3;
  TimeStep step = test::Start(self, scene, parameters, state);
  FlowSums sums;
  for (int k = 0; k < 50; ++k) {
    step.Advance(state, [&](const Particles& particles) {
      AddCrossings({{0.4985, 0, 0}, Vec3::UnitX()}, scene, parameters.dt, particles,
                   step.Corrections(), sums);
    });
  }
  ASSERT_LT(state.particles.position[0].x(), 0.4985);
  EXPECT_EQ(sums.particles_backward, 1);
  EXPECT_EQ(sums.particles_forward, 0);
}

/// Time steps of free flight in a periodic box, with migrations.
TEST(FlowAverage, FreeFlightHasTheCrossingsOfStraightLines) {
  const Communicator world = Communicator::World();
  constexpr double kLength = 0.4, kPlane = 0.13;
  constexpr int kSteps = 400, kCount = 20;
  Scene scene = test::EmptyScene(Vec3::Zero(), {kLength, 0.4, 0.4}, 0.4);
  scene.domain.periodic = {true, true, true};
  State state;
  std::int64_t forward = 0, backward = 0;
  double mass = 0.0;
  for (int k = 0; k < kCount; ++k) {
    // The particles fly on separate lines, so that there are no contacts.
    const Vec3 x(0.011 + 0.019 * k, 0.05 + 0.1 * (k % 4), 0.04 + 0.08 * (k / 4));
    const double v = k % 3 == 0 ? -3.1 - 0.1 * k : 2.3 + 0.1 * k;
    const double radius = 0.01 + 0.0005 * k, end = x.x() + v * kSteps * 1e-3;
    const auto crossed = static_cast<std::int64_t>(std::floor((end - kPlane) / kLength) -
                                                   std::floor((x.x() - kPlane) / kLength));
    (crossed > 0 ? forward : backward) += std::abs(crossed);
    mass += static_cast<double>(std::max<std::int64_t>(crossed, 0)) * test::Mass(radius);
    if (world.IsRoot()) test::AddSphere(state.particles, k, x, radius, {v, 0, 0});
  }
  StepParameters parameters;
  parameters.dt = 1e-3;
  TimeStep step = test::Start(world, scene, parameters, state);
  FlowSums local_sums;
  for (int k = 0; k < kSteps; ++k) {
    step.Advance(state, [&](const Particles& particles) {
      AddCrossings({{kPlane, 0, 0}, Vec3::UnitX()}, scene, parameters.dt, particles,
                   step.Corrections(), local_sums);
    });
  }
  const FlowSums sums = SumOverRanks(world, local_sums);
  EXPECT_GT(forward, 30);
  EXPECT_GT(backward, 15);
  EXPECT_EQ(sums.steps, kSteps);
  EXPECT_EQ(sums.particles_forward, forward);
  EXPECT_EQ(sums.particles_backward, backward);
  EXPECT_NEAR(sums.mass_forward, mass, kRounding * mass);
  EXPECT_GT(sums.mass_backward, 0.0);
}

}  // namespace
}  // namespace scree::flow_average_test
