// Time per contact to build batches with new or kept slots, to store impulses, and to relax it in a
// sweep.
#include <benchmark/benchmark.h>

#include "engine/contacts/contact_assembly.hpp"
#include "solvers/sweeps/block_gauss_seidel.hpp"
#include "tests/bench/dense_packing.hpp"
#include "tests/support/no_sync.hpp"

namespace scree::bench {
namespace {

using test::NoSync;

constexpr double kNoCap = 1e3;  // no limit on the speed of error reduction [m/s]
constexpr int kSweeps = 10;

struct Problem {
  Problem() {
    SetInverseMasses(dense.particles, dense.scene, inverse_masses);
    AssembleBodies(dense.particles, inverse_masses, dense.scene, dense.wall_bodies,
                   {dense.parameters.dt * dense.scene.gravity}, bodies);
  }
  void Assemble(std::span<const DetectedContact> detected) {
    AssembleContacts({{detected},
                      {},
                      0,
                      dense.particles,
                      dense.scene,
                      dense.wall_bodies,
                      inverse_masses,
                      {},
                      {}},
                     dense.parameters, kNoCap, Friction(), restitution, batches, impacts,
                     &positions);
  }

  const DensePacking& dense = SharedDensePacking();
  std::span<const DetectedContact> contacts = dense.contacts;
  std::vector<double> inverse_masses;
  std::vector<SphereBody> bodies;
  const Restitution restitution;  // none
  ContactBatches batches;
  std::vector<Index> impacts;
  PositionProjection positions;
};

void CountContacts(const Problem& problem, std::int64_t contacts_per_iteration,
                   benchmark::State& state) {
  state.SetItemsProcessed(state.iterations() * contacts_per_iteration *
                          static_cast<std::int64_t>(problem.contacts.size()));
}

void BuildBatchesWithNewSlots(benchmark::State& state) {
  Problem problem;
  bool skips_first = false;
  for (auto step : state) {
    static_cast<void>(step);
    // Every other time the first contact is omitted, so that no contact keeps its slot.
    skips_first = !skips_first;
    problem.Assemble(problem.contacts.subspan(skips_first ? 1 : 0));
    benchmark::DoNotOptimize(problem.batches.All().data());
  }
  if (problem.batches.Colouring().Recolourings() != static_cast<std::int64_t>(state.iterations())) {
    state.SkipWithError("slots were kept");
  }
  CountContacts(problem, 1, state);
}
BENCHMARK(BuildBatchesWithNewSlots)->Unit(benchmark::kMillisecond);

void BuildBatchesWithKeptSlots(benchmark::State& state) {
  Problem problem;
  problem.Assemble(problem.contacts);
  for (auto step : state) {
    static_cast<void>(step);
    problem.Assemble(problem.contacts);
    benchmark::DoNotOptimize(problem.batches.All().data());
  }
  if (problem.batches.Colouring().Recolourings() != 1) state.SkipWithError("slots were not kept");
  CountContacts(problem, 1, state);
}
BENCHMARK(BuildBatchesWithKeptSlots)->Unit(benchmark::kMillisecond);

void StoreImpulses(benchmark::State& state) {
  Problem problem;
  problem.Assemble(problem.contacts);
  NoSync no_sync;
  SolverParameters parameters;
  KernelScratch scratch;
  MomentumScratch momentum;
  SweepOrder order;
  BlockGaussSeidel(parameters, no_sync, StartingImpulses::kApplied, problem.batches, problem.bodies,
                   scratch, momentum, order);
  WarmStart warm_start;
  warm_start.Restore({}, problem.dense.particles, problem.dense.list);
  const PositionProjection positions;  // none
  for (auto step : state) {
    static_cast<void>(step);
    warm_start.Store(problem.contacts, 0, {}, problem.dense.wall_bodies, problem.batches,
                     positions);
    benchmark::ClobberMemory();
  }
  CountContacts(problem, 1, state);
}
BENCHMARK(StoreImpulses)->Unit(benchmark::kMillisecond);

/// All sweeps of a step. From the second repetition on, the starting impulses are the previous
/// result.
void Sweeps(benchmark::State& state, Kernel kernel) {
  Problem problem;
  problem.Assemble(problem.contacts);
  NoSync no_sync;
  SolverParameters parameters;
  parameters.sweeps = kSweeps;
  parameters.kernel = kernel;
  KernelScratch scratch;
  MomentumScratch momentum;
  SweepOrder order;
  for (auto step : state) {
    static_cast<void>(step);
    BlockGaussSeidel(parameters, no_sync, StartingImpulses::kApplied, problem.batches,
                     problem.bodies, scratch, momentum, order);
    benchmark::DoNotOptimize(problem.bodies.data());
  }
  CountContacts(problem, kSweeps, state);
}
BENCHMARK_CAPTURE(Sweeps, sphere, Kernel::kSphere)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(Sweeps, max_dissipation, Kernel::kMaxDissipation)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(Sweeps, coulomb, Kernel::kCoulomb)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace scree::bench
