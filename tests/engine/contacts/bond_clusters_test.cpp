// Labels and sizes of clusters, compared with a reference that lowers labels in the whole graph,
// one bond at a time.
#include "engine/contacts/bond_clusters.hpp"

#include <gtest/gtest.h>

#include <map>

#include "tests/support/draw.hpp"

namespace scree::bond_clusters_test {
namespace {

/// Particles and bonds, the same on every rank, and the owner of each particle.
struct Graph {
  std::vector<ParticleId> ids;
  std::vector<int> owner;
  std::vector<bool> removed;
  std::vector<Bond> bonds;

  void AddParticle(ParticleId id, int rank) {
    ids.push_back(id);
    owner.push_back(rank);
    removed.push_back(false);
  }
  void AddBond(std::size_t first, std::size_t second, bool is_intact = true) {
    Bond bond;
    bond.a = std::min(ids[first], ids[second]);
    bond.b = GlobalPartner::Particle(std::max(ids[first], ids[second]));
    if (!is_intact) bond.state = BondState::kBrokenByShear;
    bonds.push_back(bond);
  }
};

struct Reference {
  std::map<ParticleId, ParticleId> label;
  std::map<ParticleId, std::int64_t> size;  // by label
};

Reference FindReference(const Graph& graph) {
  Reference clusters;
  for (std::size_t k = 0; k < graph.ids.size(); ++k) {
    if (!graph.removed[k]) clusters.label[graph.ids[k]] = graph.ids[k];
  }
  for (bool changes = true; changes;) {
    changes = false;
    for (const Bond& bond : graph.bonds) {
      if (!bond.IsIntact() || bond.b.IsSurface()) continue;
      const auto a = clusters.label.find(bond.a), b = clusters.label.find(bond.b.Particle());
      if (a == clusters.label.end() || b == clusters.label.end() || a->second == b->second)
        continue;
      a->second = b->second = std::min(a->second, b->second);
      changes = true;
    }
  }
  for (const auto& [id, label] : clusters.label) ++clusters.size[label];
  return clusters;
}

void ExpectMatchesReference(const Graph& graph) {
  const Communicator world = Communicator::World();
  Particles particles;
  std::map<ParticleId, int> owner;
  for (std::size_t k = 0; k < graph.ids.size(); ++k) {
    owner[graph.ids[k]] = graph.owner[k];
    if (graph.owner[k] != world.Rank()) continue;
    Resize(particles, particles.Size() + 1);
    particles.id.back() = graph.removed[k] ? kRemovedId : graph.ids[k];
  }
  particles.owned = particles.Size();
  std::vector<Bond> home_bonds, guest_bonds;
  for (const Bond& bond : graph.bonds) {
    if (owner.at(bond.a) == world.Rank()) {
      home_bonds.push_back(bond);
    } else if (!bond.b.IsSurface() && owner.at(bond.b.Particle()) == world.Rank()) {
      guest_bonds.push_back(bond);
      // Only the owner of particle a knows of a break.
      guest_bonds.back().state = BondState::kIntact;
    }
  }
  const BondClusters clusters = FindClusters(world, particles, home_bonds, guest_bonds);
  const Reference expected = FindReference(graph);
  ASSERT_EQ(clusters.label.size(), particles.owned);
  ASSERT_EQ(clusters.size.size(), particles.owned);
  for (std::size_t i = 0; i < particles.owned; ++i) {
    const ParticleId id = particles.id[i];
    EXPECT_EQ(clusters.label[i], id == kRemovedId ? kRemovedId : expected.label.at(id)) << id;
    EXPECT_EQ(clusters.size[i], id == kRemovedId ? 0 : expected.size.at(clusters.label[i])) << id;
  }
  std::int64_t largest = 0;
  for (const auto& [label, size] : expected.size) largest = std::max(largest, size);
  EXPECT_EQ(clusters.counts.clusters, static_cast<std::int64_t>(expected.size.size()));
  EXPECT_EQ(clusters.counts.largest, largest);
}

Graph RandomGraph(std::uint64_t seed, double bonds_per_particle) {
  constexpr std::size_t kParticles = 300;
  const int ranks = Communicator::World().Size();
  test::Draw draw(seed);
  const auto number = [&](std::size_t limit) {
    return static_cast<std::size_t>(draw.Uniform(0.0, static_cast<double>(limit)));
  };
  Graph graph;
  for (std::size_t k = 0; k < kParticles; ++k) {
    // Distinct ids beyond 32 bits, unordered.
    const auto id = static_cast<ParticleId>((k * 7919) % 10007) * (ParticleId{1} << 33);
    graph.AddParticle(id, static_cast<int>(number(static_cast<std::size_t>(ranks))));
    graph.removed.back() = number(20) == 0;
  }
  for (std::size_t k = 0; k < static_cast<std::size_t>(bonds_per_particle * kParticles); ++k) {
    const std::size_t first = number(kParticles), second = number(kParticles);
    if (first != second) graph.AddBond(first, second, number(5) > 0);
  }
  for (std::size_t k = 0; k < 20; ++k) {
    Bond bond;
    bond.a = graph.ids[number(kParticles)];
    bond.b = GlobalPartner::Surface(0);
    bond.wall = 0;
    graph.bonds.push_back(bond);
  }
  return graph;
}

TEST(BondClusters, ClustersAreThoseOfTheWholeGraph) {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    for (const double bonds_per_particle : {0.0, 0.4, 0.7, 1.5})
      ExpectMatchesReference(RandomGraph(seed, bonds_per_particle));
  }
}

/// The label passes from the end of the chain through all ranks many times.
TEST(BondClusters, ChainThroughAllRanksHasOneLabel) {
  constexpr std::size_t kLinks = 50;
  const auto ranks = static_cast<std::size_t>(Communicator::World().Size());
  Graph chain;
  for (std::size_t k = 0; k < kLinks; ++k) {
    chain.AddParticle(static_cast<ParticleId>(3 * k + 2), static_cast<int>(k % ranks));
    if (k > 0) chain.AddBond(k - 1, k);
  }
  ExpectMatchesReference(chain);
  chain.bonds[20].state = BondState::kBrokenByTension;
  ExpectMatchesReference(chain);
  chain.removed[35] = true;
  ExpectMatchesReference(chain);
}

TEST(BondClusters, WallDoesNotJoinClusters) {
  Graph graph;
  for (ParticleId id = 0; id < 2; ++id) {
    graph.AddParticle(id, 0);
    Bond bond;
    bond.a = id;
    bond.b = GlobalPartner::Surface(0);
    graph.bonds.push_back(bond);
  }
  const Reference expected = FindReference(graph);
  ASSERT_EQ(expected.size.size(), 2u);
  ExpectMatchesReference(graph);
}

TEST(BondClusters, EmptySceneHasNoClusters) {
  const BondClusters clusters = FindClusters(Communicator::World(), {}, {}, {});
  EXPECT_EQ(clusters.counts.clusters, 0);
  EXPECT_EQ(clusters.counts.largest, 0);
}

}  // namespace
}  // namespace scree::bond_clusters_test
