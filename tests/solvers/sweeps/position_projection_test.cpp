// The projection of positions, compared with relaxing one contact at a time, and its invariants.
#include "solvers/sweeps/position_projection.hpp"

#include <gtest/gtest.h>

#include <numeric>

#include "tests/support/cluster.hpp"
#include "tests/support/no_sync.hpp"

namespace scree::position_projection_test {
namespace {

using test::Cluster;
using test::NoBodySync;
constexpr double kDt = 1e-2;

/// Spheres of a lattice with gaps of both signs, and their batches.
struct OverlappingSpheres {
  Cluster cluster = test::CollapsingCluster();
  std::vector<double> gaps;
  std::vector<double> old_impulses;  // p of the previous step
  ContactBatches batches;
  SweepOrder order;

  /// @param copies  number of equal clusters
  /// @param shared  number of contacts with shared bodies
  explicit OverlappingSpheres(int copies = 1, std::size_t shared = 0) {
    const std::size_t bodies = cluster.solution.bodies.size();
    const std::size_t contacts = cluster.problem.contacts.size();
    for (int copy = 1; copy < copies; ++copy) {
      for (std::size_t i = 0; i < bodies; ++i) {
        cluster.solution.bodies.push_back(cluster.solution.bodies[i]);
      }
      for (std::size_t j = 0; j < contacts; ++j) {
        Contact contact = cluster.problem.contacts[j];
        contact.a += static_cast<Index>(copy) * static_cast<Index>(bodies);
        contact.b += static_cast<Index>(copy) * static_cast<Index>(bodies);
        cluster.problem.contacts.push_back(contact);
      }
    }
    test::Draw draw(5);
    cluster.solution.impulses.resize(cluster.problem.contacts.size(), Vec3::Zero());
    FillBatches(cluster, batches, shared);
    old_impulses.resize(cluster.problem.contacts.size());
    for (std::size_t j = 0; j < old_impulses.size(); ++j) gaps.push_back(draw.Uniform(-0.02, 0.01));
  }

