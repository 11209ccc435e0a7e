/// \file  The commands of scree-pendulum that have files of their own, and their common code.
#pragma once

#include <string>
#include <vector>

#include "apps/common/small_app.hpp"
#include "apps/single/models/impact_run.hpp"

namespace scree::impact {

void PendulumObstacle(AppRun& app);
void PendulumPairCommand(AppRun& app);

/// Writes the impacts to the file `impacts_out`, to stdout if it is "-", or nowhere if it is empty.
/// Writes the trajectory to the file of --output; without it, to stdout unless the impacts go
/// there.
/// @throws OutputError
void WritePendulumTables(const AppRun& app, const CsvOutput& trajectory, const CsvOutput& impacts,
                         const std::string& impacts_out);

/// Writes the corners of the impacts' paths in impulse space to the file; nothing if its name is
/// empty.
/// @throws OutputError
void WriteImpulsePaths(const AppRun& app, const std::vector<Impact>& impacts,
                       const std::string& paths_out);

/// Adds the row of one corner of a path. CornerColumns returns the names of the columns. The first
/// column has the number of the path; its name is `path`.
void AddCorner(CsvOutput& csv, std::int64_t path, std::int64_t number, const RouthCorner& corner);
std::vector<std::string> CornerColumns(const std::string& path);

/// @throws InputError naming the option whose value is out of range
void CheckPendulumTimes(double end, double dt, int max_impacts);

/// @throws SimulationError if `reason`, which says why the motion ended early, is not empty
void ReportPendulumStop(double t, const std::string& reason);

}  // namespace scree::impact
