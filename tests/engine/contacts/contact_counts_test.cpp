// The contacts that each scheme counts per body, compared with sums over all ranks' contacts.
#include "engine/contacts/contact_counts.hpp"

#include <gtest/gtest.h>

#include "engine/contacts/ghost_contacts.hpp"
#include "tests/support/lists.hpp"

namespace scree::contact_counts_test {
namespace {

constexpr std::size_t kCount = test::DistributedCloud::kCount;
constexpr std::size_t kWalls = 2;

/// Particles in a unit cube, distributed to the ranks. Every listed pair is a contact, and every
/// particle has a contact with a wall.
struct SharedBodies : test::DistributedCloud {
  ContactList contacts;
  ContactList ghosts;
  ContactCounts counts;

  explicit SharedBodies(const Subdomains& subdomains) : DistributedCloud(subdomains) {
    const NeighborList list = test::ListOf(particles, kSkin, halo, {}, {}, {kSkin, kSkin});
    for (std::size_t i = 0; i < particles.owned; ++i) {
      for (Index k = list.first[i]; k < list.first[i + 1]; ++k) {
        const Index partner = list.partner[static_cast<std::size_t>(k)];
        contacts.Add({Vec3::UnitX(), 0.0, static_cast<Index>(i), partner});
      }
      const auto wall = static_cast<Index>(particles.Size() + i % kWalls);
      contacts.Add({Vec3::UnitX(), 0.0, static_cast<Index>(i), wall});
    }
    SplitGhostContacts(world.Rank(), particles, halo, contacts, ghosts);
  }

  void Count(Scheme scheme) {
    SolverParameters solver;
    solver.scheme = scheme;
    counts.Start(RequirementsOf(solver), world, halo.plan, contacts, ghosts, Bodies());
    counts.StartGather(world, halo.plan);
    counts.FinishGather(halo.plan);
  }
  std::size_t Bodies() const { return particles.Size() + kWalls; }

  /// For each local body, the number of its contacts that this rank owns.
  std::vector<Index> CountOwned() const {
    std::vector<Index> owned_counts(Bodies(), 0);
    for (const DetectedContact& contact : contacts) {
      ++owned_counts[static_cast<std::size_t>(contact.a)];
      ++owned_counts[static_cast<std::size_t>(contact.b)];
    }
    return owned_counts;
  }
  /// The sums over all copies of each particle, by id.
  std::vector<std::int64_t> SumOfCopies(const std::vector<Index>& counts_per_body) const {
    std::vector<std::int64_t> sum(kCount, 0);
    for (std::size_t i = 0; i < particles.Size(); ++i) {
      sum[static_cast<std::size_t>(particles.id[i])] += counts_per_body[i];
    }
    world.Sum(sum);
    return sum;
  }
};

TEST(ContactCounts, GaussSeidelCountsContactsOwnedByOtherRanks) {
  for (const Subdomains& subdomains : test::DivideUnitCube(Communicator::World().Size())) {
    SharedBodies shared(subdomains);
    shared.Count(Scheme::kGaussSeidel);
    const std::span<const Index> other_rank_counts = shared.counts.PerBody();
    if (shared.halo.plan.IsEmpty()) {
      EXPECT_TRUE(other_rank_counts.empty());
      continue;
    }
    ASSERT_EQ(other_rank_counts.size(), shared.Bodies());
    const std::vector<Index> owned_counts = shared.CountOwned();
    const std::vector<std::int64_t> total = shared.SumOfCopies(owned_counts);
    for (std::size_t i = 0; i < shared.particles.Size(); ++i) {
      const auto id = static_cast<std::size_t>(shared.particles.id[i]);
      EXPECT_EQ(other_rank_counts[i], total[id] - owned_counts[i]);
    }
    for (std::size_t w = 0; w < kWalls; ++w) {
      EXPECT_EQ(other_rank_counts[shared.particles.Size() + w], 0);
    }
  }
}

TEST(ContactCounts, JacobiCountsAllContactsOnAnyNumberOfRanks) {
  for (const Subdomains& subdomains : test::DivideUnitCube(Communicator::World().Size())) {
    SharedBodies shared(subdomains);
    shared.Count(Scheme::kJacobi);
    ASSERT_EQ(shared.counts.PerBody().size(), shared.Bodies());
    const std::vector<std::int64_t> total = shared.SumOfCopies(shared.CountOwned());
    for (std::size_t i = 0; i < shared.particles.Size(); ++i) {
      EXPECT_EQ(shared.counts.PerBody()[i],
                total[static_cast<std::size_t>(shared.particles.id[i])]);
    }
  }
}

}  // namespace
}  // namespace scree::contact_counts_test
