// Every particle arrives at the owner of its position, with all its fields.
#include "engine/ranks/migration.hpp"

#include <gtest/gtest.h>

#include <limits>

#include "tests/support/all_pairs.hpp"

namespace scree::migration_test {
namespace {

constexpr std::size_t kCount = 300;

/// Particles distributed to the ranks regardless of their positions.
Particles DistributeParticles(const Communicator& world, const Particles& all) {
  std::vector<Index> owned;
  for (std::size_t i = 0; i < all.owned; ++i) {
    if (static_cast<int>(i * 7 % 13) % world.Size() == world.Rank()) {
      owned.push_back(static_cast<Index>(i));
    }
  }
  Particles particles = all;
  Select(particles, owned);
  return particles;
}

void ExpectAllAtTheirOwners(const Communicator& world, const Subdomains& subdomains,
                            const Particles& all, const Particles& particles) {
  ASSERT_EQ(particles.owned, particles.Size());
  std::vector<std::int64_t> copies(all.owned, 0);
  for (std::size_t i = 0; i < particles.owned; ++i) {
    const auto id = static_cast<std::size_t>(particles.id[i]);
    ++copies[id];
    EXPECT_TRUE(subdomains.BoxOf(world.Rank()).Contains(particles.position[i]));
    EXPECT_EQ(particles.position[i], subdomains.Wrap(all.position[id]));
    EXPECT_EQ(particles.velocity[i], all.velocity[id]);
    EXPECT_EQ(particles.angular_velocity[i], all.angular_velocity[id]);
    EXPECT_EQ(particles.orientation[i], all.orientation[id]);
    EXPECT_EQ(particles.radius[i], all.radius[id]);
    EXPECT_EQ(particles.material[i], all.material[id]);
  }
  world.Sum(copies);
  for (std::size_t id = 0; id < all.owned; ++id) {
    EXPECT_EQ(copies[id], all.id[id] == kRemovedId ? 0 : 1) << "id " << id;
  }
}

TEST(Migration, EveryParticleArrivesCompleteAtItsOwner) {
  const Communicator world = Communicator::World();
  for (const Subdomains& subdomains : test::DivideUnitCube(world.Size())) {
    const Particles all = test::RandomParticles(subdomains.WholeDomain().box, kCount, 0.1, 1);
    Particles particles = DistributeParticles(world, all);
    Migrate(world, subdomains, particles);
    ExpectAllAtTheirOwners(world, subdomains, all, particles);
    const std::vector<ParticleId> ids_before = particles.id;
    Migrate(world, subdomains, particles);
    EXPECT_EQ(particles.id, ids_before);
  }
}

TEST(Migration, CentresAreWrappedAtPeriodicEnds) {
  const Communicator world = Communicator::World();
  for (const Subdomains& subdomains : test::DivideUnitCube(world.Size())) {
    const Domain& domain = subdomains.WholeDomain();
    Box enlarged = domain.box;
    for (int axis = 0; axis < 3; ++axis) {
      if (!domain.periodic[static_cast<std::size_t>(axis)]) continue;
      enlarged.lower[axis] -= 2.5;
      enlarged.upper[axis] += 2.5;
    }
    const Particles all = test::RandomParticles(enlarged, kCount, 0.1, 2);
    Particles particles = DistributeParticles(world, all);
    Migrate(world, subdomains, particles);
    ExpectAllAtTheirOwners(world, subdomains, all, particles);
  }
}

TEST(Migration, GhostsAndRemovedParticlesAreDropped) {
  const Communicator world = Communicator::World();
  const Subdomains subdomains = test::DivideUnitCube(world.Size()).front();
  Particles all = test::RandomParticles(subdomains.WholeDomain().box, kCount, 0.1, 3);
  for (std::size_t i = 0; i < kCount; i += 3) {
    all.id[i] = kRemovedId;
    all.position[i] = Vec3(1e100, 0, 0);
  }
  Particles particles = DistributeParticles(world, all);
  Resize(particles, particles.owned + 10);
  for (std::size_t g = particles.owned; g < particles.Size(); ++g) particles.id[g] = 1;
  Migrate(world, subdomains, particles);
  ExpectAllAtTheirOwners(world, subdomains, all, particles);
}

TEST(Migration, VelocitiesKeepTheBitsOfSpecialValues) {
  const Communicator world = Communicator::World();
  const Subdomains subdomains = test::DivideUnitCube(world.Size()).front();
  const double tiny = std::numeric_limits<double>::denorm_min();
  Particles all = test::RandomParticles(subdomains.WholeDomain().box, 50, 0.1, 4);
  for (Vec3& v : all.velocity) v = Vec3(-0.0, tiny, std::numeric_limits<double>::infinity());
  Particles particles = DistributeParticles(world, all);
  Migrate(world, subdomains, particles);
  for (const Vec3& v : particles.velocity) {
    EXPECT_TRUE(std::signbit(v.x()));
    EXPECT_EQ(v.y(), tiny);
    EXPECT_EQ(v.z(), std::numeric_limits<double>::infinity());
  }
}

TEST(Migration, CentresOnTheFacesOfTheDomainHaveOneOwner) {
  const Communicator world = Communicator::World();
  const Subdomains subdomains = test::DivideUnitCube(world.Size()).front();
  Particles all = test::RandomParticles(subdomains.WholeDomain().box, 20, 0.1, 7);
  all.position[0] = subdomains.WholeDomain().box.lower;
  all.position[1] = subdomains.WholeDomain().box.upper;
  Particles particles = DistributeParticles(world, all);
  Migrate(world, subdomains, particles);
  ExpectAllAtTheirOwners(world, subdomains, all, particles);
}

}  // namespace
}  // namespace scree::migration_test
