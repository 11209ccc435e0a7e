// scree-bench: measures the speed of the engine, and where its time and memory go.
#include <cstdio>
#include <vector>

#include "apps/bench/case.hpp"
#include "apps/bench/convergence.hpp"
#include "apps/bench/imbalance.hpp"
#include "apps/bench/measurement.hpp"
#include "apps/bench/options.hpp"
#include "apps/bench/report.hpp"
#include "apps/common/exit_codes.hpp"
#include "apps/common/simd_request.hpp"
#include "engine/ranks/communicator.hpp"
#include "io/files/collective_call.hpp"
#include "io/files/standard_output.hpp"

namespace {

using namespace scree;

void PrintAtRoot(const Communicator& world, const std::string& text) {
  CallOnRoot<OutputError>(world, [&] { PrintResult(text); });
}

void Main(const Communicator& world, int argc, char** argv) {
  std::string help;
  const auto options = ParseBenchOptions({argv + 1, argv + argc}, help);
  if (!options) return PrintAtRoot(world, help);
  BenchCase bench = MakeBenchCase(world, *options);
  if (!options->out.empty()) WritePacking(world, bench, options->out);
  if (!options->convergence.empty()) {
    const std::vector<ConvergenceRow> rows = RunConvergence(world, bench, *options);
    return PrintAtRoot(world, ConvergenceTable(bench, *options, rows));
  }
  if (!options->imbalance.empty()) {
    const std::vector<ImbalanceRow> rows = RunImbalance(world, bench, *options);
    return PrintAtRoot(world, ImbalanceTable(bench, *options, rows));
  }
  if (options->steps == 0) return;
  const BenchResult result = RunBench(world, bench, *options);
  PrintAtRoot(world, BenchReport(bench, *options, result));
}

}  // namespace

int main(int argc, char** argv) {
  if (const ExitCode code = SelectSimdLevel("scree-bench", argv); code != kDone) return code;
  IgnoreFileSizeSignal();
  const MpiSession session(&argc, &argv);
  const Communicator world = Communicator::World();
  try {
    Main(world, argc, argv);
    return kDone;
  } catch (const std::exception& error) {
    return ReportError("scree-bench", world, error);
  }
}
