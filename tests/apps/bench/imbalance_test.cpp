// Predicted load of any number of ranks: balanced if subdomains follow the work, as in a run.
#include "apps/bench/imbalance.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>

#include "tests/support/channel_scene.hpp"

namespace scree::bench_imbalance_test {
namespace {

using testing::HasSubstr;

BenchCase Channel(const Communicator& world) {
  RunConfig config;
  config.scene = test::SmallChannel();
  State state = test::FilledChannel(world, config.scene);
  const Domain& domain = config.scene.domain;
  const Subdomains subdomains(domain, SmallestHaloGrid(domain, world.Size()));
  return {config, subdomains, std::move(state), "channel"};
}

BenchOptions Options() {
  BenchOptions options;
  options.steps = 200;
  options.warm_up = 1;
  options.imbalance = {1, 8};
  return options;
}

bool IsAtCheckInterval(const ImbalanceRow& row) { return row.step % kBalanceCheckInterval == 0; }

TEST(BenchImbalance, SubdomainsByWorkAreBalanced) {
  const Communicator world = Communicator::World();
  BenchCase bench = Channel(world);
  const std::vector<ImbalanceRow> rows = RunImbalance(world, bench, Options());
  EXPECT_EQ(std::ranges::count_if(rows, IsAtCheckInterval), 2 * 200 / kBalanceCheckInterval);
  EXPECT_GT(std::ranges::count_if(rows, std::not_fn(IsAtCheckInterval)), 0);  // at new lists
  double grid_sum = 0.0, balanced_sum = 0.0;
  for (const ImbalanceRow& row : rows) {
    if (row.ranks == 1) {
      EXPECT_EQ(row.balanced, 1.0);
      EXPECT_EQ(row.rebalances, 0);
      continue;
    }
    EXPECT_EQ(row.ranks, 8);
    grid_sum += row.grid;
    balanced_sum += row.balanced;
  }
  EXPECT_LT(balanced_sum / (0.5 * static_cast<double>(rows.size())), 1.12);
  EXPECT_GT(grid_sum, balanced_sum);
  EXPECT_EQ(rows.back().step, 200);
}

TEST(BenchImbalance, TableHasARowForEachMeasurement) {
  const Communicator world = Communicator::World();
  const BenchCase bench = Channel(world);
  const std::string table =
      ImbalanceTable(bench, Options(), {{10, 1, 1.0, 1.0, 0}, {10, 8, 1.5, 1.125, 3}});
  EXPECT_THAT(table, HasSubstr("# source: channel\n"));
  EXPECT_THAT(table, HasSubstr("# 8 ranks: grid mean 1.500 max 1.500, balanced mean 1.125 max "
                               "1.125, 3 rebalances\n"));
  EXPECT_THAT(table, HasSubstr("step,ranks,imbalance_grid,imbalance,moves\n10,1,1.0000,1.0000,0\n"
                               "10,8,1.5000,1.1250,3\n"));
  EXPECT_THAT(ImbalanceTable(bench, Options(), {}), HasSubstr("step,ranks"));
}

}  // namespace
}  // namespace scree::bench_imbalance_test
