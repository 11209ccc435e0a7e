// New particles: their quantities are functions of seed and id. Mass fractions of mixtures.
#include "engine/particles/grains.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace scree::grains_test {
namespace {

TEST(Grains, RadiiDependOnIdAndSeedOnly) {
  GrainTemplate grain;
  grain.sizes = SizeDistribution::Uniform(1.0, 2.0);
  double mean = 0.0;
  for (ParticleId id = 0; id < 10000; ++id) {
    const double radius = RadiusOf(grain, id, 7);
    EXPECT_EQ(radius, RadiusOf(grain, id, 7));
    EXPECT_NE(radius, RadiusOf(grain, id, 8));
    mean += 1e-4 * radius;
  }
  EXPECT_NEAR(mean, 1.5, 4.0 * std::sqrt(1.0 / 12.0 / 10000));
  Particles particles;
  MakeParticle(grain, Vec3::Zero(), 3, 7, particles);
  EXPECT_EQ(particles.radius[0], RadiusOf(grain, 3, 7));
}

Scene TwoMaterials() {
  Scene scene;
  scene.materials.Add({"light", 1000.0}, 0.0);
  scene.materials.Add({"heavy", 4000.0}, 0.0);
  return scene;
}

GrainTemplate Mixture(const Scene& scene) {
  GrainTemplate grain{0.2};
  grain.mixture = {{0, 2.0, SizeDistribution::Uniform(0.1, 0.2)}, {1, 6.0, 0.15}};
  SetNumberFractions(scene.materials, grain.mixture);
  return grain;
}

TEST(Grains, RandomMaterialsHaveTheMassFractionsOnAverage) {
  const Scene scene = TwoMaterials();
  const GrainTemplate grain = Mixture(scene);
  EXPECT_EQ(grain.mixture[1].cumulative_fraction, 1.0);
  double mass[2] = {};
  for (ParticleId id = 0; id < 20000; ++id) {
    const MaterialId material = MaterialOf(grain, id, 5);
    const double radius = RadiusOf(grain, id, 5);
    if (material == 1) {
      EXPECT_EQ(radius, 0.15);
    }
    mass[material] += scene.materials[material].density * SphereVolume(radius);
  }
  EXPECT_NEAR(mass[0] / (mass[0] + mass[1]), 0.25, 0.01);
  EXPECT_NEAR((mass[0] + mass[1]) / 20000.0, MeanMass(scene, grain), 0.01 * MeanMass(scene, grain));
}

TEST(Grains, BalancedMixturesHaveTheMassFractionsAfterEachParticle) {
  const Scene scene = TwoMaterials();
  BalancedMixture mixture(scene, Mixture(scene));
  const double heaviest = 4000.0 * SphereVolume(0.15);
  for (ParticleId id = 0; id < 1000; ++id) {
    const BalancedMixture::Grain grain = mixture.Next(id);
    Particles particles;
    MakeParticle(mixture.Part(grain.part), Vec3::Zero(), id, scene.seed, particles);
    EXPECT_EQ(particles.radius[0], grain.radius);
    EXPECT_EQ(particles.material[0], static_cast<MaterialId>(grain.part));
    mixture.AddMass(grain);
    const double total = mixture.Masses()[0] + mixture.Masses()[1];
    EXPECT_NEAR(mixture.Masses()[0], 0.25 * total, heaviest);
  }
}

}  // namespace
}  // namespace scree::grains_test
