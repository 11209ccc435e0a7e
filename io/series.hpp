/// \file  The rows of series.csv: what each logged step looked like.
#pragma once

#include <string>
#include <vector>

#include "engine/observables.hpp"
#include "io/csv_table.hpp"
#include "solvers/solve_report.hpp"

namespace scree {

/// Column names in order; units are SI.
std::vector<std::string> SeriesColumns();

/// One row for these columns; `converged` is 1, 0, or empty when no tolerance was asked for, the
/// energies are empty when no book is kept.
std::vector<CsvValue> SeriesRow(const Observables& observables, const SolveReport& solve);

}  // namespace scree
