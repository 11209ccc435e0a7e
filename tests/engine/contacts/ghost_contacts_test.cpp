// Both ranks find a contact across their border, and one of them owns it.
#include "engine/contacts/ghost_contacts.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <map>

#include "tests/support/all_pairs.hpp"
#include "tests/support/lists.hpp"

namespace scree::ghost_contacts_test {
namespace {

constexpr double kRadius = 0.08;  // largest radius
constexpr double kSkin = 0.04;

ContactList ContactsOf(const NeighborList& list, std::size_t owned) {
  ContactList contacts;
  for (std::size_t i = 0; i < owned; ++i) {
    for (Index k = list.first[i]; k < list.first[i + 1]; ++k) {
      const Index partner = list.partner[static_cast<std::size_t>(k)];
      contacts.Add({Vec3::UnitX(), 0.0, static_cast<Index>(i), partner});
    }
  }
  return contacts;
}

bool IsSameContact(const DetectedContact& a, const DetectedContact& b) {
  return a.a == b.a && a.b == b.b;
}

TEST(GhostContacts, ContactsHaveOneOwnerAndKeepTheirOrder) {
  const Communicator world = Communicator::World();
  for (const Subdomains& subdomains : test::DivideUnitCube(world.Size())) {
    const Particles all = test::RandomParticles(subdomains.WholeDomain().box, 300, kRadius, 1);
    Particles particles = test::OwnedBy(subdomains, world.Rank(), all);
    test::SortIntoClasses(particles, kSkin);
    const Halo halo = BuildHalo(world, subdomains, kSkin, kRadius, InterfacePairs::kAll, particles);
    ContactList contacts =
        ContactsOf(test::ListOf(particles, kSkin, halo, {}, {}, {kSkin, kSkin}), particles.owned);
    std::vector<DetectedContact> owned_contacts;
    for (const DetectedContact& contact : contacts) {
      const auto ghost = static_cast<std::size_t>(contact.b) - particles.owned;
      if (static_cast<std::size_t>(contact.b) < particles.owned ||
          OwnsContact(world.Rank(), halo.owner[ghost], halo.image[ghost])) {
        owned_contacts.push_back(contact);
      }
    }
    const std::size_t count_before = contacts.size();
    ContactList ghosts;
    for (int k = 0; k < 3; ++k) ghosts.Add({});  // existing entries, which are replaced
    SplitGhostContacts(world.Rank(), particles, halo, contacts, ghosts);
    EXPECT_EQ(contacts.size() + ghosts.size(), count_before);
    EXPECT_TRUE(std::equal(contacts.begin(), contacts.end(), owned_contacts.begin(),
                           owned_contacts.end(), IsSameContact));

    // Every owned contact with a ghost is a ghost contact on the rank that owns the ghost.
    std::map<std::pair<ParticleId, ParticleId>, int> net_counts;
    const auto add = [&](std::span<const DetectedContact> contacts_to_add, int sign) {
      for (const DetectedContact& contact : contacts_to_add) {
        const auto a = static_cast<std::size_t>(contact.a), b = static_cast<std::size_t>(contact.b);
        if (b >= particles.owned) net_counts[std::minmax(particles.id[a], particles.id[b])] += sign;
      }
    };
    std::vector<std::int64_t> difference(300 * 300, 0);
    add(contacts, 1);
    add(ghosts, -1);
    for (const auto& [pair, count] : net_counts) {
      difference[static_cast<std::size_t>(300 * pair.first + pair.second)] += count;
    }
    world.Sum(difference);
    for (const std::int64_t value : difference) EXPECT_EQ(value, 0);
    EXPECT_EQ(world.Sum(static_cast<std::int64_t>(net_counts.size())) > 0,
              world.Max(static_cast<std::int64_t>(!halo.plan.IsEmpty())) > 0);
  }
}

TEST(GhostContacts, KeysAreIdsFollowedByWalls) {
  Particles particles;
  Resize(particles, 2);
  particles.id = {7, std::int64_t{1} << 60};
  const std::vector<WallBody> walls = {{0, 0, Vec3::Zero()}, {0, 5, Vec3::Zero()}};
  std::vector<std::int64_t> keys;
  SetBodyKeys(particles, walls, keys);
  ASSERT_EQ(keys.size(), 4u);
  EXPECT_EQ(keys[0], 7);
  EXPECT_EQ(keys[1], std::int64_t{1} << 60);
  EXPECT_LT(keys[1], keys[2]);
  EXPECT_LT(keys[2], keys[3]);
  particles.id.resize(1);  // walls keep their keys
  std::vector<std::int64_t> keys_without_last;
  SetBodyKeys(particles, walls, keys_without_last);
  EXPECT_EQ(keys_without_last[1], keys[2]);
}

}  // namespace
}  // namespace scree::ghost_contacts_test