  void Project(const ProjectionParameters& parameters, BodySync<Displacement>& sync,
               PositionProjection& projection) {
    projection.Begin(gaps.size());
    for (std::size_t j = 0; j < gaps.size(); ++j) {
      projection.SetContact(batches, j, gaps[j], old_impulses[j]);
    }
    projection.End(parameters, /*reach=*/1.0, batches, cluster.solution.bodies.size());
    order.Set(sync.Synced(), batches.Colouring());
    projection.Sweep(order, sync, batches, cluster.solution.bodies);
  }
};

std::vector<std::size_t> OrderOf(const ContactBatches& batches, const SweepOrder& sweeps) {
  std::vector<std::size_t> order(batches.Size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::vector<std::size_t> visit_of_batch(batches.Colouring().Batches());
  std::size_t visits = 0;
  for (std::size_t p = 0; p < sweeps.Chunks(); ++p) {
    for (std::size_t k = sweeps.FirstOf(p); k < sweeps.EndOf(p); ++k) visit_of_batch[k] = visits++;
  }
  std::ranges::sort(order, {}, [&](std::size_t j) {
    const ContactSlot slot = batches.SlotOf(j);
    return std::pair(visit_of_batch[slot.batch], slot.lane);
  });
  return order;
}

/// Reference: one contact at a time, in the order of the sweeps.
std::vector<Vec3> ReferenceDisplacements(const OverlappingSpheres& problem,
                                         const ProjectionParameters& parameters) {
  const std::vector<Contact>& contacts = problem.cluster.problem.contacts;
  const std::vector<SphereBody>& bodies = problem.cluster.solution.bodies;
  const std::vector<std::size_t> order = OrderOf(problem.batches, problem.order);
  std::vector<Vec3> d(bodies.size(), Vec3::Zero());
  std::vector<double> p(contacts.size());
  for (std::size_t j = 0; j < p.size(); ++j) {
    const auto a = static_cast<std::size_t>(contacts[j].a);
    const auto b = static_cast<std::size_t>(contacts[j].b);
    p[j] = kProjectionMemory * problem.old_impulses[j];
    d[a] += bodies[a].inverse_mass * p[j] * contacts[j].normal;
    d[b] -= bodies[b].inverse_mass * p[j] * contacts[j].normal;
  }
  for (int sweep = 0; sweep < parameters.sweeps; ++sweep) {
    for (const std::size_t j : order) {
      const auto a = static_cast<std::size_t>(contacts[j].a);
      const auto b = static_cast<std::size_t>(contacts[j].b);
      const Vec3& n = contacts[j].normal;
      double gap =
          problem.gaps[j] + parameters.dt * n.dot(bodies[a].v - bodies[b].v) + parameters.slop;
      if (gap < 0.0) gap = std::max(parameters.fraction * gap, -parameters.max_correction);
      const double weight = bodies[a].inverse_mass + bodies[b].inverse_mass;
      const double solved = std::max(0.0, p[j] - (gap + n.dot(d[a] - d[b])) / weight);
      d[a] += bodies[a].inverse_mass * (solved - p[j]) * n;
      d[b] -= bodies[b].inverse_mass * (solved - p[j]) * n;
      p[j] = solved;
    }
  }
  return d;
}

TEST(PositionProjection, DisplacementsMatchOneContactAtATime) {
  constexpr double kRounding = 1e-15;  // a hundred additions of numbers below 0.02
  for (const bool is_warm : {false, true}) {
    for (const int sweeps : {0, 1, 3, 20}) {
      OverlappingSpheres problem;
      test::Draw draw(6);
      for (double& old_impulse : problem.old_impulses) {
        old_impulse = is_warm ? std::max(0.0, draw.Uniform(-0.01, 0.01)) : 0.0;
      }
      const ProjectionParameters parameters = {sweeps, kDt, 1e-3, 0.8, 0.01};
      PositionProjection projection;
      NoBodySync<Displacement> sync;
      problem.Project(parameters, sync, projection);
      const std::vector<Vec3> expected = ReferenceDisplacements(problem, parameters);
      double total_motion = 0.0;
      for (std::size_t i = 0; i < expected.size(); ++i) {
        EXPECT_LT((projection.Displacements()[i].d - expected[i]).norm(),
                  is_warm ? 10.0 * kRounding : kRounding)
            << sweeps;
        total_motion += expected[i].norm();
      }
      EXPECT_EQ(total_motion > 0.01, is_warm || sweeps > 0);
    }
  }
}

/// The cluster's bodies with inertias and arms that no sphere has.
struct IrregularBodies {
  OverlappingSpheres problem;
  std::vector<RigidBody> bodies;
  std::vector<ContactArms> arms;
  ContactBatches batches;

  IrregularBodies() {
    test::Draw draw(9);
    for (const SphereBody& sphere : problem.cluster.solution.bodies) {
      RigidBody& body = bodies.emplace_back();
      body.v = sphere.v;
      body.inverse_mass = sphere.inverse_mass;
      body.omega = sphere.u;
      Mat3 root = Mat3::Identity();
      for (int axis = 0; axis < 3; ++axis) root.col(axis) += draw.Vector(0.5);
      body.SetInverseInertia(root * root.transpose());
    }
    batches.Begin(problem.cluster.problem.first_fixed, bodies.size(), BodyKind::kRigid);
    for (Contact& contact : problem.cluster.problem.contacts) {
      arms.push_back({draw.Vector(0.5), draw.Vector(0.5)});
      const auto a = static_cast<std::size_t>(contact.a), b = static_cast<std::size_t>(contact.b);
      contact.effective_mass = 1.0 / (NormalMobility(bodies[a], arms.back().a, contact.normal) +
                                      NormalMobility(bodies[b], arms.back().b, contact.normal));
      batches.Add(contact, arms.back(), Vec3::Zero());
    }
    batches.End();
  }

  /// Reference: one contact at a time, where velocities stand for d and φ.
  std::vector<RigidBody> ReferenceBodies(const ProjectionParameters& parameters,
                                         const SweepOrder& order) const {
    std::vector<RigidBody> displaced = bodies;
    for (RigidBody& body : displaced) body.v = body.omega = Vec3::Zero();
    std::vector<double> p(arms.size(), 0.0);
    for (int sweep = 0; sweep < parameters.sweeps; ++sweep) {
      for (const std::size_t j : OrderOf(batches, order)) {
        const Contact& contact = problem.cluster.problem.contacts[j];
        const auto a = static_cast<std::size_t>(contact.a), b = static_cast<std::size_t>(contact.b);
        const Vec3& n = contact.normal;
        const double speed = n.dot(RelativeVelocity(bodies[a], bodies[b], arms[j]));
        double gap = problem.gaps[j] + parameters.dt * speed + parameters.slop;
        if (gap < 0.0) gap = std::max(parameters.fraction * gap, -parameters.max_correction);
        const double end_gap = gap + n.dot(RelativeVelocity(displaced[a], displaced[b], arms[j]));
        const double solved = std::max(0.0, p[j] - end_gap * contact.effective_mass);
        ApplyImpulse(arms[j], (solved - p[j]) * n, displaced[a], displaced[b]);
        p[j] = solved;
      }
    }
    return displaced;
  }
};

TEST(PositionProjection, RotationsMatchOneContactAtATime) {
  constexpr double kRounding = 1e-14;
  IrregularBodies irregular;
  const ProjectionParameters parameters = {20, kDt, 1e-3, 0.8, 0.01, true};
  PositionProjection projection;
  NoBodySync<RigidBody> sync;
  SweepOrder order;
  projection.Begin(irregular.arms.size());
  for (std::size_t j = 0; j < irregular.arms.size(); ++j) {
    projection.SetContact(irregular.batches, j, irregular.problem.gaps[j], 0.0);
  }
  projection.End(parameters, 1.0, irregular.batches, irregular.bodies.size());
  order.Set(sync.Synced(), irregular.batches.Colouring());
  projection.Sweep(order, sync, irregular.batches, irregular.bodies);
  const std::vector<RigidBody> expected = irregular.ReferenceBodies(parameters, order);
  double total_rotation = 0.0;
  for (std::size_t i = 0; i < expected.size(); ++i) {
    EXPECT_LT((projection.Displacements()[i].d - expected[i].v).norm(), kRounding);
    EXPECT_LT((projection.RotatedBodies()[i].omega - expected[i].omega).norm(), kRounding);
    total_rotation += expected[i].omega.norm();
  }
  EXPECT_GT(total_rotation, 0.1);
}

/// Has no shared bodies, but requires an exchange after each sweep, so that no sweeps overlap.
struct IdleSync final : NoBodySync<Displacement> {
  SyncedBodies Synced() const override { return SyncedBodies::kAny; }
};

TEST(PositionProjection, PipelinedSweepsHaveTheBitsOfSequentialSweeps) {
  OverlappingSpheres problem(40);  // several chunks
  ASSERT_GT(problem.batches.Colouring().Chunks(), 5u);
  const ProjectionParameters parameters = {11, kDt, 1e-3, 0.8, 0.01};
  PositionProjection pipelined, sequential;
  NoBodySync<Displacement> no_sync;
  IdleSync idle;
  problem.Project(parameters, no_sync, pipelined);
  problem.Project(parameters, idle, sequential);
  for (std::size_t i = 0; i < problem.cluster.solution.bodies.size(); ++i) {
    EXPECT_EQ(pipelined.Displacements()[i].d, sequential.Displacements()[i].d);
  }
}

/// Declares the first bodies as shared with other ranks, and checks that they do not move while
/// messages travel.
class SharingSync final : public NoBodySync<Displacement> {
 public:
  explicit SharingSync(std::size_t shared) : shared_(shared) {}
  SyncedBodies Synced() const override { return SyncedBodies::kShared; }
  void StartScatter(std::span<const Displacement> bodies) override {
    sent_.clear();
    for (const Displacement& body : bodies.first(shared_)) sent_.push_back(body.d);
  }
  void StartGather(std::span<Displacement> bodies) override { Compare(bodies); }
  void FinishGather(std::span<Displacement> bodies) override { Compare(bodies); }

  int comparisons = 0;

 private:
  void Compare(std::span<Displacement> bodies) {
    for (std::size_t i = 0; i < shared_; ++i) EXPECT_EQ(bodies[i].d, sent_[i]);
    ++comparisons;
  }
  std::size_t shared_;
  std::vector<Vec3> sent_;
};

TEST(PositionProjection, SharedBodiesDoNotMoveWhileMessagesTravel) {
  constexpr double kRounding = 1e-15;
  const std::size_t bodies = OverlappingSpheres().cluster.solution.bodies.size();
  const std::size_t contacts = OverlappingSpheres().cluster.problem.contacts.size();
  OverlappingSpheres problem(40, contacts);  // bodies of the first cluster are shared
  const ProjectionParameters parameters = {11, kDt, 1e-3, 0.8, 0.01};
  SharingSync sync(bodies);
  PositionProjection projection;
  problem.Project(parameters, sync, projection);
  EXPECT_EQ(sync.comparisons, 2 * (1 + parameters.sweeps));
  const std::vector<Vec3> expected = ReferenceDisplacements(problem, parameters);
  for (std::size_t i = 0; i < expected.size(); ++i) {
    EXPECT_LT((projection.Displacements()[i].d - expected[i]).norm(), kRounding);
  }
}

TEST(PositionProjection, KeepsTheCentreOfMassAndTheVelocities) {
  constexpr double kRounding = 1e-15;
  OverlappingSpheres problem;
  const std::vector<SphereBody> start = problem.cluster.solution.bodies;
  PositionProjection projection;
  NoBodySync<Displacement> sync;
  problem.Project({5, kDt, 0.0, 1.0, 1.0}, sync, projection);
  Vec3 moment = Vec3::Zero();
  double total_motion = 0.0;
  for (std::size_t i = 0; i < start.size(); ++i) {
    moment += projection.Displacements()[i].d / start[i].inverse_mass;
    total_motion += projection.Displacements()[i].d.norm() / start[i].inverse_mass;
    EXPECT_EQ(start[i].v, problem.cluster.solution.bodies[i].v);
    EXPECT_EQ(start[i].u, problem.cluster.solution.bodies[i].u);
  }
  EXPECT_GT(total_motion, 0.1);
  EXPECT_LT(moment.norm(), kRounding * (1.0 + total_motion));
}

TEST(PositionProjection, SweepsLeaveNoOverlapBeyondTheSlop) {
  constexpr double kSlop = 1e-3;
  OverlappingSpheres problem;
  PositionProjection projection;
  NoBodySync<Displacement> sync;
  problem.Project({3000, kDt, kSlop, 1.0, 1.0}, sync, projection);
  double min_gap = 1.0;
  for (std::size_t j = 0; j < problem.gaps.size(); ++j) {
    const Contact& contact = problem.cluster.problem.contacts[j];
    const auto a = static_cast<std::size_t>(contact.a), b = static_cast<std::size_t>(contact.b);
    const auto& bodies = problem.cluster.solution.bodies;
    const double gap = problem.gaps[j] + contact.normal.dot(kDt * (bodies[a].v - bodies[b].v) +
                                                            projection.Displacements()[a].d -
                                                            projection.Displacements()[b].d);
    min_gap = std::min(min_gap, gap);
    EXPECT_GE(projection.Impulse(problem.batches, j), 0.0);
    // Complementarity: a contact with an impulse keeps exactly the overlap that the slop allows.
    if (projection.Impulse(problem.batches, j) > 0.0) {
      EXPECT_NEAR(gap, -kSlop, 1e-9);
    }
  }
  EXPECT_GT(min_gap, -kSlop - 1e-9);
}

/// Displacement by which the projection lifts a sphere of unit mass above a fixed body. The sphere
/// approaches this body at 1 m/s.
double ProjectedLift(const ProjectionParameters& parameters, double gap, double old_impulse = 0.0) {
  std::vector<SphereBody> bodies(2);
  bodies[0].inverse_mass = 1.0;
  bodies[0].v = Vec3(0, 0, -1.0);
  ContactBatches batches;
  batches.Begin(1, 2);
  Contact contact;
  contact.effective_mass = 1.0;
  contact.b = 1;
  batches.Add(contact, Vec3::Zero());
  batches.End();
  PositionProjection projection;
  NoBodySync<Displacement> sync;
  projection.Begin(1);
  projection.SetContact(batches, 0, gap, old_impulse);
  projection.End(parameters, /*reach=*/1.0, batches, 2);
  SweepOrder order;
  order.Set(sync.Synced(), batches.Colouring());
  projection.Sweep(order, sync, batches, bodies);
  EXPECT_EQ(projection.Displacements()[1].d, Vec3::Zero());
  return projection.Displacements()[0].d.z();
}

TEST(PositionProjection, RemovesAFractionOfTheOverlapBeyondTheSlopUpToALimit) {
  constexpr double kRounding = 1e-16;
  // The motion of the step lowers the sphere by kDt.
  EXPECT_NEAR(ProjectedLift({2, kDt, 0.0, 0.5, 1.0}, -0.01), 0.5 * 0.02, kRounding);
  EXPECT_NEAR(ProjectedLift({2, kDt, 0.005, 0.5, 1.0}, -0.01), 0.5 * 0.015, kRounding);
  EXPECT_NEAR(ProjectedLift({2, kDt, 0.005, 0.5, 0.002}, -0.01), 0.002, kRounding);
  EXPECT_EQ(ProjectedLift({2, kDt, 0.0, 0.5, 1.0}, 0.011), 0.0);
  EXPECT_EQ(ProjectedLift({2, kDt, 0.021, 0.5, 1.0}, -0.01), 0.0);
  EXPECT_EQ(ProjectedLift({0, kDt, 0.0, 0.5, 1.0}, -0.01), 0.0);
}

TEST(PositionProjection, StoredImpulseOfAnOpenContactIsReduced) {
  // At the end of the step the sphere just touches the floor. The stored p would lift it far above.
  EXPECT_NEAR(ProjectedLift({1, kDt, 0.0, 1.0, 1.0}, kDt, 5.0), 0.0, 1e-15);
}

}  // namespace
}  // namespace scree::position_projection_test
