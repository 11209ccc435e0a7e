// Relaxations and sweeps of bodies of any shape with the kernels for packets of eight contacts.
#include "solvers/sweeps/wide_relaxation.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <vector>

#include "solvers/sweeps/block_gauss_seidel.hpp"
#include "solvers/sweeps/block_jacobi.hpp"
#include "solvers/sweeps/general_relaxation.hpp"
#include "solvers/sweeps/residual.hpp"
#include "tests/support/clump_contacts.hpp"
#include "tests/support/contact_problem.hpp"

namespace scree::wide_relaxation_test {
namespace {

using test::ClumpContact;
using test::Draw;
using test::Sweep;

/// Clumps on a line. Each touches the next and the fifth clump after it.
struct Grains {
  std::vector<RigidBody> bodies;
  std::vector<Vec3> positions;
  std::vector<Contact> contacts;
  std::vector<ContactArms> arms;
  std::vector<Vec3> impulses;

  void AddContact(Draw& draw, Index a, Index b) {
    const Vec3 &x_a = positions[static_cast<std::size_t>(a)],
               &x_b = positions[static_cast<std::size_t>(b)];
    Contact contact;
    contact.a = a;
    contact.b = b;
    contact.normal = ((x_a - x_b).normalized() + draw.Vector(0.3)).normalized();
    const Vec3 point = 0.5 * (x_a + x_b) + draw.Vector(0.4);
    const ContactArms contact_arms = {point - x_a, point - x_b};
    contact.bias = draw.Uniform(-0.2, 0.1);
    contact.friction = draw.Uniform(0.1, 1.0);
    contact.effective_mass =
        1.0 / (NormalMobility(bodies[static_cast<std::size_t>(a)], contact_arms.a, contact.normal) +
               NormalMobility(bodies[static_cast<std::size_t>(b)], contact_arms.b, contact.normal));
    contacts.push_back(contact);
    arms.push_back(contact_arms);
    impulses.push_back(Vec3::Zero());
  }

  explicit Grains(int count) {
    Draw draw(31);
    for (int i = 0; i < count; ++i) {
      Vec3 unused;
      bodies.push_back(test::RandomClump(draw, Vec3::UnitX(), unused));
      positions.push_back(Vec3(1.5 * i, 0.0, 0.0) + draw.Vector(0.5));
      bodies.back().v -= 0.1 * positions.back();  // so that they collapse
    }
    for (int i = 0; i + 1 < count; ++i) {
      AddContact(draw, i, i + 1);
      if (i % 3 == 0) AddContact(draw, i + 1, i);  // the same pair a second time
      if (i + 5 < count) AddContact(draw, i + 5, i);
    }
  }

  ContactBatches Batches() const {
    ContactBatches batches;
    batches.Begin(static_cast<Index>(bodies.size()), bodies.size(), BodyKind::kRigid);
    for (std::size_t j = 0; j < contacts.size(); ++j) {
      batches.Add(contacts[j], arms[j], impulses[j]);
    }
    batches.End();
    return batches;
  }

