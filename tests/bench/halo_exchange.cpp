// Time per ghost to exchange velocities between neighbouring ranks and to build ghosts. Start with
// mpirun -n 2. Iterations are fixed, because all ranks must make the same number of exchanges.
#include <benchmark/benchmark.h>

#include "apps/common/packing.hpp"
#include "engine/ranks/body_exchange.hpp"
#include "tests/bench/dense_packing.hpp"

namespace scree::bench {
namespace {

constexpr int kRounds = 200;
constexpr int kBuilds = 20;

std::int64_t GhostCount(const DensePacking& dense) {
  return static_cast<std::int64_t>(dense.particles.Size() - dense.particles.owned);
}

/// Waits for the other ranks, which may still run the previous benchmark.
/// @returns false if there are no other ranks
bool WaitForOtherRanks(benchmark::State& state) {
  const Communicator world = Communicator::World();
  if (world.Size() == 1) state.SkipWithError("no neighbours: start with mpirun -n 2");
  world.Barrier();
  return world.Size() > 1;
}

/// The exchange after a sweep: changes of ghosts go to their owners, new velocities come back.
void ExchangeVelocities(benchmark::State& state) {
  DensePacking& dense = SharedDensePacking();
  if (!WaitForOtherRanks(state)) return;
  const Communicator world = Communicator::World();
  std::vector<SphereBody> bodies(dense.particles.Size() + dense.scene.walls.size());
  PhaseTimer timer;
  VelocityBuffers buffers;
  VelocityExchange exchange(world, dense.halo.plan, dense.particles.owned, timer, buffers);
  exchange.Start(bodies);
  for (auto step : state) {
    static_cast<void>(step);
    exchange.StartScatter(bodies);
    exchange.StartGather(bodies);
    exchange.FinishGather(bodies);
    benchmark::DoNotOptimize(bodies.data());
  }
  state.SetItemsProcessed(state.iterations() * GhostCount(dense));
}
BENCHMARK(ExchangeVelocities)->Iterations(kRounds)->UseRealTime()->Unit(benchmark::kMicrosecond);

void BuildGhosts(benchmark::State& state) {
  const DensePacking& dense = SharedDensePacking();
  if (!WaitForOtherRanks(state)) return;
  const Communicator world = Communicator::World();
  Particles particles = dense.particles;
  std::vector<PackedSphere> packed;
  for (auto step : state) {
    static_cast<void>(step);
    Halo halo = BuildHalo(world, dense.subdomains, dense.reach.skin, kPackingRadius,
                          InterfacePairs::kOwnedContact, particles);
    RemoveUnmarkedGhosts(world,
                         MarkNearGhosts(particles, dense.classes, halo, dense.reach.skin, packed),
                         halo, particles);
    benchmark::DoNotOptimize(halo.shift.data());
  }
  state.SetItemsProcessed(state.iterations() * GhostCount(dense));
}
BENCHMARK(BuildGhosts)->Iterations(kBuilds)->UseRealTime()->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace scree::bench
