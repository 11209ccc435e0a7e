// Clusters of bonded particles across ranks and periodic ends, and after bonds have broken.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "tests/support/same_bits.hpp"
#include "tests/support/schemes.hpp"

namespace scree::fragments_test {
namespace {

constexpr double kRadius = 0.01;  // [m]

/// A chain of bonded spheres that winds up through a domain which is periodic along x.
struct WindingChain {
  static constexpr int kPerTurn = 20, kTurns = 3, kSpheres = kPerTurn * kTurns;
  const Communicator world = Communicator::World();
  Scene scene = test::EmptyScene(Vec3(-0.2, -0.2, -0.2), Vec3(0.2, 0.2, 0.2), 0.3);
  State state;
  StepParameters parameters;
  // Id of the k-th sphere of the chain. The smallest id is at neither end.
  static ParticleId IdOf(int k) { return (7 * k + 100) % kSpheres; }

  explicit WindingChain(const test::NamedScheme& scheme) {
    parameters = test::WithScheme(scheme);
    parameters.dt = 1e-4;
    scene.domain.periodic = {true, false, false};
    scene.bonds.push_back({.name = "glue", .gap = 1e-5, .tension = 1e3, .shear = 1e3});
    // Each sphere is a little higher than the last sphere, and touches it.
    constexpr double kStepAlongX = 0.4 / kPerTurn, kStepUp = 0.1 / kPerTurn;
    const double radius = 0.5 * std::hypot(kStepAlongX, kStepUp);
    for (int k = 0; world.IsRoot() && k < kSpheres; ++k) {
      double x = -0.195 + kStepAlongX * k;
      while (x >= 0.2) x -= 0.4;
      test::AddSphere(state.particles, IdOf(k), Vec3(x, 0, -0.15 + kStepUp * k), radius);
    }
  }
  /// Returns the labels of all particles by id, and checks sizes and numbers of clusters.
  /// Collective.
  std::map<ParticleId, ParticleId> Labels(const TimeStep& step) const {
    const BondClusters clusters = step.Clusters(state);
    std::vector<std::int64_t> labels(kSpheres, 0), sizes(kSpheres, 0), counted(kSpheres, 0);
    for (std::size_t i = 0; i < state.particles.owned; ++i) {
      if (state.particles.id[i] == kRemovedId) continue;
      const auto id = static_cast<std::size_t>(state.particles.id[i]);
      labels[id] = clusters.label[i] + 1;
      sizes[id] = clusters.size[i];
      ++counted[static_cast<std::size_t>(clusters.label[i])];
    }
    world.Sum(labels);
    world.Sum(sizes);
    world.Sum(counted);
    std::map<ParticleId, ParticleId> labels_of_all;
    for (std::size_t id = 0; id < kSpheres; ++id) {
      if (labels[id] == 0) continue;  // removed
      labels_of_all[static_cast<ParticleId>(id)] = labels[id] - 1;
      EXPECT_EQ(sizes[id], counted[static_cast<std::size_t>(labels[id] - 1)]) << id;
    }
    EXPECT_EQ(clusters.counts.clusters, kSpheres - std::ranges::count(counted, 0));
    EXPECT_EQ(clusters.counts.largest, std::ranges::max(counted));
    return labels_of_all;
  }
  /// Expects the labels of a chain that is cut behind the k-th sphere for each k in `cut_after`.
  void ExpectCut(const TimeStep& step, const std::vector<int>& cut_after) const {
    std::map<ParticleId, ParticleId> expected;
    int first = 0;
    const auto add = [&](int end) {
      ParticleId label = IdOf(first);
      for (int k = first; k <= end; ++k) label = std::min(label, IdOf(k));
      for (int k = first; k <= end; ++k) expected[IdOf(k)] = label;
      first = end + 1;
    };
    for (const int end : cut_after) add(end);
    add(kSpheres - 1);
    EXPECT_EQ(Labels(step), expected);
  }
};

class Fragments : public testing::TestWithParam<test::NamedScheme> {};
INSTANTIATE_TEST_SUITE_P(All, Fragments, testing::ValuesIn(test::kSchemes), test::NameOfScheme);

TEST_P(Fragments, ChainAcrossRanksAndPeriodicEndsIsOneCluster) {
  WindingChain chain(GetParam());
  TimeStep step = test::Start(chain.world, chain.scene, chain.parameters, chain.state);
  EXPECT_EQ(step.Observe(chain.state).clusters->clusters, WindingChain::kSpheres);
  step.Advance(chain.state);
  EXPECT_EQ(step.CountBonds().intact, WindingChain::kSpheres - 1);
  chain.ExpectCut(step, {});
  const Observables observed = step.Observe(chain.state);
  EXPECT_EQ(observed.clusters->clusters, 1);
  EXPECT_EQ(observed.clusters->largest, WindingChain::kSpheres);
}

/// In each of four steps, two neighbours in the chain are pulled apart beyond the strength of their
/// bond.
TEST_P(Fragments, BrokenBondsDivideTheCluster) {
  WindingChain chain(GetParam());
  chain.parameters.solver.sweeps = 500;
  TimeStep step = test::Start(chain.world, chain.scene, chain.parameters, chain.state);
  step.Advance(chain.state);
  std::vector<int> cuts;
  for (const int broken : {8, 9, 33, 47}) {
    const Vec3 pull(40.0 * 1e3 * 3.2 * kRadius * kRadius, 0, 0);
    BodyForces forces;
    for (std::size_t i = 0; i < chain.state.particles.owned; ++i) {
      const ParticleId id = chain.state.particles.id[i];
      const double sign = id == WindingChain::IdOf(broken + 1) ? 1.0
                          : id == WindingChain::IdOf(broken)   ? -1.0
                                                               : 0.0;
      forces.force.push_back(sign * pull);
      forces.torque.push_back(Vec3::Zero());
    }
    step.Advance(chain.state, {}, 0, kNoEvent, &forces);
    cuts.push_back(broken);
  }
  ASSERT_EQ(step.CountBonds().intact, WindingChain::kSpheres - 1 - 4);
  chain.ExpectCut(step, cuts);
  auto [restarted, state] = test::ExpectRestartWithTheSameBits(
      chain.world, chain.scene, chain.parameters, step, chain.state, 3);
  chain.state = state;
  chain.ExpectCut(restarted, cuts);
}

}  // namespace
}  // namespace scree::fragments_test