  Eigen::Matrix<double, 6, 1> Momenta(const std::vector<RigidBody>& current) const {
    Eigen::Matrix<double, 6, 1> sum = Eigen::Matrix<double, 6, 1>::Zero();
    for (std::size_t i = 0; i < current.size(); ++i) {
      const Vec3 p = current[i].v / current[i].inverse_mass;
      sum.head<3>() += p;
      sum.tail<3>() +=
          positions[i].cross(p) + current[i].InverseInertia().inverse() * current[i].omega;
    }
    return sum;
  }
};

constexpr int kGrains = 60;
constexpr std::pair<Kernel, ContactLaw> kLaws[] = {
    {Kernel::kMaxDissipation, ContactLaw::kMaxDissipation},
    {Kernel::kCoulomb, ContactLaw::kCoulomb}};
constexpr double kRounding = 1e-12;  // with velocities of order one

TEST(WideRelaxation, PacketsAreRelaxedLikeSingleContacts) {
  for (const auto& [kernel, law] : kLaws) {
    Grains grains(kGrains);
    ContactBatches batches = grains.Batches();
    std::vector<RigidBody> bodies = grains.bodies, scalar_bodies = grains.bodies;
    SolverParameters parameters;
    parameters.kernel = kernel;
    parameters.sweeps = 5;
    Sweep(parameters, batches, bodies);
    // The reference relaxes contacts in the order of the batches. The contacts of a batch share no
    // body, so their order does not matter.
    std::vector<std::size_t> order(grains.contacts.size());
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(), [&](std::size_t i, std::size_t j) {
      return batches.SlotOf(i).batch < batches.SlotOf(j).batch;
    });
    for (int sweep = 0; sweep < parameters.sweeps; ++sweep) {
      for (const std::size_t j : order) {
        const Contact& contact = grains.contacts[j];
        RigidBody& a = scalar_bodies[static_cast<std::size_t>(contact.a)];
        RigidBody& b = scalar_bodies[static_cast<std::size_t>(contact.b)];
        Vec3& impulse = grains.impulses[j];
        const Vec3 solved =
            SolveByGeneralKernel(contact, grains.arms[j], law, impulse, a, b).impulse;
        ApplyImpulse(grains.arms[j], solved - impulse, a, b);
        impulse = solved;
      }
    }
    for (std::size_t j = 0; j < grains.impulses.size(); ++j) {
      EXPECT_LT((batches.Impulse(j) - grains.impulses[j]).norm(), kRounding) << j;
    }
    for (std::size_t i = 0; i < bodies.size(); ++i) {
      EXPECT_LT((bodies[i].v - scalar_bodies[i].v).norm(), kRounding);
      EXPECT_LT((bodies[i].omega - scalar_bodies[i].omega).norm(), kRounding);
    }
  }
}

TEST(WideRelaxation, MomentaAreConservedAndVelocitiesMatchTheImpulses) {
  const Grains grains(kGrains);
  for (const Scheme scheme : {Scheme::kGaussSeidel, Scheme::kJacobi}) {
    ContactBatches batches = grains.Batches();
    std::vector<RigidBody> bodies = grains.bodies, expected = grains.bodies;
    SolverParameters parameters;
    parameters.kernel = Kernel::kMaxDissipation;
    parameters.scheme = scheme;
    if (scheme == Scheme::kJacobi) {
      test::NoSyncOf<RigidBody> no_sync;
      KernelScratch kernels;
      JacobiScratch jacobi;
      std::vector<std::int64_t> keys(bodies.size());
      std::iota(keys.begin(), keys.end(), 100);
      BlockJacobi(parameters, bodies.size(), keys, no_sync, StartingImpulses::kApplied, batches,
                  bodies, kernels, jacobi);
    } else {
      Sweep(parameters, batches, bodies);
    }
    double largest = 0.0;
    for (std::size_t j = 0; j < batches.Size(); ++j) {
      largest = std::max(largest, batches.Impulse(j).norm());
      ApplyImpulse(grains.arms[j], batches.Impulse(j),
                   expected[static_cast<std::size_t>(grains.contacts[j].a)],
                   expected[static_cast<std::size_t>(grains.contacts[j].b)]);
    }
    EXPECT_GT(largest, 0.1);
    for (std::size_t i = 0; i < bodies.size(); ++i) {
      EXPECT_LT((bodies[i].v - expected[i].v).norm(), kRounding);
      EXPECT_LT((bodies[i].omega - expected[i].omega).norm(), kRounding);
    }
    const auto momenta_before = grains.Momenta(grains.bodies),
               momenta_after = grains.Momenta(bodies);
    EXPECT_LT((momenta_after - momenta_before).norm(), kRounding * momenta_before.norm());
  }
}

TEST(WideRelaxation, SweepsReachTheTolerance) {
  constexpr double kTolerance = 1e-9;
  for (const auto& [kernel, law] : kLaws) {
    const Grains grains(kGrains);
    ContactBatches batches = grains.Batches();
    std::vector<RigidBody> bodies = grains.bodies;
    SolverParameters parameters;
    parameters.kernel = kernel;
    parameters.tolerance = kTolerance;
    parameters.max_sweeps = 100000;
    const SolveReport report = Sweep(parameters, batches, bodies);
    EXPECT_EQ(report.converged, std::optional<bool>(true));
    EXPECT_GT(report.sweeps, 10);
    const Residual residual = ContactResidual(batches, batches.Size(), bodies, law);
    EXPECT_LT(residual.max, 2.0 * kTolerance);
    EXPECT_EQ(residual.contacts, static_cast<std::int64_t>(grains.contacts.size()));
  }
}

TEST(WideRelaxation, StartingImpulsesAreApplied) {
  Grains grains(kGrains);
  SolverParameters parameters;
  parameters.kernel = Kernel::kMaxDissipation;
  parameters.sweeps = 3;
  ContactBatches batches = grains.Batches();
  std::vector<RigidBody> bodies = grains.bodies;
  Sweep(parameters, batches, bodies);
  for (std::size_t j = 0; j < batches.Size(); ++j) grains.impulses[j] = batches.Impulse(j);
  ContactBatches second_half = grains.Batches();
  std::vector<RigidBody> second_half_bodies = grains.bodies;
  Sweep(parameters, second_half, second_half_bodies, StartingImpulses::kToApply);
  parameters.sweeps = 6;  // in one solve
  for (Vec3& impulse : grains.impulses) impulse.setZero();
  ContactBatches single_solve = grains.Batches();
  Sweep(parameters, single_solve, grains.bodies);
  for (std::size_t j = 0; j < second_half.Size(); ++j) {
    EXPECT_LT((second_half.Impulse(j) - single_solve.Impulse(j)).norm(), kRounding);
  }
}

ClumpContact SwapBodies(const ClumpContact& contact) {
  ClumpContact swapped = contact;
  std::swap(swapped.a, swapped.b);
  std::swap(swapped.arms.a, swapped.arms.b);
  swapped.contact.normal = Vec3::Zero() - contact.contact.normal;
  return swapped;
}

template <ContactLaw kLaw>
Vec3 RelaxInPacket(const ClumpContact& clumps, const Vec3& impulse) {
  ContactBatches batches;
  batches.Begin(2, 2, BodyKind::kRigid);
  Contact contact = clumps.contact;
  contact.a = 0;
  contact.b = 1;
  batches.Add(contact, clumps.arms, impulse);
  batches.End();
  std::vector<RigidBody> bodies = {clumps.a, clumps.b, {}};
  const BatchBodies<RigidBody> packet(batches.All()[0], &batches.Arms()[0], bodies.data());
  KernelState<kLaw> kernel;
  SetUpKernel(batches.All()[0], packet, kernel);
  Relaxed8 relaxed =
      SolveByKernel(batches.All()[0], kernel, packet.RelativeVelocity(NormalOf(batches.All()[0])));
  EXPECT_EQ(relaxed.scalar_lanes & ~1u, 0u);
  if (relaxed.scalar_lanes != 0) {
    SolveScalarLanes(batches.All()[0], &batches.Arms()[0], bodies.data(), kernel, relaxed);
  }
  for (std::size_t lane = 1; lane < kLanes; ++lane) EXPECT_EQ(relaxed.impulse.x[lane], 0.0);
  return {relaxed.impulse.x[0], relaxed.impulse.y[0], relaxed.impulse.z[0]};
}

TEST(WideRelaxation, SwappingTheBodiesOfAContactChangesNoBit) {
  Draw draw(32);
  for (int k = 0; k < 3000; ++k) {
    ClumpContact contact = test::RandomClumpContact(draw);
    if (k % 10 == 0) contact.contact.normal = Vec3(0.0, k % 20 == 0 ? -1.0 : 1.0, 0.0);
    if (k % 10 == 1)
      contact.contact.normal = Vec3(draw.Uniform(-1.0, 1.0) < 0.0 ? -0.6 : 0.6, 0.8, 0.0);
    if (k % 50 == 2) contact.contact.friction = 120.0;  // solved by the scalar kernel
    const Vec3 impulse = k % 2 == 0 ? Vec3(Vec3::Zero()) : draw.Vector(0.1);
    const ClumpContact swapped = SwapBodies(contact);
    EXPECT_EQ(RelaxInPacket<ContactLaw::kMaxDissipation>(contact, impulse),
              -RelaxInPacket<ContactLaw::kMaxDissipation>(swapped, -impulse));
    EXPECT_EQ(RelaxInPacket<ContactLaw::kCoulomb>(contact, impulse),
              -RelaxInPacket<ContactLaw::kCoulomb>(swapped, -impulse));
  }
}

TEST(WideRelaxation, ScalarLanesAreSolvedAndCounted) {
  Grains grains(kGrains);
  for (std::size_t j = 0; j < grains.contacts.size(); j += 4) grains.contacts[j].friction = 200.0;
  ContactBatches batches = grains.Batches();
  std::vector<RigidBody> bodies = grains.bodies;
  SolverParameters parameters;
  parameters.kernel = Kernel::kMaxDissipation;
  parameters.sweeps = 7;
  const SolveReport report = Sweep(parameters, batches, bodies);
  const auto rough_contacts = static_cast<std::int64_t>((grains.contacts.size() + 3) / 4);
  EXPECT_GE(report.scalar_relaxations, 7 * rough_contacts);
  EXPECT_LT(report.scalar_relaxations, 7 * rough_contacts + 7);
  const auto momenta_before = grains.Momenta(grains.bodies), momenta_after = grains.Momenta(bodies);
  EXPECT_LT((momenta_after - momenta_before).norm(), kRounding * momenta_before.norm());
}

}  // namespace
}  // namespace scree::wide_relaxation_test
