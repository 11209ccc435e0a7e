// Heavy-ball momentum between sweeps: convergence to the same solution as without momentum, but
// faster for long waves.
#include "solvers/sweeps/momentum.hpp"

#include <gtest/gtest.h>

#include "solvers/sweeps/block_gauss_seidel.hpp"
#include "solvers/sweeps/effective_mass.hpp"
#include "tests/support/cluster.hpp"
#include "tests/support/no_sync.hpp"

namespace scree::momentum_test {
namespace {

using test::Cluster;
using test::CollapsingCluster;
using test::NoSync;

SolverParameters WithMomentum(double momentum, int sweeps = 10) {
  SolverParameters parameters;
  parameters.momentum = momentum;
  parameters.sweeps = sweeps;
  return parameters;
}

/// The last body may have no contact on this rank. Another rank changes it in every sweep.
class RemoteContact final : public NoSync {
 public:
  explicit RemoteContact(SyncedBodies synced) : synced_(synced) {}
  static Vec3 Change() { return {0.25, 0.5, 0.0}; }
  SyncedBodies Synced() const override { return synced_; }
  void FinishGather(std::span<SphereBody> bodies) override { bodies.back().v += Change(); }
  void MarkShared(std::span<std::uint8_t> marks) const override { marks.back() = 1; }

 private:
  SyncedBodies synced_;
};

// If only one rank extrapolated a body, the copies on two ranks would differ.
TEST(Momentum, BodiesOfContactsOnOtherRanksAreExtrapolatedEqually) {
  constexpr double kMomentum = 0.5;
  constexpr int kSweeps = 5;
  // Pipelined or sequential, without or with contacts on this rank.
  for (const auto& [synced, has_local_contacts] :
       {std::pair(SyncedBodies::kShared, false), std::pair(SyncedBodies::kShared, true),
        std::pair(SyncedBodies::kAny, false), std::pair(SyncedBodies::kAny, true)}) {
    Cluster cluster;
    if (has_local_contacts) cluster = CollapsingCluster();
    cluster.solution.bodies.push_back({Vec3::Zero(), 1.0, Vec3::Zero(), 0.01});
    RemoteContact sync(synced);
    BlockGaussSeidel(cluster.problem, WithMomentum(kMomentum, kSweeps), sync, cluster.solution);
    Vec3 velocity = Vec3::Zero(), previous = velocity;
    for (int sweep = 0; sweep < kSweeps; ++sweep) {
      const Vec3 start = velocity;
      if (sweep > 0 && sweep + 1 < kSweeps) velocity += kMomentum * (velocity - previous);
      previous = start;
      velocity += RemoteContact::Change();
    }
    EXPECT_EQ(cluster.solution.bodies.back().v, velocity);
  }
}

TEST(Momentum, FrictionlessSolutionDoesNotDependOnMomentum) {
  constexpr double kConverged = 1e-9;
  Cluster without_momentum = CollapsingCluster();
  for (Contact& contact : without_momentum.problem.contacts) contact.friction = 0.0;
  Cluster with_momentum = without_momentum;
  BlockGaussSeidel(without_momentum.problem, WithMomentum(0.0, 3000), without_momentum.solution);
  BlockGaussSeidel(with_momentum.problem, WithMomentum(0.85, 1000), with_momentum.solution);
  for (std::size_t i = 0; i < without_momentum.solution.bodies.size(); ++i) {
    EXPECT_LT((without_momentum.solution.bodies[i].v - with_momentum.solution.bodies[i].v).norm(),
              kConverged);
  }
}

// A constant momentum of 0.85 would end in a cycle, because contacts open and close, slide and
// stick.
TEST(Momentum, ConvergesInFewerSweepsAlsoWithFriction) {
  constexpr double kTolerance = 1e-11;
  const auto solve = [](double momentum, Cluster& cluster) {
    SolverParameters parameters = WithMomentum(momentum);
    parameters.tolerance = kTolerance;
    parameters.max_sweeps = 20000;
    return BlockGaussSeidel(cluster.problem, parameters, cluster.solution);
  };
  Cluster without_momentum = CollapsingCluster(), with_momentum = without_momentum;
  const SolveReport report_without = solve(0.0, without_momentum),
                    report_with = solve(0.85, with_momentum);
  EXPECT_EQ(report_without.converged, std::optional<bool>(true));
  EXPECT_EQ(report_with.converged, std::optional<bool>(true));
  EXPECT_LT(report_with.sweeps, report_without.sweeps / 2);
  for (std::size_t i = 0; i < without_momentum.solution.bodies.size(); ++i) {
    EXPECT_LT((without_momentum.solution.bodies[i].v - with_momentum.solution.bodies[i].v).norm(),
              1e3 * kTolerance);
  }
}

/// The part of a stack's weight that its floor does not carry yet, divided by the weight.
double MissingLoad(int spheres, double momentum, int sweeps) {
  Cluster stack;
  stack.problem.first_fixed = spheres;
  const SphereBody falling = {Vec3(0.0, 0.0, -1.0), 1.0, Vec3::Zero(), test::kClusterRadius};
  stack.solution.bodies.assign(static_cast<std::size_t>(spheres), falling);
  stack.solution.bodies.push_back({});  // the floor
  for (int k = 0; k < spheres; ++k) {
    stack.AddContact(k, k == 0 ? spheres : k - 1, Vec3::UnitZ(), 0.0, 0.5);
  }
  BlockGaussSeidel(stack.problem, WithMomentum(momentum, sweeps), stack.solution);
  return std::abs(1.0 - stack.solution.impulses[0].z() / spheres);
}

TEST(Momentum, LongWavesConvergeFasterThanWithoutMomentum) {
  constexpr int kSpheres = 30;
  const double without_momentum = MissingLoad(kSpheres, 0.0, 80),
               twice_the_sweeps = MissingLoad(kSpheres, 0.0, 160);
  const double with_momentum = MissingLoad(kSpheres, 0.85, 80);
  EXPECT_GT(without_momentum, 0.6);
  EXPECT_LT(with_momentum, 0.3 * without_momentum);
  EXPECT_LT(with_momentum, 0.5 * twice_the_sweeps);
}

TEST(Momentum, UnderRelaxationOfSharedBodiesSufficesForMomentum) {
  // The worst case is a wall: k contacts at once multiply the velocity by 1 − k/κ.
  for (const double momentum : {0.0, 0.3, 0.85, 0.9}) {
    for (const Index contacts : {2, 3, 6, 12}) {
      const double kappa = SharingFactor(WithMomentum(momentum), 1.0, 0.0, contacts - 1, 0);
      EXPECT_GE(1.0 - static_cast<double>(contacts) / kappa, -1.0 / (1.0 + 2.0 * momentum) - 1e-12)
          << momentum << ", " << contacts;
    }
    // Spheres of similar size are under-relaxed as much as light ones. With less under-relaxation,
    // sweeps with momentum would diverge.
    const double h = (1.0 + 2.0 * momentum) / (2.0 + 2.0 * momentum);
    if (momentum > 0.0) {
      EXPECT_DOUBLE_EQ(SharingFactor(WithMomentum(momentum), 1.0, 1.0, 3, 4), h * (1.0 + 3.5));
    }
  }
}

}  // namespace
}  // namespace scree::momentum_test
