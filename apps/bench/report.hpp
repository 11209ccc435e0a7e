/// \file  Prints the results of scree-bench.
#pragma once

#include <string>

#include "apps/bench/measurement.hpp"

namespace scree {

/// Lines key=value, then a table of the time per phase. The same text on all ranks.
std::string BenchReport(const BenchCase& bench, const BenchOptions& options,
                        const BenchResult& result);

}  // namespace scree
