// Time to set up a wall of a million triangles, which is the start-up time of a scene with it.
#include <benchmark/benchmark.h>

#include "engine/geometry/triangle_mesh.hpp"
#include "tests/support/meshes.hpp"

namespace scree::bench {
namespace {

void SetUpMesh(benchmark::State& state) {
  const std::vector<Triangle> triangles = test::Sheet(-0.05, 0.05, 0.0, 707);
  for (auto step : state) {
    static_cast<void>(step);
    const TriangleMesh mesh(triangles, MeshSolid::kNo);
    benchmark::DoNotOptimize(mesh.Features());
  }
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(triangles.size()));
}
BENCHMARK(SetUpMesh)->Iterations(3)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace scree::bench
