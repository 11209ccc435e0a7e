// A column of spheres on a floor carries its weight and stays at rest.
#include <gtest/gtest.h>

#include "tests/support/scenes.hpp"

namespace scree::column_test {
namespace {

TEST(Column, TenSpheresCarryTheirWeightAndRest) {
  constexpr int kSpheres = 10;
  constexpr double kRadius = 0.001, kGravity = 9.81, kDt = 1e-5;
  Scene scene = test::EmptyScene(Vec3(-0.01, -0.01, 0), Vec3(0.01, 0.01, 0.03), 0.4);
  scene.gravity = Vec3(0, 0, -kGravity);
  test::AddPlane(scene, Vec3::Zero(), Vec3::UnitZ());
  State state;
  for (int k = 0; k < kSpheres; ++k) {
    test::AddSphere(state.particles, k, Vec3(0, 0, (2 * k + 1) * kRadius), kRadius);
  }
  StepParameters parameters;
  parameters.dt = kDt;
  parameters.solver.sweeps = 2000;  // the error falls by about cos(pi/21)^2 per sweep
  const Communicator self = Communicator::Self();
  TimeStep step = test::Run(self, scene, parameters, state, 100);

  // The contact below sphere k carries the weight of spheres k and above.
  ASSERT_EQ(step.Contacts().size(), static_cast<std::size_t>(kSpheres));
  const double weight = test::Mass(kRadius) * kGravity * kDt;
  for (std::size_t j = 0; j < step.Contacts().size(); ++j) {
    const DetectedContact& contact = step.Contacts()[j];
    double height = state.particles.position[static_cast<std::size_t>(contact.a)].z();
    if (static_cast<std::size_t>(contact.b) < state.particles.Size()) {
      height = std::max(height, state.particles.position[static_cast<std::size_t>(contact.b)].z());
    }
    const double spheres_above = kSpheres - std::round((height / kRadius - 1.0) / 2.0);
    const double carried = std::abs(step.Problem().Impulse(j).z());
    EXPECT_NEAR(carried / (spheres_above * weight), 1.0, 1e-6);
  }
  const Observables observed = step.Observe(state);
  EXPECT_LT(observed.max_speed, 1e-6 * kGravity * kDt);
  EXPECT_LT(observed.max_penetration, 1e-9 * kRadius);
  for (const auto& [id, sphere] : test::GatherById(self, state.particles)) {
    EXPECT_NEAR(sphere.position.z(), static_cast<double>(2 * id + 1) * kRadius, 1e-9 * kRadius);
  }
}

}  // namespace
}  // namespace scree::column_test
