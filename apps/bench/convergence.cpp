#include "apps/bench/convergence.hpp"

#include <algorithm>
#include <cstdio>

#include "io/files/build_info.hpp"

namespace scree {
namespace {

/// The state after the warm-up, from which all rows start.
struct Start {
  State state;
  RestartPoint point;
};

Start WarmUp(const Communicator& communicator, BenchCase& bench, int steps) {
  State& state = bench.state;
  TimeStep step(communicator, bench.config.scene, bench.config.step, bench.subdomains, state);
  for (int k = 0; k < steps; ++k) step.Advance(state);
  // Variants differ in the reach of their lists and in the ownership of contacts, so each makes its
  // own lists.
  Start start{{}, Redistributed(step.Point(state))};
  start.state = std::move(state);
  Particles& particles = start.state.particles;
  std::vector<Index> remaining;
  for (std::size_t i = 0; i < particles.owned; ++i) {
    if (particles.id[i] != kRemovedId) remaining.push_back(static_cast<Index>(i));
  }
  Keep(particles, remaining);
  return start;
}

double SolveSeconds(const TimeStep& step) {
  return step.Timer().Seconds(Phase::kSweeps) + step.Timer().Seconds(Phase::kExchange);
}

/// The largest overlap that the next step of a run would find.
double PenetrationOf(const Communicator& communicator, const BenchCase& bench, State& state) {
  StepParameters parameters = bench.config.step;
  parameters.speculative = false;
  parameters.solver = {};
  parameters.solver.sweeps = 1;
  Resize(state.particles, state.particles.owned);
  TimeStep step(communicator, bench.config.scene, parameters, bench.subdomains, state);
  step.Advance(state);
  return step.Observe(state).max_penetration;
}

ConvergenceRow RunVariant(const Communicator& communicator, const BenchCase& bench,
                          const Start& start, const StepParameters& parameters, int repeat) {
  ConvergenceRow row;
  std::vector<double> seconds;
  for (int k = 0; k < repeat; ++k) {
    State state = start.state;
    TimeStep step(communicator, bench.config.scene, parameters, bench.subdomains, state,
                  start.point);
    communicator.Barrier();
    step.Advance(state);
    seconds.push_back(communicator.Max(SolveSeconds(step)));
    if (k + 1 < repeat) continue;
    const SolveReport report = step.Report();
    row.sweeps = report.sweeps;
    row.residual_max = report.residual_max;
    row.residual_rms = report.residual_rms;
    row.contacts = step.Observe(state).contacts;
    row.penetration = PenetrationOf(communicator, bench, state);
  }
  std::sort(seconds.begin(), seconds.end());
  row.seconds = seconds[(seconds.size() - 1) / 2];
  return row;
}

}  // namespace

std::vector<ConvergenceRow> RunConvergence(const Communicator& communicator, BenchCase& bench,
                                           const BenchOptions& options) {
  std::vector<StepParameters> steps;
  for (const SolverVariant& variant : options.variants) {
    steps.push_back(WithSolverKeys(bench.config, variant.keys).step);
  }
  const Start start = WarmUp(communicator, bench, options.warm_up);
  std::vector<ConvergenceRow> rows;
  for (std::size_t k = 0; k < steps.size(); ++k) {
    for (const int sweeps : options.convergence) {
      steps[k].solver.sweeps = sweeps;
      rows.push_back(RunVariant(communicator, bench, start, steps[k], options.repeat));
      rows.back().variant = options.variants[k].name;
    }
  }
  return rows;
}

std::string ConvergenceTable(const BenchCase& bench, const BenchOptions& options,
                             const std::vector<ConvergenceRow>& rows) {
  const StepParameters& step = bench.config.step;
  std::string table =
      Text("# scree-bench: ", ProgramVersion(), " ", GitHash(), "\n# source: ", bench.source,
           "\n# ranks: ", bench.subdomains.Count(), "\n# time step: ", step.dt,
           " s\n# gravity: ", bench.config.scene.gravity.norm(),
           " m/s^2\n# error reduction: ", step.error_reduction, "\n# warm-up: ", options.warm_up,
           " steps of ", step.solver.sweeps, " sweeps\n");
  table += "variant,sweeps,contacts,residual_max,residual_rms,seconds,max_penetration\n";
  for (const ConvergenceRow& row : rows) {
    char numbers[160];
    std::snprintf(numbers, sizeof numbers, ",%d,%lld,%.6g,%.6g,%.6g,%.6g\n", row.sweeps,
                  static_cast<long long>(row.contacts), row.residual_max, row.residual_rms,
                  row.seconds, row.penetration);
    table += row.variant + numbers;
  }
  return table;
}

}  // namespace scree
