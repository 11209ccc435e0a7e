// Sweeps: invariants after any number of sweeps, and convergence.
#include "solvers/sweeps/block_gauss_seidel.hpp"

#include <gtest/gtest.h>

#include "solvers/one_contact/sphere_contact.hpp"
#include "solvers/sweeps/residual.hpp"
#include "tests/support/cluster.hpp"
#include "tests/support/no_sync.hpp"

namespace scree::block_gauss_seidel_test {
namespace {

using test::Cluster;
using test::CollapsingCluster;
using test::NoSync;

void Sweep(int sweeps, Cluster& cluster) {
  SolverParameters parameters;
  parameters.sweeps = sweeps;
  BlockGaussSeidel(cluster.problem, parameters, cluster.solution);
}

Cluster RollingCluster() {
  Cluster cluster = CollapsingCluster();
  cluster.AddRollingResistance(0.2, 0.1);
  return cluster;
}

void ExpectInvariants(Cluster cluster, const SolverParameters& parameters, double rounding) {
  const std::vector<SphereBody> free_bodies = cluster.solution.bodies;
  const auto momenta_before = test::Momenta(cluster);
  BlockGaussSeidel(cluster.problem, parameters, cluster.solution);
  const std::vector<SphereBody> expected = test::BodiesFromImpulses(cluster, free_bodies);
  for (std::size_t i = 0; i < free_bodies.size(); ++i) {
    EXPECT_LT((cluster.solution.bodies[i].v - expected[i].v).norm(), rounding);
    EXPECT_LT((cluster.solution.bodies[i].u - expected[i].u).norm(), rounding);
  }
  EXPECT_LT((test::Momenta(cluster) - momenta_before).norm(),
            rounding * (100.0 + momenta_before.norm()));
  double total = 0.0, rolling = 0.0;
  for (const Vec3& impulse : cluster.solution.impulses) total += impulse.norm();
  for (const Vec3& impulse : cluster.solution.rolling) rolling += impulse.norm();
  EXPECT_EQ(total > 1.0, parameters.sweeps > 0);
  EXPECT_EQ(rolling > 1.0, !cluster.problem.rolling.empty() && parameters.sweeps > 0);
}

TEST(BlockGaussSeidel, SweepsConserveMomentaAndVelocitiesMatchTheImpulses) {
  for (const Kernel kernel : {Kernel::kSphere, Kernel::kMaxDissipation, Kernel::kCoulomb}) {
    for (const double momentum : {0.0, 0.85}) {
      // The rounding error of several hundred additions. The heavy-ball term amplifies it.
      const double rounding = momentum > 0.0 ? 1e-11 : 1e-12;
      for (const int sweeps : {0, 1, 2, 3, 10, 50}) {
        SCOPED_TRACE(testing::Message() << static_cast<int>(kernel) << ", " << sweeps << " sweeps");
        SolverParameters parameters;
        parameters.kernel = kernel;
        parameters.momentum = momentum;
        parameters.sweeps = sweeps;
        ExpectInvariants(CollapsingCluster(), parameters, rounding);
        ExpectInvariants(RollingCluster(), parameters, rounding);
      }
    }
  }
}

TEST(BlockGaussSeidel, RollingImpulsesStayWithinTheirLimits) {
  Cluster cluster = RollingCluster();
  Sweep(7, cluster);
  int at_limit = 0, below_limit = 0;
  for (std::size_t j = 0; j < cluster.problem.contacts.size(); ++j) {
    const Vec3& n = cluster.problem.contacts[j].normal;
    const double lambda_n = cluster.solution.impulses[j].dot(n);
    const Vec3& rolling = cluster.solution.rolling[j];
    const double spinning = std::abs(rolling.dot(n));
    const double tangential = (rolling - rolling.dot(n) * n).norm();
    EXPECT_LE(tangential, 0.2 * lambda_n * (1.0 + 1e-12));
    EXPECT_LE(spinning, 0.1 * lambda_n * (1.0 + 1e-12));
    if (lambda_n == 0.0) continue;
    tangential > 0.1999 * lambda_n ? ++at_limit : ++below_limit;
  }
  EXPECT_GT(at_limit, 3);
  EXPECT_GT(below_limit, 3);
}

TEST(BlockGaussSeidel, CollapseOfAClusterLosesEnergy) {
  Cluster cluster = CollapsingCluster();
  for (Contact& contact : cluster.problem.contacts) contact.bias = 0.0;
  const auto energy = [&cluster] {
    double sum = 0.0;
    for (const SphereBody& body : cluster.solution.bodies) {
      sum += 0.5 / body.inverse_mass * (body.v.squaredNorm() + 0.4 * body.u.squaredNorm());
    }
    return sum;
  };
  // Relaxing a contact without a stored impulse is an inelastic impact.
  double energy_before = energy();
  Sweep(1, cluster);
  EXPECT_LT(energy(), 0.9 * energy_before);
}

TEST(BlockGaussSeidel, PileComesToRestOnItsFloor) {
  constexpr double kKick = 1e-4;  // g dt [m/s]
  Cluster pile;
  const int count = 27;
  double weight = 0.0;
  for (int i = 0; i < count; ++i) {
    pile.positions.push_back(Vec3(i % 3, i / 3 % 3, i / 9));
    pile.solution.bodies.push_back(
        {Vec3(0, 0, -kKick), 1.0 / (1.0 + i % 5), Vec3::Zero(), test::kClusterRadius});
    weight += kKick * (1.0 + i % 5);
  }
  const int floor = count;
  pile.solution.bodies.push_back({});
  test::Draw draw(0);
  pile.AddTouching(draw, 0.0);
  for (int a = 0; a < 9; ++a) pile.AddContact(a, floor, Vec3::UnitZ(), 0.0, 0.4);
  const double start_residual = ContactResidual(pile.problem, pile.solution).max;
  EXPECT_NEAR(start_residual, kKick, 1e-9 * kKick);
  Sweep(1000, pile);
  EXPECT_LT(ContactResidual(pile.problem, pile.solution).max, 1e-10 * kKick);
  double floor_impulse = 0.0;
  for (std::size_t j = 0; j < pile.problem.contacts.size(); ++j) {
    if (pile.problem.contacts[j].b == floor) floor_impulse += pile.solution.impulses[j].z();
  }
  EXPECT_NEAR(floor_impulse, weight, 1e-9 * weight);
}

/// Lets any body change between sweeps, so that sweeps run one after the other. Counts the calls.
struct CallCounter final : NoSync {
  int starts = 0, scatters = 0, gathers = 0, finished_gathers = 0;
  SyncedBodies Synced() const override { return SyncedBodies::kAny; }
  void Start(std::span<const SphereBody>) override { ++starts; }
  void StartScatter(std::span<const SphereBody>) override { ++scatters; }
  void StartGather(std::span<SphereBody>) override { EXPECT_EQ(++gathers, scatters); }
  void FinishGather(std::span<SphereBody>) override { EXPECT_EQ(++finished_gathers, gathers); }
  void Gather(std::span<SphereBody>) override { FAIL() << "only Jacobi calls this"; }
  void StartMax(double) override { FAIL() << "no tolerance is set"; }
};

TEST(BlockGaussSeidel, PipelinedSweepsGiveTheSameBitsAsSequentialSweeps) {
  constexpr int kLength = 3000;
  Cluster chain = test::Chain(kLength);
  for (const int sweeps : {1, 2, 10, 40, 41}) {
    if (sweeps == 41) chain.AddRollingResistance(0.2, 0.1);
    for (const double momentum : {0.0, 0.85}) {
      test::ContactSolution pipelined = chain.solution, sequential = chain.solution;
      SolverParameters parameters;
      parameters.sweeps = sweeps;
      parameters.momentum = momentum;
      CallCounter counter;
      BlockGaussSeidel(chain.problem, parameters, pipelined);
      BlockGaussSeidel(chain.problem, parameters, counter, sequential);
      EXPECT_EQ(counter.finished_gathers, sweeps);
      // The exchange restarts after each extrapolation of bodies.
      EXPECT_EQ(counter.starts, momentum > 0.0 ? sweeps : 1);
      for (std::size_t i = 0; i < kLength; ++i) {
        ASSERT_EQ(pipelined.bodies[i].v, sequential.bodies[i].v) << i << ", sweeps " << sweeps;
        ASSERT_EQ(pipelined.bodies[i].u, sequential.bodies[i].u);
      }
      EXPECT_EQ(pipelined.impulses, sequential.impulses);
      EXPECT_EQ(pipelined.rolling, sequential.rolling);
    }
  }
}

/// If shared bodies changed meanwhile, the result would depend on when messages arrive.
TEST(BlockGaussSeidel, SharedBodiesDoNotChangeWhileMessagesTravel) {
  struct Watcher final : NoSync {
    std::size_t shared = 0;
    std::vector<Vec3> sent;
    int comparisons = 0;
    SyncedBodies synced = SyncedBodies::kShared;
    SyncedBodies Synced() const override { return synced; }
    void StartScatter(std::span<const SphereBody> bodies) override {
      sent.clear();
      for (std::size_t i = 0; i < shared; ++i) sent.push_back(bodies[i].v);
    }
    void Compare(std::span<SphereBody> bodies) {
      for (std::size_t i = 0; i < shared; ++i) EXPECT_EQ(bodies[i].v, sent[i]);
      ++comparisons;
    }
    void StartGather(std::span<SphereBody> bodies) override { Compare(bodies); }
    void FinishGather(std::span<SphereBody> bodies) override { Compare(bodies); }
  };
  for (const Kernel kernel : {Kernel::kSphere, Kernel::kCoulomb}) {
    for (const auto& [tolerance, synced] :
         {std::pair(0.0, SyncedBodies::kShared), std::pair(0.0, SyncedBodies::kAny),
          std::pair(1e-9, SyncedBodies::kShared)}) {
      Cluster chain = test::Chain(2000);
      ContactBatches batches;
      FillBatches(chain, batches, 300);  // three contacts for each shared body
      ASSERT_LT(batches.Colouring().SharedBatches(), batches.Colouring().Batches() / 2);
      Watcher watcher;
      watcher.synced = synced;
      watcher.shared = 100;
      SolverParameters parameters;
      parameters.sweeps = parameters.max_sweeps = 4;
      parameters.kernel = kernel;
      parameters.tolerance = tolerance;
      test::Sweep(parameters, watcher, batches, chain.solution.bodies);
      EXPECT_EQ(watcher.comparisons, 8);
    }
  }
}

/// Simulates other ranks, which change the shared bodies in every sweep by amounts that do not
/// depend on this rank.
struct OtherRanks final : NoSync {
  std::size_t first_shared = 0;
  SyncedBodies Synced() const override { return SyncedBodies::kShared; }
  void StartGather(std::span<SphereBody> bodies) override { Kick(Vec3(1e-3, 0, 0), bodies); }
  void FinishGather(std::span<SphereBody> bodies) override { Kick(Vec3(0, 2e-3, 0), bodies); }
  void MarkShared(std::span<std::uint8_t> marks) const override {
    for (std::size_t i = first_shared; i < marks.size(); ++i) marks[i] = 1;
  }

