// scree-pendulum: pendulums that hit an obstacle or each other.
#include "apps/single/pendulum_commands.hpp"

#include <array>
#include <string_view>

#include "apps/single/models/routh.hpp"
#include "io/command_line/csv_input.hpp"
#include "solvers/base/check.hpp"

namespace scree::impact {

void WritePendulumTables(const AppRun& app, const CsvOutput& trajectory, const CsvOutput& impacts,
                         const std::string& impacts_out) {
  if (!impacts_out.empty()) impacts.Write(impacts_out == "-" ? "" : impacts_out);
  if (!app.output().empty() || impacts_out != "-") app.Write(trajectory);
}

std::vector<std::string> CornerColumns(const std::string& path) {
  return ColumnNames(path +
                     ", corner, F [N s], T [N s], s [m/s], c [m/s], slip, greatest_compression");
}

void AddCorner(CsvOutput& csv, std::int64_t path, std::int64_t number, const RouthCorner& corner) {
  AddRow(csv, path, number, corner.normal, corner.tangential, corner.s, corner.c, corner.slip,
         corner.ends_compression);
}

void WriteImpulsePaths(const AppRun& app, const std::vector<Impact>& impacts,
                       const std::string& paths_out) {
  if (paths_out.empty()) return;
  CsvOutput csv = app.Table();
  csv.Columns(CornerColumns("impact"));
  std::int64_t impact = 0;
  for (const Impact& x : impacts) {
    ++impact;
    std::int64_t number = 0;
    for (const RouthCorner& corner : x.solution.corners) AddCorner(csv, impact, number++, corner);
  }
  csv.Write(paths_out);
}

void CheckPendulumTimes(double end, double dt, int max_impacts) {
  constexpr double kMaxSamples = 1e7;
  RequireAbove0("--end", end);
  RequireAbove0("--interval", dt);
  if (end / dt > kMaxSamples) {
    throw InputError(Text("--interval = ", dt, " makes more than ", kMaxSamples,
                          " samples until --end ", end, "; it must be at least ",
                          end / kMaxSamples));
  }
  if (max_impacts < 1) {
    throw InputError(Text("--max-impacts = ", max_impacts, " must be at least 1"));
  }
}

void ReportPendulumStop(double t, const std::string& reason) {
  if (reason.empty()) return;
  throw SimulationError(Text("stopped at t = ", t, " s: ", reason, "; the tables end there"));
}

// ---- impact: solves planar impacts with friction by Routh's method in impulse space.

namespace {

constexpr std::array<std::string_view, 2> kTables = {"solutions", "corners"};
constexpr std::string_view kHeader = "alpha,epsilon,gamma,s,c,mu,k";

RouthProblem RequireValid(const std::string& location, const RouthProblem& problem) {
  const std::string defect = Defect(problem);
  if (!defect.empty()) throw InputError(location + ": " + defect);
  return problem;
}

std::vector<RouthProblem> ReadProblems(const std::string& path) {
  std::vector<RouthProblem> problems;
  for (const auto& [location, x] : ReadCsvInput(path, kHeader)) {
    problems.push_back(RequireValid(location, {x[0], x[1], x[2], x[3], x[4], x[5], x[6]}));
  }
  return problems;
}

void WriteSolutions(CsvOutput& csv, const std::vector<RouthProblem>& problems) {
  csv.Columns(
      ColumnNames("problem, F [N s], T [N s], s [m/s], c [m/s], mode, path, compression_work [J], "
                  "restitution_work [J], friction_work [J], energy_change [J], "
                  "energetic_restitution"));
  for (std::size_t i = 0; i < problems.size(); ++i) {
    const RouthSolution solution = SolveRouth(problems[i]);
    AddRow(csv, i, solution.normal, solution.tangential, solution.s, solution.c,
           Name(solution.mode), RouthPath(solution), solution.compression_work,
           solution.restitution_work, solution.friction_work, EnergyChange(solution),
           EnergeticRestitution(solution));
  }
}

void WriteCorners(CsvOutput& csv, const std::vector<RouthProblem>& problems) {
  csv.Columns(CornerColumns("problem"));
  for (std::size_t i = 0; i < problems.size(); ++i) {
    std::int64_t number = 0;
    for (const RouthCorner& corner : SolveRouth(problems[i]).corners) {
      AddCorner(csv, static_cast<std::int64_t>(i), number++, corner);
    }
  }
}

}  // namespace

void PendulumImpact(AppRun& app) {
  AppOptions options(
      "scree-pendulum impact",
      "Solves planar impacts by Routh's method. Before the impact s is the sliding velocity and\n"
      "c < 0 the opening velocity. After the impulses F and T these velocities are\n"
      "    s + alpha T + epsilon F    and    c + epsilon T + gamma F.\n"
      "path has one character for each straight stretch in impulse space: its direction of slip,\n"
      "+ or -, or K if it sticks; | marks the largest compression. Problems are counted from 0.\n"
      "Impulses in N s, velocities in m/s, work in J.");
  RouthProblem problem{1.0, -0.5, 1.0, 0.2, -1.0, 0.2, 0.5};
  std::string input, table = "solutions";
  options.Add("inverse-mass-tt", problem.alpha,
              "alpha: change of the sliding velocity per tangential impulse");
  options.Add("inverse-mass-tn", problem.epsilon,
              "epsilon: change of the sliding velocity per normal impulse");
  options.Add("inverse-mass-nn", problem.gamma,
              "gamma: change of the opening velocity per normal impulse");
  options.Add("sliding-velocity", problem.s, "s, sliding velocity before the impact");
  options.Add("closing-velocity", problem.c,
              "c, opening velocity before the impact; negative, because the bodies approach");
  options.Add("friction", problem.mu, "friction coefficient");
  options.Add("restitution", problem.restitution, "coefficient of restitution (Poisson)");
  options.Add("input", input,
              "CSV file of problems, instead of these options; header " + std::string(kHeader));
  options.Add("table", table, "solutions, or corners: the corners of the paths in impulse space");
  if (!app.Parse(options)) return;
  RequireChoice("--table", table, kTables);
  if (options.IsGiven("input")) {
    for (const char* name : {"inverse-mass-tt", "inverse-mass-tn", "inverse-mass-nn",
                             "sliding-velocity", "closing-velocity", "friction", "restitution"}) {
      if (options.IsGiven(name)) throw InputError(Text("give --input or --", name, ", not both"));
    }
  }
  const std::vector<RouthProblem> problems =
      options.IsGiven("input")
          ? ReadProblems(input)
          : std::vector<RouthProblem>{RequireValid("the problem of the command line", problem)};
  CsvOutput csv = app.Table();
  if (table == "solutions") {
    WriteSolutions(csv, problems);
  } else {
    WriteCorners(csv, problems);
  }
  app.Write(csv);
}

}  // namespace scree::impact

int main(int argc, char** argv) {
  const std::string source =
      "G. Sypniewska-Kaminska, R. Starosta, J. Awrejcewicz, Double pendulum colliding with an "
      "obstacle of rough surface, Arch. Appl. Mech. 87 (2017)";
  const std::string pair_source =
      "An analytical approximation of the optimal linear damping of a Hertz-type contact";
  const scree::AppCommand commands[] = {
      {"obstacle", "a double pendulum over a rough obstacle", scree::impact::PendulumObstacle,
       source},
      {"pair", "two rods, the tip of one strikes the other: three models of the contact",
       scree::impact::PendulumPairCommand, pair_source},
      {"impact", "planar impacts with friction by Routh's method: one, or all in a file",
       scree::impact::PendulumImpact, source},
  };
  return scree::RunSmallApp(
      argc, argv,
      "Computes the motion of pendulums with impacts. Results are CSV on standard output, or in\n"
      "the files given by --output and --impacts.",
      commands);
}
