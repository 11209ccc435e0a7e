// Jacobi sweeps: invariants after any number of sweeps, independence of the order, convergence.
#include "solvers/sweeps/block_jacobi.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "solvers/sweeps/block_gauss_seidel.hpp"
#include "solvers/sweeps/residual.hpp"
#include "tests/support/cluster.hpp"
#include "tests/support/no_sync.hpp"
#include "tests/support/one_relaxation.hpp"

namespace scree::block_jacobi_test {
namespace {

using test::Cluster;
using test::CollapsingCluster;
using test::NoSync;
using test::RelaxSphereContact;

struct CallCounter final : NoSync {
  int gathers = 0;
  SyncedBodies Synced() const override { return SyncedBodies::kAny; }
  void Start(std::span<const SphereBody>) override { FAIL() << "only Gauss-Seidel calls this"; }
  void StartScatter(std::span<const SphereBody>) override {
    FAIL() << "only Gauss-Seidel calls this";
  }
  void StartGather(std::span<SphereBody>) override { FAIL() << "only Gauss-Seidel calls this"; }
  void FinishGather(std::span<SphereBody>) override { FAIL() << "only Gauss-Seidel calls this"; }
  void Gather(std::span<SphereBody>) override { ++gathers; }
  void StartMax(double) override { FAIL() << "there is no tolerance"; }
};

/// Sets effective masses, also for rolling, to 1.9/(n_a w_a + n_b w_b), where n is the number of
/// contacts of a body and w its inverse mass.
void UnderRelax(Cluster& cluster) {
  test::ContactSolution& solution = cluster.solution;
  std::vector<double> counts(solution.bodies.size(), 0.0);
  for (const Contact& contact : cluster.problem.contacts) {
    counts[static_cast<std::size_t>(contact.a)] += 1.0;
    counts[static_cast<std::size_t>(contact.b)] += 1.0;
  }
  for (std::size_t j = 0; j < cluster.problem.contacts.size(); ++j) {
    Contact& contact = cluster.problem.contacts[j];
    const double weight_a =
        counts[static_cast<std::size_t>(contact.a)] * solution.A(contact).inverse_mass;
    const double weight_b =
        counts[static_cast<std::size_t>(contact.b)] * solution.B(contact).inverse_mass;
    contact.effective_mass = 1.9 / (weight_a + weight_b);
    if (cluster.problem.rolling.empty()) continue;
    RollingContact& rolling = cluster.problem.rolling[j];
    rolling.effective_mass = 1.9 / RollingLaw::ScalarBlock(rolling, weight_a, weight_b);
  }
}

void Sweep(int sweeps, Cluster& cluster, Kernel kernel = Kernel::kSphere) {
  ContactBatches batches;
  FillBatches(cluster, batches);
  const bool has_rolling = !cluster.problem.rolling.empty();
  std::vector<std::int64_t> keys(cluster.solution.bodies.size());
  std::iota(keys.begin(), keys.end(), 100);
  SolverParameters parameters;
  parameters.sweeps = sweeps;
  parameters.kernel = kernel;
  CallCounter counter;
  KernelScratch kernels;
  JacobiScratch scratch;
  BlockJacobi(parameters, cluster.positions.size(), keys, counter, StartingImpulses::kApplied,
              batches, cluster.solution.bodies, kernels, scratch);
  EXPECT_EQ(counter.gathers, has_rolling ? 2 * sweeps : sweeps);
  ReadImpulses(batches, cluster.solution);
}

/// Without and with rolling resistance.
std::vector<Cluster> BothClusters() {
  std::vector<Cluster> clusters = {CollapsingCluster(), CollapsingCluster()};
  clusters[1].AddRollingResistance(0.2, 0.1);
  for (Cluster& cluster : clusters) UnderRelax(cluster);
  return clusters;
}

TEST(BlockJacobi, SweepsConserveMomentaAndVelocitiesMatchTheImpulses) {
  constexpr double kRounding = 1e-12;  // several hundred additions of numbers of order one
  for (const Kernel kernel : {Kernel::kSphere, Kernel::kMaxDissipation, Kernel::kCoulomb}) {
    for (const int sweeps : {0, 1, 2, 7, 50, 51}) {
      Cluster cluster = BothClusters()[sweeps == 51];
      const std::vector<SphereBody> free_bodies = cluster.solution.bodies;
      const auto momenta_before = test::Momenta(cluster);
      Sweep(sweeps, cluster, kernel);
      EXPECT_LT((test::Momenta(cluster) - momenta_before).norm(),
                kRounding * (100.0 + momenta_before.norm()));
      const std::vector<SphereBody> expected = test::BodiesFromImpulses(cluster, free_bodies);
      double total = 0.0;
      for (const Vec3& impulse : cluster.solution.impulses) total += impulse.norm();
      EXPECT_EQ(total > 1.0, sweeps > 0);
      for (std::size_t i = 0; i < free_bodies.size(); ++i) {
        EXPECT_LT((cluster.solution.bodies[i].v - expected[i].v).norm(), kRounding) << sweeps;
        EXPECT_LT((cluster.solution.bodies[i].u - expected[i].u).norm(), kRounding) << sweeps;
      }
    }
  }
}

TEST(BlockJacobi, SweepUsesOnlyTheVelocitiesAtItsStart) {
  Cluster cluster = CollapsingCluster();
  UnderRelax(cluster);
  const std::vector<SphereBody> start = cluster.solution.bodies;
  Sweep(1, cluster);
  constexpr double kRounding = 1e-14;
  for (std::size_t j = 0; j < cluster.problem.contacts.size(); ++j) {
    const Contact& contact = cluster.problem.contacts[j];
    SphereBody a = start[static_cast<std::size_t>(contact.a)];
    SphereBody b = start[static_cast<std::size_t>(contact.b)];
    Vec3 impulse = Vec3::Zero();
    RelaxSphereContact(contact, impulse, a, b);
    EXPECT_LT((cluster.solution.impulses[j] - impulse).norm(), kRounding);
  }
}

/// The bits depend neither on the order of the contacts nor on which body is a.
TEST(BlockJacobi, OrderAndOrientationOfContactsDoNotMatter) {
  for (const Kernel kernel : {Kernel::kSphere, Kernel::kMaxDissipation, Kernel::kCoulomb}) {
    Cluster cluster = BothClusters()[kernel != Kernel::kCoulomb];
    Cluster permuted = cluster;
    std::vector<Contact>& contacts = permuted.problem.contacts;
    std::vector<RollingContact>& rolling = permuted.problem.rolling;
    std::reverse(contacts.begin(), contacts.end());
    std::reverse(rolling.begin(), rolling.end());
    std::swap(contacts[3], contacts[40]);
    if (!rolling.empty()) std::swap(rolling[3], rolling[40]);
    for (std::size_t j = 0; j < contacts.size(); j += 2) {
      std::swap(contacts[j].a, contacts[j].b);
      contacts[j].normal = -contacts[j].normal;
      if (!rolling.empty()) std::swap(rolling[j].fraction_a, rolling[j].fraction_b);
    }
    Sweep(20, cluster, kernel);
    Sweep(20, permuted, kernel);
    for (std::size_t i = 0; i < cluster.positions.size(); ++i) {
      EXPECT_EQ(cluster.solution.bodies[i].v, permuted.solution.bodies[i].v);
      EXPECT_EQ(cluster.solution.bodies[i].u, permuted.solution.bodies[i].u);
    }
    EXPECT_EQ(cluster.solution.impulses[40], permuted.solution.impulses[contacts.size() - 41]);
  }
}

TEST(BlockJacobi, BodiesOfOtherRanksAreNotMoved) {
  Cluster cluster = CollapsingCluster();
  UnderRelax(cluster);
  const std::vector<SphereBody> start = cluster.solution.bodies;
  cluster.positions.resize(40);  // Sweep treats these bodies as owned
  Sweep(1, cluster);
  std::size_t moved_count = 0;
  for (std::size_t i = 0; i < start.size(); ++i) {
    const bool is_equal = cluster.solution.bodies[i].v == start[i].v;
    EXPECT_TRUE(is_equal || i < 40) << i;
    moved_count += !is_equal;
  }
  EXPECT_GT(moved_count, 30u);
}

/// Without friction, the velocities of the solution are unique.
TEST(BlockJacobi, FrictionlessSweepsConvergeToTheSolutionOfGaussSeidel) {
  constexpr double kConverged = 1e-9;  // speeds are of order one
  Cluster jacobi = CollapsingCluster();
  for (Contact& contact : jacobi.problem.contacts) contact.friction = 0.0;
  Cluster gauss_seidel = jacobi;
  UnderRelax(jacobi);
  Sweep(20000, jacobi);
  SolverParameters parameters;
  parameters.sweeps = 20000;
  BlockGaussSeidel(gauss_seidel.problem, parameters, gauss_seidel.solution);
  EXPECT_LT(ContactResidual(gauss_seidel.problem, jacobi.solution).max, kConverged);
  for (std::size_t i = 0; i < jacobi.positions.size(); ++i) {
    EXPECT_LT((jacobi.solution.bodies[i].v - gauss_seidel.solution.bodies[i].v).norm(), kConverged);
  }
}

TEST(BlockJacobi, SweepsConvergeWithRollingResistance) {
  constexpr double kConverged = 1e-9;
  Cluster cluster = BothClusters()[1];
  Sweep(100000, cluster);
  EXPECT_LT(ContactResidual(cluster.problem, cluster.solution).max, kConverged);
}

}  // namespace
}  // namespace scree::block_jacobi_test
