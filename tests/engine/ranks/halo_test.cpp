// Ghosts, compared with a search of all particles and all periodic images.
#include "engine/ranks/halo.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <set>
#include <tuple>

#include "tests/support/all_pairs.hpp"

namespace scree::halo_test {
namespace {

constexpr double kSkin = 0.04;
constexpr double kRadius = 0.08;  // largest radius

using Key = std::tuple<ParticleId, double, double, double>;  // id, shift

Key KeyOf(ParticleId id, const Vec3& shift) { return {id, shift.x(), shift.y(), shift.z()}; }

/// All images of particles that may be within the skin of a particle in the box of `rank`, except
/// the particles that this rank owns. For kOwnedContact, only images whose contacts it owns.
std::set<Key> GhostsByDefinition(const Subdomains& subdomains, int rank, const Particles& all,
                                 InterfacePairs interface = InterfacePairs::kAll) {
  std::set<Key> keys;
  for (const Image& image : test::AllImages(subdomains.WholeDomain().periodic)) {
    const Vec3 shift = subdomains.Shift(image);
    for (std::size_t i = 0; i < all.owned; ++i) {
      if (image == Image{} && subdomains.OwnerOf(all.position[i]) == rank) continue;
      const double limit = all.radius[i] + kRadius + kSkin;
      if (subdomains.BoxOf(rank).Distance(all.position[i] + shift) >= limit) continue;
      const int owner = subdomains.OwnerOf(all.position[i]);
      if (interface == InterfacePairs::kAll || OwnsContact(rank, owner, image)) {
        keys.insert(KeyOf(all.id[i], shift));
      }
    }
  }
  return keys;
}

TEST(Halo, GhostsAreExactlyTheParticlesThatMayBeNear) {
  const Communicator world = Communicator::World();
  for (const Subdomains& subdomains : test::DivideUnitCube(world.Size())) {
    const Particles all = test::RandomParticles(subdomains.WholeDomain().box, 300, kRadius, 1);
    Particles particles = test::OwnedBy(subdomains, world.Rank(), all);
    const std::size_t owned = particles.owned;
    const Halo halo = BuildHalo(world, subdomains, kSkin, kRadius, InterfacePairs::kAll, particles);

    ASSERT_EQ(particles.owned, owned);
    ASSERT_EQ(halo.shift.size(), particles.Size() - owned);
    ASSERT_EQ(halo.owner.size(), halo.shift.size());
    std::set<Key> actual;
    for (std::size_t g = 0; g < halo.shift.size(); ++g) {
      const bool is_new = actual.insert(KeyOf(particles.id[owned + g], halo.shift[g])).second;
      EXPECT_TRUE(is_new);
    }
    EXPECT_EQ(actual, GhostsByDefinition(subdomains, world.Rank(), all));
  }
}

TEST(Halo, OnlyTheOwnerOfAContactHasTheGhost) {
  const Communicator world = Communicator::World();
  for (const Subdomains& subdomains : test::DivideUnitCube(world.Size())) {
    const Particles all = test::RandomParticles(subdomains.WholeDomain().box, 300, kRadius, 1);
    Particles particles = test::OwnedBy(subdomains, world.Rank(), all);
    const auto interface = InterfacePairs::kOwnedContact;
    const Halo halo = BuildHalo(world, subdomains, kSkin, kRadius, interface, particles);
    std::set<Key> actual;
    for (std::size_t g = 0; g < halo.shift.size(); ++g) {
      actual.insert(KeyOf(particles.id[particles.owned + g], halo.shift[g]));
    }
    EXPECT_EQ(actual, GhostsByDefinition(subdomains, world.Rank(), all, interface));
  }
}

TEST(Halo, GhostsHaveTheirOwnersBits) {
  const Communicator world = Communicator::World();
  for (const Subdomains& subdomains : test::DivideUnitCube(world.Size())) {
    const Particles all = test::RandomParticles(subdomains.WholeDomain().box, 200, kRadius, 2);
    Particles particles = test::OwnedBy(subdomains, world.Rank(), all);
    const Halo halo = BuildHalo(world, subdomains, kSkin, kRadius, InterfacePairs::kAll, particles);
    for (std::size_t i = particles.owned; i < particles.Size(); ++i) {
      const auto id = static_cast<std::size_t>(particles.id[i]);
      EXPECT_EQ(particles.position[i], all.position[id]);
      EXPECT_EQ(particles.velocity[i], all.velocity[id]);
      EXPECT_EQ(particles.angular_velocity[i], all.angular_velocity[id]);
      EXPECT_EQ(particles.radius[i], all.radius[id]);
      EXPECT_EQ(particles.material[i], all.material[id]);
      EXPECT_EQ(halo.owner[i - particles.owned], subdomains.OwnerOf(all.position[id]));
    }
  }
}

TEST(Halo, PlanGathersNewValuesToTheGhosts) {
  const Communicator world = Communicator::World();
  for (const Subdomains& subdomains : test::DivideUnitCube(world.Size())) {
    const Particles all = test::RandomParticles(subdomains.WholeDomain().box, 200, kRadius, 3);
    Particles particles = test::OwnedBy(subdomains, world.Rank(), all);
    Halo halo = BuildHalo(world, subdomains, kSkin, kRadius, InterfacePairs::kAll, particles);
    std::vector<Vec3> values = particles.position;
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (i < particles.owned) values[i] *= 3.0;
      if (i >= particles.owned) values[i].setConstant(std::numeric_limits<double>::quiet_NaN());
    }
    halo.plan.Gather(world, std::span(values));
    for (std::size_t i = 0; i < values.size(); ++i) {
      EXPECT_EQ(values[i], Vec3(all.position[static_cast<std::size_t>(particles.id[i])] * 3.0));
    }
  }
}

TEST(Halo, UnmarkedGhostsAreRemovedFromThePlansOfBothSides) {
  const Communicator world = Communicator::World();
  for (const Subdomains& subdomains : test::DivideUnitCube(world.Size())) {
    const Particles all = test::RandomParticles(subdomains.WholeDomain().box, 300, kRadius, 5);
    Particles particles = test::OwnedBy(subdomains, world.Rank(), all);
    const std::size_t owned = particles.owned;
    Halo halo = BuildHalo(world, subdomains, kSkin, kRadius, InterfacePairs::kAll, particles);
    std::vector<std::uint8_t> marks;
    for (std::size_t g = owned; g < particles.Size(); ++g)
      marks.push_back(particles.id[g] % 3 == 0);
    const std::size_t peers = halo.plan.Peers().size();
    RemoveUnmarkedGhosts(world, marks, halo, particles);
    EXPECT_EQ(halo.plan.Peers().size(), peers);

    std::set<Key> expected, found;
    for (const Key& key : GhostsByDefinition(subdomains, world.Rank(), all)) {
      if (std::get<ParticleId>(key) % 3 == 0) expected.insert(key);
    }
    ASSERT_EQ(particles.owned, owned);
    ASSERT_EQ(particles.Size() - owned, halo.shift.size());
    ASSERT_EQ(halo.owner.size(), halo.shift.size());
    for (std::size_t g = 0; g < halo.shift.size(); ++g) {
      const auto id = static_cast<std::size_t>(particles.id[owned + g]);
      found.insert(KeyOf(particles.id[owned + g], halo.shift[g]));
      EXPECT_EQ(halo.owner[g], subdomains.OwnerOf(all.position[id]));
    }
    EXPECT_EQ(found, expected);
    std::vector<Vec3> values = particles.position;
    for (std::size_t i = owned; i < values.size(); ++i) values[i].setZero();
    halo.plan.Gather(world, std::span(values));
    EXPECT_EQ(values, particles.position);
    RemoveUnmarkedGhosts(world, std::vector<std::uint8_t>(particles.Size() - owned, 0), halo,
                         particles);
    EXPECT_EQ(particles.Size(), owned);
    EXPECT_EQ(halo.plan.Peers().size(), peers);
  }
}

TEST(Halo, RebuiltHaloReplacesTheGhosts) {
  const Communicator world = Communicator::World();
  const Subdomains subdomains = test::DivideUnitCube(world.Size()).back();
  const Particles all = test::RandomParticles(subdomains.WholeDomain().box, 100, kRadius, 4);
  Particles particles = test::OwnedBy(subdomains, world.Rank(), all);
  BuildHalo(world, subdomains, kSkin, kRadius, InterfacePairs::kAll, particles);
  const std::vector<ParticleId> first = particles.id;
  BuildHalo(world, subdomains, kSkin, kRadius, InterfacePairs::kAll, particles);
  EXPECT_EQ(particles.id, first);
  BuildHalo(world, subdomains, 0.001, kRadius, InterfacePairs::kAll, particles);
  EXPECT_LT(particles.Size(), first.size());
}

TEST(Halo, RanksMayOwnNoParticles) {
  const Communicator world = Communicator::World();
  const Subdomains subdomains = test::DivideUnitCube(world.Size()).front();
  Particles particles;
  const Halo halo = BuildHalo(world, subdomains, kSkin, kRadius, InterfacePairs::kAll, particles);
  EXPECT_EQ(particles.Size(), 0u);
  EXPECT_TRUE(halo.shift.empty());
}

}  // namespace
}  // namespace scree::halo_test
