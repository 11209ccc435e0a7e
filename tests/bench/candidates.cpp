// Time per particle to sort and to find candidate pairs, and time per candidate to detect contacts.
#include <benchmark/benchmark.h>

#include "tests/bench/dense_packing.hpp"

namespace scree::bench {
namespace {

void Sort(benchmark::State& state) {
  const DensePacking& dense = SharedDensePacking();
  Particles particles = dense.particles;
  SpareArrays scratch;
  SizeClasses classes;
  for (auto step : state) {
    static_cast<void>(step);
    Resize(particles, particles.owned);
    SortAlongCells(dense.reach.skin, particles, scratch, classes);
    benchmark::DoNotOptimize(classes.Order().data());
  }
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(dense.particles.owned));
}
BENCHMARK(Sort)->Unit(benchmark::kMillisecond);

void BuildList(benchmark::State& state) {
  const DensePacking& dense = SharedDensePacking();

  NeighborList list;
  std::vector<PackedSphere> packed;
  for (auto step : state) {
    static_cast<void>(step);
    BuildNeighborList(dense.particles, dense.classes, dense.halo, dense.scene, dense.walls,
                      dense.reach, packed, list);
    benchmark::DoNotOptimize(list.partner.data());
  }
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(dense.particles.owned));
}
BENCHMARK(BuildList)->Unit(benchmark::kMillisecond);

void Detect(benchmark::State& state) {
  const DensePacking& dense = SharedDensePacking();
  DetectionBuffers buffers;
  ContactList contacts;
  std::vector<WallBody> wall_bodies;
  for (auto step : state) {
    static_cast<void>(step);
    contacts.Begin();
    DetectContacts(dense.particles, dense.particles.velocity, dense.halo, dense.list, dense.scene,
                   dense.walls, dense.rule, nullptr, buffers, contacts, wall_bodies);
    benchmark::DoNotOptimize(contacts.begin());
  }
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(dense.list.Pairs()));
}
BENCHMARK(Detect)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace scree::bench
