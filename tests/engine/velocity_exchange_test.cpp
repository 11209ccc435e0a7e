// Shared bodies: what ranks change on their copies adds up at the owner and returns to all copies.
#include "engine/velocity_exchange.hpp"

#include <gtest/gtest.h>

#include "tests/support/all_pairs.hpp"

namespace scree {
namespace {

constexpr std::size_t kCount = 200;
constexpr std::size_t kWalls = 2;
constexpr double kReach = 0.2;

/// The unit cube of a test, shared out, with one body per local particle and the walls.
struct Shared {
  Communicator world = Communicator::World();
  Particles particles;
  Halo halo;
  std::vector<SphereBody> bodies;

  explicit Shared(const Subdomains& subdomains) {
    const Particles all = test::RandomParticles(subdomains.WholeDomain().box, kCount, 0.08, 1);
    particles = test::OwnedBy(subdomains, world.Rank(), all);
    halo = BuildHalo(world, subdomains, kReach, particles);
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

TEST(VelocityExchange, ChangesAddUpAtTheOwnerAndReturnToAllCopies) {
  for (const Subdomains& subdomains : test::UnitCubes(Communicator::World().Size())) {
    Shared shared(subdomains);
    test::Draw draw(static_cast<std::uint64_t>(shared.world.Rank()));
    PhaseTimer timer;
    VelocityExchange exchange(shared.world, shared.halo.plan, shared.particles.owned, timer);
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
      exchange.Combine(shared.bodies);
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
    VelocityExchange exchange(shared.world, shared.halo.plan, shared.particles.owned, timer);
    exchange.Start(shared.bodies);
    for (SphereBody& body : shared.bodies) body.v += draw.Vector(0.1);
    exchange.Combine(shared.bodies);
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

TEST(VelocityExchange, CountsTheContactsThatOthersTreat) {
  for (const Subdomains& subdomains : test::UnitCubes(Communicator::World().Size())) {
    Shared shared(subdomains);
    const Particles& particles = shared.particles;
    const NeighborList list =
        BuildNeighborList(particles, shared.halo, {}, {}, 0.04, shared.world.Rank());
    std::vector<DetectedContact> contacts;
    for (std::size_t i = 0; i < particles.owned; ++i) {
      for (Index k = list.first[i]; k < list.first[i + 1]; ++k) {
        const Index partner = list.partner[static_cast<std::size_t>(k)];
        contacts.push_back({Vec3::UnitX(), 0.0, static_cast<Index>(i), partner});
      }
      const auto wall = static_cast<Index>(particles.Size() + i % kWalls);
      contacts.push_back({Vec3::UnitX(), 0.0, static_cast<Index>(i), wall});
    }
    const std::vector<Index> elsewhere =
        CountContactsElsewhere(shared.world, shared.halo.plan, contacts, particles.Size() + kWalls);
    if (shared.halo.plan.IsEmpty()) {
      EXPECT_TRUE(elsewhere.empty());
      continue;
    }
    ASSERT_EQ(elsewhere.size(), particles.Size() + kWalls);

    std::vector<std::int64_t> total(kCount, 0);
    std::vector<std::int64_t> here(elsewhere.size(), 0);
    for (const DetectedContact& contact : contacts) {
      for (const Index body : {contact.a, contact.b}) {
        const auto i = static_cast<std::size_t>(body);
        ++here[i];
        if (i < particles.Size()) ++total[static_cast<std::size_t>(particles.id[i])];
      }
    }
    shared.world.Sum(total);
    for (std::size_t i = 0; i < particles.Size(); ++i) {
      EXPECT_EQ(elsewhere[i], total[static_cast<std::size_t>(particles.id[i])] - here[i]);
    }
    for (std::size_t w = 0; w < kWalls; ++w) EXPECT_EQ(elsewhere[particles.Size() + w], 0);
  }
}

}  // namespace
}  // namespace scree
