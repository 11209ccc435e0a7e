// Runs the micro-benchmarks of the engine on any number of ranks. The root rank reports its own
// times.
#include <benchmark/benchmark.h>

#include "engine/ranks/communicator.hpp"
#include "tests/bench/dense_packing.hpp"

namespace {

class SilentReporter final : public benchmark::BenchmarkReporter {
 public:
  bool ReportContext(const Context&) override { return true; }
  void ReportRuns(const std::vector<Run>&) override {}
};

}  // namespace

int main(int argc, char** argv) {
  const scree::MpiSession session(&argc, &argv);
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  scree::bench::SharedDensePacking();
  if (scree::Communicator::World().IsRoot()) {
    benchmark::RunSpecifiedBenchmarks();
  } else {
    SilentReporter silent;
    benchmark::RunSpecifiedBenchmarks(&silent);
  }
  return 0;
}
