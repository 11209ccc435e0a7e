// scree-pendulum: pendulums that hit an obstacle or each other.
#include "apps/pendulum_commands.hpp"
#include "apps/small_app.hpp"
#include "solvers/base/check.hpp"

namespace scree::impact {

void WritePendulumTables(const CsvOutput& trajectory, const std::string& out,
                         const CsvOutput& impacts, const std::string& impacts_out) {
  if (!impacts_out.empty()) impacts.Write(impacts_out == "-" ? "" : impacts_out);
  if (!out.empty() || impacts_out != "-") trajectory.Write(out);
}

std::vector<std::string> CornerColumns(const std::string& path) {
  return {path, "corner", "F", "T", "s", "c", "slip", "greatest_compression"};
}

void AddCorner(CsvOutput& csv, std::int64_t path, std::int64_t number, const RouthCorner& corner) {
  csv.Row({path, number, corner.normal, corner.tangential, corner.s, corner.c,
           std::int64_t{corner.slip}, std::int64_t{corner.compression}});
}

void WriteImpulsePaths(const std::vector<Impact>& impacts, const std::string& paths_out,
                       const std::string& command_line) {
  if (paths_out.empty()) return;
  CsvOutput csv(command_line);
  csv.Columns(CornerColumns("impact"));
  std::int64_t impact = 0;
  for (const Impact& x : impacts) {
    ++impact;
    std::int64_t number = 0;
    for (const RouthCorner& corner : x.solution.corners) AddCorner(csv, impact, number++, corner);
  }
  csv.Write(paths_out);
}

void CheckPendulumTimes(double end, double dt, int most_impacts) {
  constexpr double kMostSamples = 1e7;
  if (!(end > 0.0)) throw InputError(Text("--end = ", end, " must be above 0"));
  if (!(dt > 0.0)) throw InputError(Text("--dt = ", dt, " must be above 0"));
  if (end / dt > kMostSamples) {
    throw InputError(Text("--dt = ", dt, " makes more than ", kMostSamples, " samples until --end ",
                          end, "; at least ", end / kMostSamples, " is right"));
  }
  if (most_impacts < 1) {
    throw InputError(Text("--max-impacts = ", most_impacts, " must be at least 1"));
  }
}

void ReportPendulumStop(double t, const std::string& reason) {
  if (reason.empty()) return;
  throw SimulationError(Text("stopped at t = ", t, " s: ", reason, "; the tables end there"));
}

}  // namespace scree::impact

int main(int argc, char** argv) {
  const scree::AppCommand commands[] = {
      {"obstacle", "a double pendulum over a rough obstacle", scree::impact::PendulumObstacle},
      {"pair", "two rods, the tip of one striking the other: three models of the contact",
       scree::impact::PendulumPairCommand},
      {"impact", "planar impacts with friction by Routh's method, one or a file of them",
       scree::impact::PendulumImpact},
  };
  return scree::RunSmallApp(
      argc, argv,
      "Computes the motion of pendulums with impacts. Results are CSV on standard output, or in\n"
      "the files given by --out and --impacts.",
      commands);
}
