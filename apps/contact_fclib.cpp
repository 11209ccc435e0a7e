// scree-contact fclib: problems of many contacts, written by other codes.
#include <array>
#include <chrono>
#include <cstdio>
#include <string_view>

#include "apps/contact_commands.hpp"
#include "io/files/fclib_file.hpp"
#include "solvers/base/check.hpp"
#include "solvers/delassus/block_residual.hpp"

namespace scree {
namespace {

constexpr std::array<std::string_view, 2> kKernels = {"coulomb", "max_dissipation"};

std::string Outcome(const DelassusSolution& solution) {
  if (*solution.report.converged) return "converged";
  return solution.stalled ? "stalled" : "not converged";
}

void SolveFile(CsvOutput& csv, const std::string& path, const DelassusParameters& parameters) {
  const FclibProblem problem = ReadFclib(path);
  const DelassusProblem& contacts = problem.contacts;
  const auto start = std::chrono::steady_clock::now();
  const DelassusSolution solution = Solve(contacts, parameters);
  const double seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  const NaturalMapResidual natural = CoulombNaturalMap(contacts, solution.impulses);
  const SolveReport& report = solution.report;
  AddRow(csv, path, problem.form == FclibForm::kLocal ? "local" : "global", contacts.ContactCount(),
         Name(parameters.law), Outcome(solution), report.sweeps, report.residual_max,
         report.residual_rms, contacts.VelocityScale(), natural.velocity_max, natural.relative,
         seconds);
  if (!*report.converged) {
    std::fprintf(stderr, "%s: %s after %d sweeps: residual %.3g m/s, tolerance %.3g m/s\n",
                 path.c_str(), Outcome(solution).c_str(), report.sweeps, report.residual_max,
                 parameters.tolerance * contacts.VelocityScale());
  }
}

}  // namespace

void ContactFclib(AppRun& app) {
  AppOptions options(
      "scree-contact fclib",
      "Solves FCLIB problems by sweeps from zero impulses. residual_max and residual_rms are\n"
      "the relative velocities [m/s] that one more relaxation of a contact would change;\n"
      "velocity_scale is the greatest relative velocity without impulses; natural_map_max is\n"
      "Coulomb's natural map in velocity units, natural_map_relative the one of the literature,\n"
      "which depends on the units. Not converging is a result, not an error.");
  std::vector<std::string> files;
  std::string kernel = "coulomb";
  DelassusParameters parameters;
  options.AddPositional("FILE", files, "problems, local (W, q, mu) or global (M, H, f, w, mu)");
  options.Add("kernel", kernel, "coulomb or max_dissipation");
  options.Add("tolerance", parameters.tolerance,
              "greatest residual, relative to velocity_scale, at which to stop");
  options.Add("max-sweeps", parameters.max_sweeps, "sweeps after which to give up");
  options.Add("momentum", parameters.momentum,
              "share of a sweep's change that the next begins with (heavy ball), 0 to 0.9");
  if (!app.Parse(options)) return;
  DemandChoice("--kernel", kernel, kKernels);
  DemandRange("--tolerance", parameters.tolerance, 0.0, 1.0);
  DemandRange("--max-sweeps", parameters.max_sweeps, 1, 1e9);
  DemandRange("--momentum", parameters.momentum, 0.0, 0.9);
  if (files.empty()) throw InputError("no FILE given; scree-contact fclib --help says more");
  parameters.law = kernel == "coulomb" ? ContactLaw::kCoulomb : ContactLaw::kMaxDissipation;
  CsvOutput csv = app.Table();
  csv.Note("tolerance", parameters.tolerance);
  csv.Note("momentum", parameters.momentum);
  csv.Columns(ColumnNames(
      "file, form, contacts, kernel, outcome, sweeps, residual_max [m/s], residual_rms [m/s], "
      "velocity_scale [m/s], natural_map_max [m/s], natural_map_relative, time [s]"));
  for (const std::string& file : files) SolveFile(csv, file, parameters);
  app.Write(csv);
}

}  // namespace scree
