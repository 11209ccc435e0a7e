// Sweeps: what they keep at any number of sweeps, and that they arrive.
#include "solvers/block_gauss_seidel.hpp"

#include <gtest/gtest.h>

#include "solvers/residual.hpp"
#include "solvers/sphere_contact.hpp"
#include "tests/support/draw.hpp"

namespace scree {
namespace {

using test::Draw;

constexpr int kSide = 4;
constexpr double kRadius = 0.5;

/// Touching spheres on a cubic lattice.
struct Cluster {
  ContactProblem problem;
  ContactSolution solution;
  std::vector<Vec3> places;

  void AddContact(int a, int b, const Vec3& normal, double bias, double friction) {
    Contact contact;
    contact.normal = normal;
    contact.bias = bias;
    contact.friction = friction;
    contact.a = a;
    contact.b = b;
    const auto& bodies = solution.bodies;
    contact.effective_mass = 1.0 / (bodies[static_cast<std::size_t>(a)].inverse_mass +
                                    bodies[static_cast<std::size_t>(b)].inverse_mass);
    problem.contacts.push_back(contact);
    solution.impulses.push_back(Vec3::Zero());
  }
  void Sweep(int sweeps) {
    NoSync sync;
    SolverParameters parameters;
    parameters.sweeps = sweeps;
    BlockGaussSeidel(problem, parameters, sync, solution);
  }
};

/// A cluster that collapses onto its centre; masses, spins and biases are random.
Cluster CollapsingCluster() {
  Draw draw(11);
  Cluster cluster;
  for (int i = 0; i < kSide * kSide * kSide; ++i) {
    const Vec3 x(i % kSide, i / kSide % kSide, i / (kSide * kSide));
    cluster.places.push_back(x);
    const Vec3 inward = Vec3::Constant(0.5 * (kSide - 1)) - x;
    cluster.solution.bodies.push_back(
        {inward + draw.Vector(0.5), draw.Uniform(0.5, 2.0), draw.Vector(1.0), kRadius});
  }
  const int count = static_cast<int>(cluster.places.size());
  for (int a = 0; a < count; ++a) {
    for (int b = 0; b < a; ++b) {
      const Vec3 d =
          cluster.places[static_cast<std::size_t>(a)] - cluster.places[static_cast<std::size_t>(b)];
      if (d.norm() < 1.001) cluster.AddContact(a, b, d, draw.Uniform(-0.1, 0.1), 0.4);
    }
  }
  return cluster;
}

/// v = v_free + M⁻¹ W λ, summed contact by contact.
std::vector<SphereBody> FromImpulses(const Cluster& cluster, std::vector<SphereBody> bodies) {
  for (std::size_t j = 0; j < cluster.problem.contacts.size(); ++j) {
    const Contact& contact = cluster.problem.contacts[j];
    const Vec3& impulse = cluster.solution.impulses[j];
    SphereBody& a = bodies[static_cast<std::size_t>(contact.a)];
    SphereBody& b = bodies[static_cast<std::size_t>(contact.b)];
    a.v += a.inverse_mass * impulse;
    b.v -= b.inverse_mass * impulse;
    // dω = I⁻¹ (arm × impulse) with arms −r n and +r n.
    a.u += 2.5 * a.inverse_mass * (-contact.normal).cross(impulse);
    b.u += 2.5 * b.inverse_mass * contact.normal.cross(-impulse);
  }
  return bodies;
}

TEST(BlockGaussSeidel, VelocitiesFollowFromTheImpulsesAfterAnyNumberOfSweeps) {
  constexpr double kRounding = 1e-12;  // of some hundred additions of numbers of order one
  for (const int sweeps : {0, 1, 2, 7, 50}) {
    Cluster cluster = CollapsingCluster();
    const std::vector<SphereBody> free = cluster.solution.bodies;
    cluster.Sweep(sweeps);
    const std::vector<SphereBody> expected = FromImpulses(cluster, free);
    for (std::size_t i = 0; i < free.size(); ++i) {
      EXPECT_LT((cluster.solution.bodies[i].v - expected[i].v).norm(), kRounding) << sweeps;
      EXPECT_LT((cluster.solution.bodies[i].u - expected[i].u).norm(), kRounding) << sweeps;
    }
    double total = 0.0;
    for (const Vec3& impulse : cluster.solution.impulses) total += impulse.norm();
    EXPECT_EQ(total > 1.0, sweeps > 0);
  }
}

TEST(BlockGaussSeidel, MomentumAndAngularMomentumAreConserved) {
  constexpr double kRounding = 1e-12;
  Cluster cluster = CollapsingCluster();
  const auto momenta = [&cluster] {
    Eigen::Matrix<double, 6, 1> sum = Eigen::Matrix<double, 6, 1>::Zero();
    for (std::size_t i = 0; i < cluster.places.size(); ++i) {
      const SphereBody& body = cluster.solution.bodies[i];
      const Vec3 p = body.v / body.inverse_mass;
      sum.head<3>() += p;
      sum.tail<3>() += cluster.places[i].cross(p) + 0.4 * body.radius * body.u / body.inverse_mass;
    }
    return sum;
  };
  const auto before = momenta();
  cluster.Sweep(10);
  EXPECT_LT((momenta() - before).norm(), kRounding * before.norm() + 100 * kRounding);
}

TEST(BlockGaussSeidel, CollapseLosesEnergy) {
  Cluster cluster = CollapsingCluster();
  for (Contact& contact : cluster.problem.contacts) contact.bias = 0.0;
  const auto energy = [&cluster] {
    double sum = 0.0;
    for (const SphereBody& body : cluster.solution.bodies) {
      sum += 0.5 / body.inverse_mass * (body.v.squaredNorm() + 0.4 * body.u.squaredNorm());
    }
    return sum;
  };
  // Relaxing a contact that starts with no impulse is an inelastic impact.
  double before = energy();
  cluster.Sweep(1);
  EXPECT_LT(energy(), 0.9 * before);
}

TEST(BlockGaussSeidel, OpenPileComesToRestOnItsFloor) {
  constexpr double kKick = 1e-4;  // g dt [m/s]
  Cluster pile;
  const int count = 27;
  double weight = 0.0;
  for (int i = 0; i < count; ++i) {
    pile.places.push_back(Vec3(i % 3, i / 3 % 3, i / 9));
    pile.solution.bodies.push_back(
        {Vec3(0, 0, -kKick), 1.0 / (1.0 + i % 5), Vec3::Zero(), kRadius});
    weight += kKick * (1.0 + i % 5);
  }
  const int floor = count;
  pile.solution.bodies.push_back({});
  for (int a = 0; a < count; ++a) {
    for (int b = 0; b < a; ++b) {
      const Vec3 d =
          pile.places[static_cast<std::size_t>(a)] - pile.places[static_cast<std::size_t>(b)];
      if (d.norm() < 1.001) pile.AddContact(a, b, d, 0.0, 0.4);
    }
    if (a < 9) pile.AddContact(a, floor, Vec3::UnitZ(), 0.0, 0.4);
  }
  const double at_start = ContactResidual(pile.problem, pile.solution).max;
  EXPECT_NEAR(at_start, kKick, 1e-9 * kKick);
  pile.Sweep(1000);
  EXPECT_LT(ContactResidual(pile.problem, pile.solution).max, 1e-10 * kKick);
  double carried = 0.0;
  for (std::size_t j = 0; j < pile.problem.contacts.size(); ++j) {
    if (pile.problem.contacts[j].b == floor) carried += pile.solution.impulses[j].z();
  }
  EXPECT_NEAR(carried, weight, 1e-9 * weight);
}

TEST(BlockGaussSeidel, SynchronisesOnceBeforeAndAfterEverySweep) {
  struct Counter final : VelocitySync {
    int starts = 0, combines = 0;
    void Start(std::span<const SphereBody>) override { ++starts; }
    void Combine(std::span<SphereBody>) override { ++combines; }
  } counter;
  Cluster cluster = CollapsingCluster();
  SolverParameters parameters;
  parameters.sweeps = 6;
  BlockGaussSeidel(cluster.problem, parameters, counter, cluster.solution);
  EXPECT_EQ(counter.starts, 1);
  EXPECT_EQ(counter.combines, 6);
}

}  // namespace
}  // namespace scree
