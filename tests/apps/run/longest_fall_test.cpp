// The longest fall of a particle, on any number of ranks.
#include "apps/run/longest_fall.hpp"

#include <gtest/gtest.h>

#include "tests/support/channel_scene.hpp"

namespace scree::longest_fall_test {
namespace {

Scene BoxWithFloor() {
  Scene scene = test::EmptyScene(Vec3::Zero(), Vec3(1, 1, 1), 0.4);
  scene.gravity = Vec3(0, 0, -9.81);
  test::AddPlane(scene, Vec3(0, 0, 0.1), Vec3::UnitZ());
  return scene;
}

/// Energy per mass of the longest fall of one sphere, which is on the last rank [J/kg].
double FallEnergy(const Scene& scene, const Vec3& position) {
  const Communicator world = Communicator::World();
  Particles particles;
  if (world.Rank() == world.Size() - 1) test::AddSphere(particles, 0, position, 0.02);
  return EnergyOfLongestFall(world, scene, particles);
}

TEST(LongestFall, SphereFallsToTheEndOfTheDomain) {
  Scene scene = BoxWithFloor();
  scene.domain.periodic = {true, true, false};
  EXPECT_NEAR(FallEnergy(scene, {0.5, 0.5, 0.7}), 9.81 * 0.7, 0.001);
  scene.gravity = Vec3(0, 0, 9.81);
  EXPECT_NEAR(FallEnergy(scene, {0.5, 0.5, 0.7}), 9.81 * 0.3, 0.001);
  scene.domain.periodic[2] = true;
  EXPECT_EQ(FallEnergy(scene, {0.5, 0.5, 0.7}), 0.0);
}

TEST(LongestFall, LooseBedFallsFarther) {
  const Scene scene = BoxWithFloor();
  const Communicator world = Communicator::World();
  for (const double spacing : {0.041, 0.06}) {
    Particles bed;
    for (int k = 0; k < 24 * 24 * 12 && world.IsRoot(); ++k) {
      const Vec3 site(k % 24 + 0.3, k / 24 % 24 + 0.3, k / 576 + 0.5);
      test::AddSphere(bed, k, Vec3(site[0] / 24, site[1] / 24, spacing * site[2]), 0.02);
    }
    const double solid_fraction = SphereVolume(0.02) * 576.0 / spacing, height = 12.0 * spacing;
    EXPECT_NEAR(EnergyOfLongestFall(world, scene, bed) / 9.81,
                height * (1.0 - solid_fraction / 0.6), 0.06);
  }
}

TEST(LongestFall, RainFallsFromTheTopOfItsRegion) {
  Scene scene = BoxWithFloor();
  Rain rain;
  rain.region = Ball{{0.5, 0.5, 0.8}, 0.1};
  rain.grain.sizes = 0.02;
  scene.rains = {rain};
  EXPECT_NEAR(EnergyOfLongestFall(Communicator::World(), scene, {}), 9.81 * 0.9, 1e-9);
}

}  // namespace
}  // namespace scree::longest_fall_test
