// Particles at time zero: number, positions, ids and sizes.
#include "engine/filling/fills.hpp"

#include <gtest/gtest.h>

#include <set>

#include "engine/particles/body_mass.hpp"
#include "engine/particles/grains.hpp"
#include "tests/support/paper_channel.hpp"

namespace scree::fills_test {
namespace {

struct CreatedParticles {
  Particles particles;
  ParticleId next_id = 0;
};
CreatedParticles CreateOnOneRank(const Scene& scene, ParticleId first_id = 0,
                                 Particles existing = {}) {
  CreatedParticles created{std::move(existing)};
  const Subdomains whole_domain(scene.domain, {1, 1, 1});
  created.next_id =
      MakeFills(Communicator::Self(), whole_domain, scene, created.particles, first_id);
  return created;
}

/// Expects that each rank gets the particles of its subdomain, in the order of a one-rank run.
void ExpectTheSameOnAllRanks(const Scene& scene) {
  const CreatedParticles serial = CreateOnOneRank(scene);
  const Communicator world = Communicator::World();
  const Subdomains subdomains(scene.domain, SmallestHaloGrid(scene.domain, world.Size()));
  Particles owned;
  EXPECT_EQ(MakeFills(world, subdomains, scene, owned), serial.next_id);
  EXPECT_EQ(world.Sum(static_cast<std::int64_t>(owned.owned)),
            static_cast<std::int64_t>(serial.particles.owned));
  std::size_t k = 0;
  for (std::size_t i = 0; i < serial.particles.Size(); ++i) {
    if (subdomains.OwnerOf(serial.particles.position[i]) != world.Rank()) continue;
    ASSERT_LT(k, owned.Size());
    ForEachFieldOf(
        [&](const Field& field, const auto& serial_values, const auto& values) {
          ASSERT_EQ(serial_values[k], values[i]) << field.name;
        },
        owned, serial.particles);
    ++k;
  }
  EXPECT_EQ(k, owned.owned);
}

TEST(Fills, PaperChannelHas187680Particles) {
  const auto [particles, next_id] = CreateOnOneRank(test::PaperChannel());
  EXPECT_EQ(next_id, 195000);
  EXPECT_EQ(particles.owned, 187680u);
  EXPECT_EQ(particles.Size(), 187680u);
}

TEST(Fills, IdsNumberAllSitesIncludingEmptyOnes) {
  Scene scene;
  scene.materials.Add({"grain", 1000.0}, 0.0);
  const GrainTemplate grain = {0.4, 0, Vec3(1, 2, 3), Vec3::Zero()};
  scene.fills.push_back({Lattice{Box{{0, 0, 0}, {3, 2, 2}}, 1.0}, grain});
  scene.fills.push_back({Lattice{Box{{0, 0, 5}, {1, 1, 7}}, 1.0}, grain});
  scene.walls.push_back({"post", {{Block{{{0.9, -1, -1}, {1.2, 3, 1.5}}}}}, Vec3::Zero(), 0});

  const auto [particles, next_id] = CreateOnOneRank(scene);
  EXPECT_EQ(next_id, 14);
  // The post overlaps the spheres at x = 1.5, also those at z = 1.5, but not those at x = 0.5.
  const std::set<ParticleId> blocked = {1, 4, 7, 10};
  std::set<ParticleId> ids(particles.id.begin(), particles.id.end());
  EXPECT_EQ(ids.size(), particles.Size());
  for (ParticleId id = 0; id < 14; ++id) EXPECT_EQ(ids.count(id), 1u - blocked.count(id)) << id;
  for (std::size_t i = 0; i < particles.Size(); ++i) {
    const ParticleId id = particles.id[i];
    const Vec3 expected =
        id >= 12 ? Vec3(0.5, 0.5, 5.5 + static_cast<double>(id - 12))
                 : Vec3(0.5 + static_cast<double>(id % 3), 0.5 + static_cast<double>(id / 3 % 2),
                        0.5 + static_cast<double>(id / 6));
    EXPECT_LT((particles.position[i] - expected).norm(), 1e-14);
    EXPECT_EQ(particles.velocity[i], Vec3(1, 2, 3));
  }
}

/// Two fills of different masses, velocities and jitters, in a sheared domain.
Scene ShearedFills() {
  Scene scene;
  scene.domain.box = {{0, 0, 0}, {6, 6, 6}};
  scene.domain.periodic = {true, true, true};
  scene.domain.shear.rate = 0.7;
  scene.materials.Add({"light", 1000.0}, 0.0);
  scene.materials.Add({"heavy", 9000.0}, 0.0);
  const GrainTemplate light = {0.4, 0, Vec3(0.3, 0, 0.2), Vec3(1, 2, 3)};
  const GrainTemplate heavy = {0.3, 1, Vec3::Zero(), Vec3(1, 1, 1)};
  scene.fills.push_back({Lattice{Box{{0, 0, 0}, {6, 6, 3}}, 1.0}, light});
  scene.fills.push_back({Lattice{Box{{0, 0, 3}, {6, 6, 6}}, 1.0}, heavy});
  return scene;
}

TEST(Fills, MomentumRelativeToTheMeanFlowIsZero) {
  const Scene scene = ShearedFills();
  const Particles particles = CreateOnOneRank(scene).particles;
  ASSERT_EQ(particles.owned, 216u);
  Vec3 momentum = Vec3::Zero(), jitter = Vec3::Zero();
  double scale = 0.0;
  for (std::size_t i = 0; i < particles.owned; ++i) {
    const Vec3 fluctuation = particles.velocity[i] - scene.domain.MeanFlow(particles.position[i]);
    const double mass = MassOf(particles, i, scene);
    momentum += mass * fluctuation;
    scale += mass * fluctuation.norm();
    jitter = jitter.cwiseMax(fluctuation.cwiseAbs());
  }
  EXPECT_LT(momentum.norm(), 1e-14 * scale);
  EXPECT_GT(jitter.minCoeff(), 0.9);  // the jitter remains
}

TEST(Fills, ShearedParticlesAreTheSameOnAnyNumberOfRanks) {
  ExpectTheSameOnAllRanks(ShearedFills());
}

TEST(Fills, LatticeParticlesAreTheSameOnAnyNumberOfRanks) {
  ExpectTheSameOnAllRanks(test::PaperChannel());
}

TEST(Fills, JitterStaysInItsBoundsAndDependsOnTheSeed) {
  Scene scene = test::PaperChannel();
  const Particles first = CreateOnOneRank(scene).particles;
  const Particles repeated = CreateOnOneRank(scene).particles;
  scene.seed = 2;
  const Particles other_seed = CreateOnOneRank(scene).particles;
  EXPECT_EQ(first.velocity, repeated.velocity);
  EXPECT_NE(first.velocity, other_seed.velocity);
  Vec3 lowest = Vec3::Constant(9), highest = Vec3::Constant(-9);
  for (const Vec3& v : first.velocity) {
    lowest = lowest.cwiseMin(v);
    highest = highest.cwiseMax(v);
  }
  EXPECT_EQ(lowest.x(), 1.0);
  EXPECT_EQ(highest.x(), 1.0);
  for (int axis = 1; axis < 3; ++axis) {
    EXPECT_GE(lowest[axis], -0.5);
    EXPECT_LT(highest[axis], 0.5);
    EXPECT_LT(lowest[axis], -0.499);
    EXPECT_GT(highest[axis], 0.499);
  }
}

/// A lattice below, random spheres of many sizes above, and a post.
Scene SceneOfTwoFills() {
  Scene scene;
  scene.materials.Add({"grain", 1000.0}, 0.0);
  scene.fills.push_back(
      {Lattice{Box{{0, 0, 0}, {4, 4, 1}}, 1.0}, {0.4, 0, Vec3::Zero(), Vec3::Zero()}});
  scene.fills.push_back({RandomRegion{Box{{0, 0, 1}, {4, 4, 5}}, 0.25}, {}});
  scene.fills[1].grain.sizes = SizeDistribution::LogNormal(0.15, 0.4, 0.05, 0.5);
  scene.walls.push_back({"post", {{Block{{{1, 1, -1}, {2, 2, 9}}}}}, Vec3::Zero(), 0});
  return scene;
}

TEST(Fills, RandomSpheresHaveTheSolidFractionWithoutOverlaps) {
  const Scene scene = SceneOfTwoFills();
  const auto [all, next_id] = CreateOnOneRank(scene);
  double volume = 0.0;
  for (std::size_t i = 0; i < all.Size(); ++i) {
    if (all.id[i] >= 16) volume += SphereVolume(all.radius[i]);
    EXPECT_FALSE(IsWithin(scene.walls[0].shape, all.position[i], all.radius[i])) << i;
    for (std::size_t j = 0; j < i; ++j) {
      const double contact_distance = all.radius[i] + all.radius[j];
      EXPECT_GE((all.position[i] - all.position[j]).norm(), contact_distance * (1.0 - 1e-12));
    }
  }
  EXPECT_NEAR(volume / 64.0, 0.25, SphereVolume(0.5) / 64.0);
  EXPECT_EQ(next_id, all.id.back() + 1);
  EXPECT_GT(all.Size(), 200u);
}

TEST(Fills, RandomSpheresAreTheSameOnAnyNumberOfRanks) {
  ExpectTheSameOnAllRanks(SceneOfTwoFills());
}

void ExpectNoOverlaps(const Particles& all) {
  for (std::size_t i = 0; i < all.Size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      const double contact_distance = all.radius[i] + all.radius[j];
      EXPECT_GE((all.position[i] - all.position[j]).norm(), contact_distance * (1.0 - 1e-12));
    }
  }
}

TEST(Fills, FillsOfTheSameRegionAvoidEachOther) {
  Scene scene = SceneOfTwoFills();
  scene.fills.pop_back();
  scene.fills.push_back({RandomRegion{Box{{0, 0, 0}, {4, 4, 4}}, 0.0, 50}, {0.2}});
  scene.fills.push_back({Lattice{Box{{0, 0, 0}, {4, 4, 4}}, 0.5}, {0.2}});
  const Particles all = CreateOnOneRank(scene).particles;
  ExpectNoOverlaps(all);
  const auto count_of_radius = std::ranges::count(all.radius, 0.2);
  EXPECT_GT(count_of_radius, 50 + 100) << "some sites are free";
  EXPECT_LT(count_of_radius, 50 + 400) << "some sites are occupied";
  ExpectTheSameOnAllRanks(scene);
}

TEST(Fills, FillsAvoidExistingParticles) {
  Scene scene = SceneOfTwoFills();
  scene.fills.erase(scene.fills.begin() + 1);
  scene.domain = {{{0, 0, 0}, {4, 4, 4}}, {true, false, false}};
  // One existing particle is on a site, and the periodic image of another is on a site too.
  Particles existing;
  Resize(existing, 2);
  existing.owned = 2;
  existing.position = {{0.5, 0.5, 0.5}, {4.4, 2.5, 0.5}};
  existing.radius = {0.2, 0.2};
  existing.id = {7, 8};
  const auto [all, next_id] = CreateOnOneRank(scene, 1000, existing);
  EXPECT_EQ(next_id, 1016);
  EXPECT_EQ(std::vector(all.position.begin(), all.position.begin() + 2), existing.position);
  EXPECT_EQ(std::ranges::count(all.id, 1000), 0);
  EXPECT_EQ(std::ranges::count(all.id, 1008), 0);
  EXPECT_EQ(std::ranges::count(all.id, 1003), 1);
}

/// The two thousand spheres of different sizes are enough to give cells to all ranks.
TEST(Fills, DenseFillIsTheSameOnAnyNumberOfRanks) {
  Scene scene = SceneOfTwoFills();
  scene.domain = {{{0, 0, 0}, {4, 4, 5}}, {false, false, false}};
  scene.fills[1].grain.sizes = SizeDistribution::Uniform(0.05, 0.25);
  ExpectTheSameOnAllRanks(scene);
  ExpectNoOverlaps(CreateOnOneRank(scene).particles);
}

TEST(Fills, RegionsContainTheirSpheres) {
  for (const Region& region : {Region(Cylinder{{2, 2, 0.2}, {2, 2.5, 3.8}, 1.3}),
                               Region(Ball{{2, 2, 2}, 1.7}), Region(Box{{1, 1, 1}, {3, 2, 3}})}) {
    Scene scene = SceneOfTwoFills();
    scene.walls.clear();
    scene.fills = {{RandomRegion{region, 0.2}, {0.13}}};
    const Particles all = CreateOnOneRank(scene).particles;
    ExpectNoOverlaps(all);
    const double volume = static_cast<double>(all.Size()) * SphereVolume(0.13);
    EXPECT_NEAR(volume / VolumeOf(region), 0.2, SphereVolume(0.13) / VolumeOf(region));
    for (const Vec3& position : all.position) EXPECT_TRUE(Contains(region, position, 0.13));
    ExpectTheSameOnAllRanks(scene);
    scene.fills = {{Lattice{region, 0.3}, {0.13}}};
    const Particles sites = CreateOnOneRank(scene).particles;
    EXPECT_GT(sites.Size(), 20u);
    for (const Vec3& position : sites.position) EXPECT_TRUE(Contains(region, position, 0.13));
  }
}

TEST(Fills, MixturesHaveTheirMassFractionsWithinOneParticle) {
  Scene scene = SceneOfTwoFills();
  scene.walls.clear();
  scene.materials.Add({"heavy", 8000.0}, 0.0);
  GrainTemplate grain{0.2};
  grain.mixture = {{0, 0.3, SizeDistribution::Uniform(0.05, 0.1)}, {1, 0.7, 0.08}};
  SetNumberFractions(scene.materials, grain.mixture);
  scene.fills = {{RandomRegion{Box{{0, 0, 0}, {4, 4, 4}}, 0.1}, grain}};
  const Particles all = CreateOnOneRank(scene).particles;
  double mass[2] = {};
  for (std::size_t i = 0; i < all.Size(); ++i) {
    mass[all.material[i]] += SphereVolume(all.radius[i]) * scene.materials[all.material[i]].density;
    if (all.material[i] == 1) {
      EXPECT_EQ(all.radius[i], 0.08);
    }
  }
  EXPECT_NEAR(mass[0] / (mass[0] + mass[1]), 0.3, 8000.0 * SphereVolume(0.08) / mass[1]);
  // On a lattice the material of each particle is drawn separately, so the fractions hold only on
  // average.
  scene.fills = {{Lattice{Box{{0, 0, 0}, {4, 4, 4}}, 0.2}, grain}};
  const Particles sites = CreateOnOneRank(scene).particles;
  double drawn[2] = {};
  for (std::size_t i = 0; i < sites.Size(); ++i) {
    drawn[sites.material[i]] +=
        SphereVolume(sites.radius[i]) * scene.materials[sites.material[i]].density;
  }
  EXPECT_NEAR(drawn[0] / (drawn[0] + drawn[1]), 0.3, 0.02);
}

TEST(Fills, ErrorsNameTheFill) {
  Scene scene = SceneOfTwoFills();
  scene.fills[1].grain.sizes = 1.9;  // in a region of width 4, next to the post
  scene.fills[1].name = "high";
  scene.fills[1].positions = RandomRegion{Box{{0, 0, 1}, {4, 4, 5}}, 0.9};
  try {
    CreateOnOneRank(scene);
    ADD_FAILURE() << "was accepted";
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("[fill.high] found positions for only 0 of"),
              std::string::npos)
        << error.what();
  }
}

}  // namespace
}  // namespace scree::fills_test
