// Displacements of shared bodies: what ranks change on their copies adds up at the owner and
// returns to all copies.
#include "engine/ranks/displacement_exchange.hpp"

#include <gtest/gtest.h>

#include "tests/support/lists.hpp"

namespace scree {
namespace {

constexpr std::size_t kCount = test::SharedCloud::kCount;

/// The unit cube of a test, shared out, with one body per local particle and two walls.
struct Shared : test::SharedCloud {
  std::vector<Displacement> bodies;

  explicit Shared(const Subdomains& subdomains)
      : SharedCloud(subdomains), bodies(particles.Size() + 2) {}
};

void Combine(DisplacementExchange& exchange, std::span<Displacement> bodies) {
  exchange.SendChanges(bodies);
  exchange.TakeChanges(bodies);
  exchange.TakeSums(bodies);
}

/// Three rounds of whole numbers, which add up without rounding in any order.
/// @returns their sums by id
std::vector<double> Change(DisplacementExchange& exchange, Shared& shared) {
  test::Draw draw(static_cast<std::uint64_t>(shared.world.Rank()));
  std::vector<double> sums(kCount, 0.0);
  exchange.Start(shared.bodies);
  for (int round = 0; round < 3; ++round) {
    for (std::size_t i = 0; i < shared.particles.Size(); ++i) {
      const int change = draw.Integer(-9, 9);
      shared.bodies[i].d.y() += change;
      sums[static_cast<std::size_t>(shared.particles.id[i])] += change;
    }
    Combine(exchange, shared.bodies);
  }
  shared.world.Sum(sums);
  return sums;
}

TEST(DisplacementExchange, ChangesAddUpAtTheOwnerAndReturnToAllCopies) {
  for (const Subdomains& subdomains : test::UnitCubes(Communicator::World().Size())) {
    Shared shared(subdomains);
    PhaseTimer timer;
    DisplacementBuffers buffers;
    DisplacementExchange exchange(shared.world, shared.halo.plan, shared.particles.owned, timer,
                                  buffers);
    const std::vector<double> sums = Change(exchange, shared);
    for (std::size_t i = 0; i < shared.particles.Size(); ++i) {
      const auto id = static_cast<std::size_t>(shared.particles.id[i]);
      EXPECT_EQ(shared.bodies[i].d, Vec3(0, sums[id], 0));
    }
  }
}

TEST(DisplacementExchange, MeanOfTheCopiesCountsWhereTheMassIsSplit) {
  for (const Subdomains& subdomains : test::UnitCubes(Communicator::World().Size())) {
    Shared shared(subdomains);
    std::vector<Index> shares(shared.bodies.size(), 1);
    shared.halo.plan.ScatterAdd<Index>(
        shared.world, [](Index) { return Index{1}; },
        [&](Index owned, Index one) { shares[static_cast<std::size_t>(owned)] += one; });
    shared.halo.plan.Gather(shared.world, std::span(shares));
    PhaseTimer timer;
    DisplacementBuffers buffers;
    DisplacementExchange exchange(shared.world, shared.halo.plan, shared.particles.owned, timer,
                                  buffers, shares);
    const std::vector<double> sums = Change(exchange, shared);
    constexpr double kRounding = 1e-12;  // of values up to some hundreds
    for (std::size_t i = 0; i < shared.particles.Size(); ++i) {
      const double mean = sums[static_cast<std::size_t>(shared.particles.id[i])] / shares[i];
      EXPECT_LT((shared.bodies[i].d - Vec3(0, mean, 0)).norm(), kRounding);
    }
  }
}

TEST(DisplacementExchange, RefreshGivesOwnersDisplacementsToAllCopies) {
  for (const Subdomains& subdomains : test::UnitCubes(Communicator::World().Size())) {
    Shared shared(subdomains);
    PhaseTimer timer;
    DisplacementBuffers buffers;
    DisplacementExchange exchange(shared.world, shared.halo.plan, shared.particles.owned, timer,
                                  buffers);
    for (std::size_t i = 0; i < shared.particles.Size(); ++i) {
      const bool is_owned = i < shared.particles.owned;
      const double x = is_owned ? static_cast<double>(shared.particles.id[i]) : -1.0;
      shared.bodies[i].d = Vec3(x, 0, 0);
    }
    exchange.Refresh(shared.bodies);
    for (std::size_t i = 0; i < shared.particles.Size(); ++i) {
      EXPECT_EQ(shared.bodies[i].d.x(), static_cast<double>(shared.particles.id[i]));
    }
  }
}

}  // namespace
}  // namespace scree
