// Labels and sizes of clusters, compared with those of the whole graph by lowering labels along one
// bond after the other.
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

  void AddParticle(ParticleId id, int of_rank) {
    ids.push_back(id);
    owner.push_back(of_rank);
    removed.push_back(false);
  }
  void AddBond(std::size_t one, std::size_t other, bool is_intact = true) {
    Bond bond;
    bond.a = std::min(ids[one], ids[other]);
    bond.b = GlobalPartner::Particle(std::max(ids[one], ids[other]));
    if (!is_intact) bond.state = BondState::kBrokenByShear;
    bonds.push_back(bond);
  }
};

struct Reference {
  std::map<ParticleId, ParticleId> label;
  std::map<ParticleId, std::int64_t> size;  // by label
};

Reference ReferenceOf(const Graph& graph) {
  Reference found;
  for (std::size_t k = 0; k < graph.ids.size(); ++k) {
    if (!graph.removed[k]) found.label[graph.ids[k]] = graph.ids[k];
  }
  for (bool changes = true; changes;) {
    changes = false;
    for (const Bond& bond : graph.bonds) {
      if (!bond.IsIntact() || bond.b.IsSurface()) continue;
      const auto a = found.label.find(bond.a), b = found.label.find(bond.b.Particle());
      if (a == found.label.end() || b == found.label.end() || a->second == b->second) continue;
      a->second = b->second = std::min(a->second, b->second);
      changes = true;
    }
  }
  for (const auto& [id, label] : found.label) ++found.size[label];
  return found;
}

void ExpectAsReference(const Graph& graph) {
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
  std::vector<Bond> home, guests;
  for (const Bond& bond : graph.bonds) {
    if (owner.at(bond.a) == world.Rank()) {
      home.push_back(bond);
    } else if (!bond.b.IsSurface() && owner.at(bond.b.Particle()) == world.Rank()) {
      guests.push_back(bond);
      guests.back().state = BondState::kIntact;  // its break is known at home only
    }
  }
  const BondClusters found = FindClusters(world, particles, home, guests);
  const Reference expected = ReferenceOf(graph);
  ASSERT_EQ(found.label.size(), particles.owned);
  ASSERT_EQ(found.size.size(), particles.owned);
  for (std::size_t i = 0; i < particles.owned; ++i) {
    const ParticleId id = particles.id[i];
    EXPECT_EQ(found.label[i], id == kRemovedId ? kRemovedId : expected.label.at(id)) << id;
    EXPECT_EQ(found.size[i], id == kRemovedId ? 0 : expected.size.at(found.label[i])) << id;
  }
  std::int64_t largest = 0;
  for (const auto& [label, size] : expected.size) largest = std::max(largest, size);
  EXPECT_EQ(found.counts.clusters, static_cast<std::int64_t>(expected.size.size()));
  EXPECT_EQ(found.counts.largest, largest);
}

/// @param bonds  per particle
Graph RandomGraph(std::uint64_t seed, double bonds) {
  constexpr std::size_t kParticles = 300;
  const int ranks = Communicator::World().Size();
  test::Draw draw(seed);
  const auto number = [&](std::size_t below) {
    return static_cast<std::size_t>(draw.Uniform(0.0, static_cast<double>(below)));
  };
  Graph graph;
  for (std::size_t k = 0; k < kParticles; ++k) {
    // Distinct, beyond 32 bits, in no order.
    const auto id = static_cast<ParticleId>((k * 7919) % 10007) * (ParticleId{1} << 33);
    graph.AddParticle(id, static_cast<int>(number(static_cast<std::size_t>(ranks))));
    graph.removed.back() = number(20) == 0;
  }
  for (std::size_t k = 0; k < static_cast<std::size_t>(bonds * kParticles); ++k) {
    const std::size_t one = number(kParticles), other = number(kParticles);
    if (one != other) graph.AddBond(one, other, number(5) > 0);
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

TEST(BondClusters, AreThoseOfTheWholeGraph) {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    for (const double bonds : {0.0, 0.4, 0.7, 1.5}) ExpectAsReference(RandomGraph(seed, bonds));
  }
}

/// The label goes from the end of a chain through all ranks again and again.
TEST(BondClusters, AChainThatWindsThroughTheRanksHasOneLabel) {
  constexpr std::size_t kLinks = 50;
  const auto ranks = static_cast<std::size_t>(Communicator::World().Size());
  Graph chain;
  for (std::size_t k = 0; k < kLinks; ++k) {
    chain.AddParticle(static_cast<ParticleId>(3 * k + 2), static_cast<int>(k % ranks));
    if (k > 0) chain.AddBond(k - 1, k);
  }
  ExpectAsReference(chain);
  chain.bonds[20].state = BondState::kBrokenByTension;
  ExpectAsReference(chain);
  chain.removed[35] = true;
  ExpectAsReference(chain);
}

/// Two particles on one wall are two clusters.
TEST(BondClusters, AWallJoinsNothing) {
  Graph graph;
  for (ParticleId id = 0; id < 2; ++id) {
    graph.AddParticle(id, 0);
    Bond bond;
    bond.a = id;
    bond.b = GlobalPartner::Surface(0);
    graph.bonds.push_back(bond);
  }
  const Reference expected = ReferenceOf(graph);
  ASSERT_EQ(expected.size.size(), 2u);
  ExpectAsReference(graph);
}

TEST(BondClusters, NoParticlesAreNoCluster) {
  const BondClusters found = FindClusters(Communicator::World(), {}, {}, {});
  EXPECT_EQ(found.counts.clusters, 0);
  EXPECT_EQ(found.counts.largest, 0);
}

}  // namespace
}  // namespace scree::bond_clusters_test
