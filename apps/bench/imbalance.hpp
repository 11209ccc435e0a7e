/// \file  Estimates the load imbalance that a run would have on other numbers of ranks.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "apps/bench/case.hpp"

namespace scree {

/// Load imbalance (max/mean of the counted work) for one number of ranks after one step.
struct ImbalanceRow {
  std::int64_t step = 0;
  int ranks = 0;
  double grid = 1.0;            // imbalance with the fixed grid whose faces have the smallest area
  double balanced = 1.0;        // imbalance with rebalanced subdomains
  std::int64_t rebalances = 0;  // rebalances so far
};

/// Does the steps on the running ranks. For each requested number of ranks, also makes and
/// rebalances the subdomains that a run on that number of ranks would have. Collective.
/// @returns at each check of the balance (engine/step/load_balance), one row per number of ranks
std::vector<ImbalanceRow> RunImbalance(const Communicator& communicator, BenchCase& bench,
                                       const BenchOptions& options);

/// A CSV table with a line for each row. Lines that begin with # precede it: the settings, and for
/// each number of ranks the mean and the largest imbalance.
std::string ImbalanceTable(const BenchCase& bench, const BenchOptions& options,
                           const std::vector<ImbalanceRow>& rows);

}  // namespace scree
