/// \file  The commands of scree-pendulum, and what they have in common.
#pragma once

#include <string>
#include <vector>

#include "io/command_line/csv_output.hpp"
#include "solvers/impact/impact_run.hpp"

namespace scree::impact {

void PendulumObstacle(const std::vector<std::string>& arguments, const std::string& command_line);
void PendulumPairCommand(const std::vector<std::string>& arguments,
                         const std::string& command_line);
void PendulumImpact(const std::vector<std::string>& arguments, const std::string& command_line);

/// The trajectory to the file `out`, or stdout if it is empty and stdout not taken by the impacts;
/// the impacts to the file `impacts_out`, stdout if it is "-", nowhere if it is empty.
/// @throws OutputError
void WritePendulumTables(const CsvOutput& trajectory, const std::string& out,
                         const CsvOutput& impacts, const std::string& impacts_out);

/// The corners of the impacts' paths in impulse space to the file; nothing if its name is empty.
/// @throws OutputError
void WriteImpulsePaths(const std::vector<Impact>& impacts, const std::string& paths_out,
                       const std::string& command_line);

/// The row of one corner of a path, and the columns of such rows but for the first, the path's
/// number.
void AddCorner(CsvOutput& csv, std::int64_t path, std::int64_t number, const RouthCorner& corner);
std::vector<std::string> CornerColumns(const std::string& path);

/// @throws InputError naming the option
void CheckPendulumTimes(double end, double dt, int most_impacts);

/// @throws SimulationError if there is a reason why the motion ended early
void ReportPendulumStop(double t, const std::string& reason);

}  // namespace scree::impact
