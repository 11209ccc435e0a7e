// Shared bodies: what ranks change on their copies adds up at the owner and returns to all copies.
#include "engine/ranks/velocity_exchange.hpp"

#include <gtest/gtest.h>

#include "tests/support/lists.hpp"

namespace scree {
namespace {

constexpr std::size_t kCount = test::SharedCloud::kCount;
constexpr std::size_t kWalls = 2;

/// The unit cube of a test, shared out, with one body per local particle and the walls.
struct Shared : test::SharedCloud {
  std::vector<SphereBody> bodies;

  explicit Shared(const Subdomains& subdomains) : SharedCloud(subdomains) {
    for (const ParticleId id : particles.id) {
      bodies.push_back({Start(id), 1.0 + static_cast<double>(id), -Start(id), 0.5});
    }
    bodies.resize(bodies.size() + kWalls);
  }
  static Vec3 Start(ParticleId id) {
    const auto x = static_cast<double>(id);
    return {x, 2.0 * x, -3.0 * x};
  }
};

void Combine(VelocityExchange& exchange, std::span<SphereBody> bodies) {
  exchange.SendChanges(bodies);
  exchange.TakeChanges(bodies);
  exchange.TakeSums(bodies);
}

TEST(VelocityExchange, ChangesAddUpAtTheOwnerAndReturnToAllCopies) {
  for (const Subdomains& subdomains : test::UnitCubes(Communicator::World().Size())) {
    Shared shared(subdomains);
    test::Draw draw(static_cast<std::uint64_t>(shared.world.Rank()));
    PhaseTimer timer;
    VelocityBuffers buffers;
    VelocityExchange exchange(shared.world, shared.halo.plan, shared.particles.owned, timer,
                              buffers);
    exchange.Start(shared.bodies);
    // Whole numbers add up without rounding, in any order.
    std::vector<double> expected_v(kCount, 0.0), expected_u(kCount, 0.0);
    for (int round = 0; round < 3; ++round) {
      for (std::size_t i = 0; i < shared.particles.Size(); ++i) {
        const auto id = static_cast<std::size_t>(shared.particles.id[i]);
        const int v = draw.Integer(-9, 9), u = draw.Integer(-9, 9);
        shared.bodies[i].v.y() += v;
        shared.bodies[i].u.z() += u;
        expected_v[id] += v;
        expected_u[id] += u;
      }
      Combine(exchange, shared.bodies);
    }
    shared.world.Sum(expected_v);
    shared.world.Sum(expected_u);
    for (std::size_t i = 0; i < shared.particles.Size(); ++i) {
      const ParticleId id = shared.particles.id[i];
      const auto k = static_cast<std::size_t>(id);
      EXPECT_EQ(shared.bodies[i].v, Vec3(Shared::Start(id) + Vec3(0, expected_v[k], 0)));
      EXPECT_EQ(shared.bodies[i].u, Vec3(-Shared::Start(id) + Vec3(0, 0, expected_u[k])));
      EXPECT_EQ(shared.bodies[i].inverse_mass, 1.0 + static_cast<double>(id));
    }
    for (std::size_t w = 0; w < kWalls; ++w) {
      EXPECT_EQ(shared.bodies[shared.particles.Size() + w].v, Vec3::Zero());
    }
  }
}

TEST(VelocityExchange, CopiesHaveEqualBitsAfterwards) {
  for (const Subdomains& subdomains : test::UnitCubes(Communicator::World().Size())) {
    Shared shared(subdomains);
    test::Draw draw(10 + static_cast<std::uint64_t>(shared.world.Rank()));
    PhaseTimer timer;
    VelocityBuffers buffers;
    VelocityExchange exchange(shared.world, shared.halo.plan, shared.particles.owned, timer,
                              buffers);
    exchange.Start(shared.bodies);
    for (SphereBody& body : shared.bodies) body.v += draw.Vector(0.1);
    Combine(exchange, shared.bodies);
    std::vector<double> owners(kCount, 0.0);  // adding zeros keeps the bits
    for (std::size_t i = 0; i < shared.particles.owned; ++i) {
      owners[static_cast<std::size_t>(shared.particles.id[i])] = shared.bodies[i].v.x();
    }
    shared.world.Sum(owners);
    for (std::size_t i = 0; i < shared.particles.Size(); ++i) {
      EXPECT_EQ(shared.bodies[i].v.x(), owners[static_cast<std::size_t>(shared.particles.id[i])]);
    }
  }
}

TEST(VelocityExchange, MeanOfTheCopiesCountsWhereTheMassIsSplit) {
  for (const Subdomains& subdomains : test::UnitCubes(Communicator::World().Size())) {
    Shared shared(subdomains);
    const std::size_t bodies = shared.bodies.size();
    // Each copy has a share, whether it changes anything or not.
    std::vector<Index> shares(bodies, 1);
    shared.halo.plan.ScatterAdd<Index>(
        shared.world, [](Index) { return Index{1}; },
        [&](Index owned, Index one) { shares[static_cast<std::size_t>(owned)] += one; });
    shared.halo.plan.Gather(shared.world, std::span(shares));
    PhaseTimer timer;
    VelocityBuffers buffers;
    VelocityExchange exchange(shared.world, shared.halo.plan, shared.particles.owned, timer,
                              buffers, shares);
    exchange.Start(shared.bodies);
    std::vector<double> sum(kCount, 0.0);
    test::Draw draw(7 + static_cast<std::uint64_t>(shared.world.Rank()));
    for (int round = 0; round < 3; ++round) {
      for (std::size_t i = 0; i < shared.particles.Size(); ++i) {
        const int change = draw.Integer(-9, 9);
        shared.bodies[i].v.y() += change;
        shared.bodies[i].u.z() -= change;
        sum[static_cast<std::size_t>(shared.particles.id[i])] += change;
      }
      Combine(exchange, shared.bodies);
    }
    shared.world.Sum(sum);
    constexpr double kRounding = 1e-12;  // of values up to some hundreds
    for (std::size_t i = 0; i < shared.particles.Size(); ++i) {
      const ParticleId id = shared.particles.id[i];
      const double mean = sum[static_cast<std::size_t>(id)] / shares[i];
      EXPECT_LT((shared.bodies[i].v - Shared::Start(id) - Vec3(0, mean, 0)).norm(), kRounding);
      EXPECT_LT((shared.bodies[i].u + Shared::Start(id) + Vec3(0, 0, mean)).norm(), kRounding);
    }
  }
}

TEST(VelocityExchange, RefreshGivesOwnersVelocitiesToAllCopies) {
  for (const Subdomains& subdomains : test::UnitCubes(Communicator::World().Size())) {
    Shared shared(subdomains);
    PhaseTimer timer;
    VelocityBuffers buffers;
    VelocityExchange exchange(shared.world, shared.halo.plan, shared.particles.owned, timer,
                              buffers);
    for (std::size_t i = 0; i < shared.particles.Size(); ++i) {
      const bool is_owned = i < shared.particles.owned;
      shared.bodies[i].v = is_owned ? Vec3(2.0 * shared.bodies[i].v) : Vec3::Constant(-1.0);
    }
    exchange.Refresh(shared.bodies);
    for (std::size_t i = 0; i < shared.particles.Size(); ++i) {
      EXPECT_EQ(shared.bodies[i].v, Vec3(2.0 * Shared::Start(shared.particles.id[i])));
    }
  }
}

}  // namespace
}  // namespace scree
