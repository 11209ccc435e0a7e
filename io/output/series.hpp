/// \file  The rows of series.csv: what each logged step looked like.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "engine/observation/observables.hpp"
#include "engine/particles/rain.hpp"
#include "io/files/csv_table.hpp"
#include "solvers/solve_report.hpp"

namespace scree {

/// Column names in order; units are SI.
/// @param walls  names of the walls whose loads are told
/// @param rains  sections of the rains, whose masses so far are told
std::vector<std::string> SeriesColumns(const std::vector<std::string>& walls = {},
                                       const std::vector<std::string>& rains = {});

/// One row for these columns; `converged` is 1, 0, or empty when no tolerance was asked for, the
/// energies are empty when no book is kept; at its end are the loads of the walls in the interval,
/// mean and standard deviation, and the masses of the rains.
std::vector<CsvValue> SeriesRow(const Observables& observables, const SolveReport& solve,
                                std::span<const RainState> rains = {});

}  // namespace scree
