#include "apps/bench/imbalance.hpp"

#include <algorithm>
#include <cstdio>
#include <numeric>

#include "io/files/build_info.hpp"

namespace scree {
namespace {

/// The subdomains of a run on another number of ranks.
struct HypotheticalRun {
  int ranks = 1;
  Subdomains grid, balanced;  // fixed and rebalanced subdomains
  LoadBalanceState balance_state;
};

double ImbalanceOf(const Communicator& communicator, const Subdomains& subdomains,
                   const std::vector<WorkItem>& items) {
  const std::vector<std::int64_t> work = WorkOfBoxes(communicator, subdomains, items);
  const std::int64_t sum = std::accumulate(work.begin(), work.end(), std::int64_t{0});
  const auto largest = static_cast<double>(*std::ranges::max_element(work));
  return sum > 0 ? largest * subdomains.Count() / static_cast<double>(sum) : 1.0;
}

/// Checks the balance once, as TimeStep does in a run.
ImbalanceRow CheckBalance(const Communicator& communicator, const TimeStep& step,
                          const State& state, const std::vector<WorkItem>& work,
                          HypotheticalRun& run) {
  ImbalanceRow row{state.step, run.ranks, ImbalanceOf(communicator, run.grid, work),
                   ImbalanceOf(communicator, run.balanced, work), 0};
  if (RecordImbalance(kBalanceWhenWorthwhile, state.step, row.balanced, step.AreListsDue(state),
                      run.balance_state)) {
    const Bisection bisection = step.BisectionFor(run.ranks, work, run.balanced.Tree());
    if (DecideRebalance(kBalanceWhenWorthwhile, row.balanced, bisection, run.balance_state)) {
      run.balanced = Subdomains::WithCuts(run.grid.WholeDomain(), bisection.cuts);
    }
  }
  row.rebalances = run.balance_state.rebalances;
  return row;
}

std::string Summary(int ranks, const std::vector<ImbalanceRow>& rows) {
  double grid_sum = 0.0, grid_max = 1.0, sum = 0.0, max = 1.0, count = 0.0;
  std::int64_t rebalances = 0;
  for (const ImbalanceRow& row : rows) {
    if (row.ranks != ranks) continue;
    grid_sum += row.grid;
    grid_max = std::max(grid_max, row.grid);
    sum += row.balanced;
    max = std::max(max, row.balanced);
    rebalances = row.rebalances;
    ++count;
  }
  char text[200];
  std::snprintf(
      text, sizeof text,
      "# %d ranks: grid mean %.3f max %.3f, balanced mean %.3f max %.3f, %lld rebalances\n", ranks,
      grid_sum / count, grid_max, sum / count, max, static_cast<long long>(rebalances));
  return text;
}

}  // namespace

std::vector<ImbalanceRow> RunImbalance(const Communicator& communicator, BenchCase& bench,
                                       const BenchOptions& options) {
  State& state = bench.state;
  const Domain& domain = bench.config.scene.domain;
  TimeStep step(communicator, bench.config.scene, bench.config.step, bench.subdomains, state);
  for (int k = 0; k < std::max(1, options.warm_up); ++k) step.Advance(state);

  std::vector<HypotheticalRun> runs;
  for (const int ranks : options.imbalance) {
    const Subdomains grid(domain, SmallestHaloGrid(domain, ranks));
    const Bisection bisection = step.BisectionFor(ranks, step.Work(state), {});
    runs.push_back({ranks, grid, Subdomains::WithCuts(domain, bisection.cuts), {}});
    runs.back().balance_state.checked_at = state.step;
  }
  std::vector<ImbalanceRow> rows;
  for (int k = 0; k < options.steps; ++k) {
    step.Advance(state);
    if (state.step % kBalanceCheckInterval != 0 && !step.AreListsDue(state)) continue;
    const std::vector<WorkItem> work = step.Work(state);
    for (HypotheticalRun& run : runs) {
      rows.push_back(CheckBalance(communicator, step, state, work, run));
    }
  }
  return rows;
}

std::string ImbalanceTable(const BenchCase& bench, const BenchOptions& options,
                           const std::vector<ImbalanceRow>& rows) {
  std::string table =
      Text("# scree-bench: ", ProgramVersion(), " ", GitHash(), "\n# source: ", bench.source,
           "\n# warm-up: ", options.warm_up, " steps\n");
  if (!rows.empty()) {
    for (const int ranks : options.imbalance) table += Summary(ranks, rows);
  }
  table += "step,ranks,imbalance_grid,imbalance,moves\n";
  for (const ImbalanceRow& row : rows) {
    char numbers[160];
    std::snprintf(numbers, sizeof numbers, "%lld,%d,%.4f,%.4f,%lld\n",
                  static_cast<long long>(row.step), row.ranks, row.grid, row.balanced,
                  static_cast<long long>(row.rebalances));
    table += numbers;
  }
  return table;
}

}  // namespace scree