 private:
  void Kick(const Vec3& impulse, std::span<SphereBody> bodies) const {
    for (std::size_t i = first_shared; i < bodies.size(); ++i) bodies[i].v += impulse;
  }
};

/// The reference solves one sweep at a time, which cannot overlap with the next sweep.
TEST(BlockGaussSeidel, PipelinedSweepsOfSeveralRanksMatchSingleSweeps) {
  constexpr int kLength = 16000, kSweeps = 29;
  for (const Kernel kernel : {Kernel::kSphere, Kernel::kCoulomb}) {
    // At the start of each solve a general kernel computes its coordinates from the impulses, which
    // rounds, and the reference starts more solves.
    const double rounding = kernel == Kernel::kSphere ? 0.0 : 1e-11;
    Cluster chain = test::Chain(kLength);
    std::vector<Contact>& contacts = chain.problem.contacts;
    std::vector<SphereBody>& bodies = chain.solution.bodies;
    OtherRanks sync;
    sync.first_shared = kLength - 60;  // so sweeps start with the last bodies
    const auto is_shared = [&](const Contact& contact) {
      return static_cast<std::size_t>(contact.b) >= sync.first_shared;
    };
    const auto local_begin = std::stable_partition(contacts.begin(), contacts.end(), is_shared);
    ContactBatches overlapping;
    FillBatches(chain, overlapping, static_cast<std::size_t>(local_begin - contacts.begin()));
    ContactBatches separate = overlapping;
    std::vector<SphereBody> separate_bodies = bodies;
    SolverParameters parameters;
    parameters.kernel = kernel;
    KernelScratch kernels;
    MomentumScratch momentum;
    SweepOrder order;
    parameters.sweeps = kSweeps;
    BlockGaussSeidel(parameters, sync, StartingImpulses::kApplied, overlapping, bodies, kernels,
                     momentum, order);
    EXPECT_LT(order.Dependency(0), order.Chunks() - 1);
    parameters.sweeps = 1;
    for (int sweep = 0; sweep < kSweeps; ++sweep) {
      BlockGaussSeidel(parameters, sync, StartingImpulses::kApplied, separate, separate_bodies,
                       kernels, momentum, order);
    }
    for (std::size_t i = 0; i < bodies.size(); ++i) {
      ASSERT_LE((bodies[i].v - separate_bodies[i].v).norm(), rounding);
      ASSERT_LE((bodies[i].u - separate_bodies[i].u).norm(), rounding);
    }
    for (std::size_t j = 0; j < contacts.size(); ++j) {
      ASSERT_LE((overlapping.Impulse(j) - separate.Impulse(j)).norm(), rounding);
    }
  }
}

TEST(BlockGaussSeidel, AllKernelsReachTheTolerance) {
  constexpr double kTolerance = 1e-8;
  for (const Kernel kernel : {Kernel::kSphere, Kernel::kMaxDissipation, Kernel::kCoulomb}) {
    for (Cluster cluster : {CollapsingCluster(), RollingCluster()}) {
      SolverParameters parameters;
      parameters.kernel = kernel;
      parameters.tolerance = kTolerance;
      parameters.max_sweeps = 100000;
      const SolveReport report = BlockGaussSeidel(cluster.problem, parameters, cluster.solution);
      EXPECT_EQ(report.converged, std::optional<bool>(true));
      EXPECT_GT(report.sweeps, 10);
      EXPECT_LT(report.sweeps, 10000);
      EXPECT_LT(ContactResidual(cluster.problem, cluster.solution).max, 2.0 * kTolerance);
    }
  }
}

}  // namespace
}  // namespace scree::block_gauss_seidel_test
