// Exchange of the velocities or displacements of shared bodies: the owner adds up the changes of
// all ranks, and all copies get the sum.
#include "engine/ranks/body_exchange.hpp"

#include <gtest/gtest.h>

#include <type_traits>

#include "tests/support/lists.hpp"

namespace scree::body_exchange_test {
namespace {

constexpr std::size_t kCount = test::DistributedCloud::kCount;
constexpr std::size_t kWalls = 2;

Vec3 InitialValue(ParticleId id) {
  const auto x = static_cast<double>(id);
  return {x, 2.0 * x, -3.0 * x};
}

SphereVelocity ValueOf(const SphereVelocity*, const Vec3& x) { return {x, -x}; }
DisplacementOfBody ValueOf(const DisplacementOfBody*, const Vec3& x) { return {x}; }

/// The vector from which ValueOf made the value.
Vec3 VectorOf(const SphereVelocity& value) {
  EXPECT_EQ(value.v, Vec3(-value.u));
  return value.v;
}
Vec3 VectorOf(const DisplacementOfBody& value) { return value.d; }

template <class Value>
class BodyExchangeOf : public testing::Test {
 protected:
  using Body = typename Value::Body;
  using Exchange = std::conditional_t<std::is_same_v<Value, SphereVelocity>, VelocityExchange,
                                      DisplacementExchange>;

  /// Particles in the unit cube, distributed over the ranks. Each rank has one body per particle,
  /// ghosts included, and one per wall.
  struct SharedBodies : test::DistributedCloud {
    std::vector<Body> bodies;

    explicit SharedBodies(const Subdomains& subdomains)
        : DistributedCloud(subdomains), bodies(particles.Size() + kWalls) {
      for (std::size_t i = 0; i < particles.Size(); ++i) {
        Set(i, InitialValue(particles.id[i]));
        bodies[i].inverse_mass = 1.0 + static_cast<double>(particles.id[i]);
      }
    }
    void Set(std::size_t i, const Vec3& x) {
      ValueOf(static_cast<const Value*>(nullptr), x).CopyTo(bodies[i]);
    }
    Vec3 Get(std::size_t i) const { return VectorOf(Value::Of(bodies[i])); }
    std::size_t IdOf(std::size_t i) const { return static_cast<std::size_t>(particles.id[i]); }

    Exchange MakeExchange() { return {world, halo.plan, particles.owned, timer, buffers}; }
    void Synchronise(Exchange& exchange) {
      exchange.StartScatter(bodies);
      exchange.StartGather(bodies);
      exchange.FinishGather(bodies);
    }
    /// Changes all bodies and synchronises them, three times. The changes are integers, whose sums
    /// have no rounding error in any order.
    /// @returns the sums over all ranks, by id
    std::vector<double> Change(Exchange& exchange) {
      test::Draw draw(static_cast<std::uint64_t>(world.Rank()));
      std::vector<double> sums(kCount, 0.0);
      exchange.Start(bodies);
      for (int round = 0; round < 3; ++round) {
        for (std::size_t i = 0; i < particles.Size(); ++i) {
          const int change = draw.Integer(-9, 9);
          Set(i, Get(i) + Vec3(0, change, 0));
          sums[IdOf(i)] += change;
        }
        Synchronise(exchange);
      }
      world.Sum(sums);
      return sums;
    }

    PhaseTimer timer;
    ExchangeBuffers<Value> buffers;
  };
};

using Values = testing::Types<SphereVelocity, DisplacementOfBody>;
TYPED_TEST_SUITE(BodyExchangeOf, Values);

TYPED_TEST(BodyExchangeOf, ChangesAddUpAtTheOwnerAndReturnToAllCopies) {
  for (const Subdomains& subdomains : test::DivideUnitCube(Communicator::World().Size())) {
    typename TestFixture::SharedBodies shared(subdomains);
    auto exchange = shared.MakeExchange();
    const std::vector<double> sums = shared.Change(exchange);
    for (std::size_t i = 0; i < shared.particles.Size(); ++i) {
      const ParticleId id = shared.particles.id[i];
      EXPECT_EQ(shared.Get(i), Vec3(InitialValue(id) + Vec3(0, sums[shared.IdOf(i)], 0)));
      EXPECT_EQ(shared.bodies[i].inverse_mass, 1.0 + static_cast<double>(id));
    }
    for (std::size_t w = 0; w < kWalls; ++w) {
      EXPECT_EQ(shared.Get(shared.particles.Size() + w), Vec3::Zero());
    }
  }
}

TYPED_TEST(BodyExchangeOf, AllCopiesHaveEqualBitsAfterAnExchange) {
  for (const Subdomains& subdomains : test::DivideUnitCube(Communicator::World().Size())) {
    typename TestFixture::SharedBodies shared(subdomains);
    test::Draw draw(10 + static_cast<std::uint64_t>(shared.world.Rank()));
    auto exchange = shared.MakeExchange();
    exchange.Start(shared.bodies);
    for (std::size_t i = 0; i < shared.particles.Size(); ++i) {
      shared.Set(i, shared.Get(i) + draw.Vector(0.1));
    }
    shared.Synchronise(exchange);
    // Each id has one owner, so that Sum only adds zeros, which keeps the bits.
    std::vector<double> owner_values(kCount, 0.0);
    for (std::size_t i = 0; i < shared.particles.owned; ++i) {
      owner_values[shared.IdOf(i)] = shared.Get(i).x();
    }
    shared.world.Sum(owner_values);
    for (std::size_t i = 0; i < shared.particles.Size(); ++i) {
      EXPECT_EQ(shared.Get(i).x(), owner_values[shared.IdOf(i)]);
    }
  }
}

TYPED_TEST(BodyExchangeOf, GatherCopiesTheOwnersValuesToAllGhosts) {
  for (const Subdomains& subdomains : test::DivideUnitCube(Communicator::World().Size())) {
    typename TestFixture::SharedBodies shared(subdomains);
    auto exchange = shared.MakeExchange();
    for (std::size_t i = 0; i < shared.particles.Size(); ++i) {
      const bool is_owned = i < shared.particles.owned;
      shared.Set(i, is_owned ? Vec3(2.0 * shared.Get(i)) : Vec3::Constant(-1.0));
    }
    exchange.Gather(shared.bodies);
    for (std::size_t i = 0; i < shared.particles.Size(); ++i) {
      EXPECT_EQ(shared.Get(i), Vec3(2.0 * InitialValue(shared.particles.id[i])));
    }
  }
}

}  // namespace
}  // namespace scree::body_exchange_test
