// Time per sphere of a random fill that all ranks make together, at two solid fractions. Start with
// mpirun -n 1 and -n 2.
#include <benchmark/benchmark.h>

#include <cmath>

#include "engine/filling/fills.hpp"
#include "tests/support/scenes.hpp"

namespace scree::bench {
namespace {

constexpr std::int64_t kCount = 1'000'000;

/// @param state  its first argument is the solid fraction in percent
void MakeRandomFill(benchmark::State& state) {
  constexpr double kRadius = 5e-4;
  const double fraction = 0.01 * static_cast<double>(state.range(0));
  const double length = std::cbrt(static_cast<double>(kCount) * SphereVolume(kRadius) / fraction);
  Scene scene = test::EmptyScene(Vec3::Zero(), Vec3::Constant(length), 0.0);
  scene.fills.push_back({RandomRegion{scene.domain.box, 0.0, kCount}, {kRadius}});
  const Communicator world = Communicator::World();
  const Subdomains subdomains(scene.domain, SmallestHaloGrid(scene.domain, world.Size()));
  for (auto step : state) {
    static_cast<void>(step);
    Particles particles;
    MakeFills(world, subdomains, scene, particles);
    world.Barrier();
  }
  state.SetItemsProcessed(state.iterations() * kCount);
}
BENCHMARK(MakeRandomFill)
    ->Arg(10)
    ->Arg(30)
    ->Iterations(3)
    ->UseRealTime()
    ->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace scree::bench
