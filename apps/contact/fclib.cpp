// scree-contact fclib: solves problems of many contacts, from other codes and from scree-run.
#include <array>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <optional>
#include <string_view>

#include "apps/contact/commands.hpp"
#include "engine/ranks/communicator.hpp"
#include "io/files/fclib_file.hpp"
#include "solvers/base/check.hpp"
#include "solvers/delassus/block_residual.hpp"

namespace scree {
namespace {

constexpr std::array<std::string_view, 2> kKernels = {"coulomb", "max_dissipation"};
constexpr std::array<std::string_view, 3> kStarts = {"zero", "guess", "solution"};

struct Options {
  DelassusParameters parameters;
  std::string start = "zero";
  int history = 0;       // sweeps between the rows of a problem; 0: one row, at the end
  std::string solution;  // file for the problem with the impulses found; empty: none
};

std::string OutcomeName(const DelassusSolution& solution) {
  if (*solution.report.converged) return "converged";
  return solution.stalled ? "stalled" : "not converged";
}

/// The starting impulses, one per contact.
std::vector<Vec3> StartImpulses(const std::string& path, const DelassusProblem& contacts,
                                const std::string& start) {
  std::vector<Vec3> impulses(static_cast<std::size_t>(contacts.ContactCount()), Vec3::Zero());
  if (start == "zero") return impulses;
  const char* group = start == "guess" ? kFclibGuess : kFclibSolution;
  const Eigen::VectorXd r = ReadFclibImpulses(path, group, 3 * contacts.ContactCount());
  for (std::size_t j = 0; j < impulses.size(); ++j) {
    impulses[j] = r.segment<3>(3 * static_cast<Eigen::Index>(j));
  }
  return impulses;
}

Eigen::VectorXd AsVector(const std::vector<Vec3>& impulses) {
  Eigen::VectorXd r(3 * static_cast<Eigen::Index>(impulses.size()));
  for (std::size_t j = 0; j < impulses.size(); ++j) {
    r.segment<3>(3 * static_cast<Eigen::Index>(j)) = impulses[j];
  }
  return r;
}

/// Adds a row with the residuals of the impulses after a number of sweeps.
void AddHistoryRow(CsvOutput& csv, const std::string& path, const DelassusProblem& contacts,
                   ContactLaw law, int sweeps, std::span<const Vec3> impulses) {
  const Residual residual = ContactResidual(contacts, impulses, law);
  const NaturalMapResidual natural = CoulombNaturalMap(contacts, impulses);
  const auto count = static_cast<double>(std::max<std::int64_t>(1, residual.contacts));
  AddRow(csv, path, sweeps, residual.max, std::sqrt(residual.square_sum / count),
         natural.velocity_max, natural.relative);
}

void SolveFile(CsvOutput& csv, const std::string& path, const Options& options) {
  FclibFile file = ReadFclib(path);
  const DelassusProblem contacts = ContactsOf(file);
  const DelassusParameters& parameters = options.parameters;
  const std::vector<Vec3> start_impulses = StartImpulses(path, contacts, options.start);
  const auto watch = [&](int sweeps, std::span<const Vec3> impulses) {
    if (sweeps % options.history != 0) return;
    AddHistoryRow(csv, path, contacts, parameters.law, sweeps, impulses);
  };
  const auto start = std::chrono::steady_clock::now();
  const DelassusSolution solution =
      Solve(contacts, parameters, start_impulses,
            options.history > 0 ? SweepWatcher(watch) : SweepWatcher());
  const double seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  const SolveReport& report = solution.report;
  if (options.history == 0) {
    const NaturalMapResidual natural = CoulombNaturalMap(contacts, solution.impulses);
    AddRow(csv, path, file.IsGlobal() ? "global" : "local", contacts.ContactCount(),
           Name(parameters.law), OutcomeName(solution), report.sweeps, report.residual_max,
           report.residual_rms, contacts.VelocityScale(), natural.velocity_max, natural.relative,
           seconds);
  } else if (report.sweeps % options.history != 0) {
    AddHistoryRow(csv, path, contacts, parameters.law, report.sweeps, solution.impulses);
  }
  if (!options.solution.empty()) {
    file.solution = SolutionOf(file, AsVector(solution.impulses));
    file.guess = SolutionOf(file, AsVector(start_impulses));
    WriteFclib(options.solution, file);
  }
  if (!*report.converged) {
    std::fprintf(stderr, "%s: %s after %d sweeps: residual %.3g m/s, tolerance %.3g m/s\n",
                 path.c_str(), OutcomeName(solution).c_str(), report.sweeps, report.residual_max,
                 parameters.tolerance * contacts.VelocityScale());
  }
}

}  // namespace

void ContactFclib(AppRun& app) {
  AppOptions options(
      "scree-contact fclib",
      "Solves FCLIB problems by sweeps. residual_max and residual_rms are the changes of relative\n"
      "velocities [m/s] that one more relaxation of each contact would cause; velocity_scale is\n"
      "the largest relative velocity without impulses; natural_map_max is Coulomb's natural map\n"
      "in velocity units, natural_map_relative is that of the literature, which depends on the\n"
      "units. --max-sweeps 0 evaluates the starting impulses. Not converging is a result, not an\n"
      "error.\n"
      "scree-run writes such files: [output] problems.");
  std::vector<std::string> files;
  std::string kernel = "coulomb";
  Options settings;
  DelassusParameters& parameters = settings.parameters;
  options.AddPositional("FILE", files, "problems, local (W, q, mu) or global (M, H, f, w, mu)");
  options.Add("kernel", kernel, "coulomb or max_dissipation");
  options.Add("start", settings.start,
              "starting impulses: zero, the file's guess, or its solution");
  options.Add("tolerance", parameters.tolerance,
              "largest residual, relative to velocity_scale, at which to stop");
  options.Add("max-sweeps", parameters.max_sweeps, "sweeps after which to give up");
  options.Add("momentum", parameters.momentum,
              "fraction of a sweep's change that is added before the next (heavy ball), 0 to 0.9");
  options.Add("history", settings.history,
              "write a row at the start, every N sweeps and at the end; 0: one row per file");
  options.Add(
      "solution", settings.solution,
      "write the problem here, with the impulses found (solution) and the starting impulses "
      "(guess)");
  if (!app.Parse(options)) return;
  app.RequireDifferentFiles({{"solution", settings.solution}});
  RequireChoice("--kernel", kernel, kKernels);
  RequireChoice("--start", settings.start, kStarts);
  RequireRange("--tolerance", parameters.tolerance, 0.0, 1.0);
  RequireRange("--max-sweeps", parameters.max_sweeps, 0, 1e9);
  RequireRange("--momentum", parameters.momentum, 0.0, 0.9);
  RequireRange("--history", settings.history, 0, 1e9);
  if (files.empty()) throw InputError("no FILE given; see scree-contact fclib --help");
  if (!settings.solution.empty() && files.size() > 1) {
    throw InputError(Text("--solution is for one problem, but ", files.size(), " are given"));
  }
  parameters.law = kernel == "coulomb" ? ContactLaw::kCoulomb : ContactLaw::kMaxDissipation;
  CsvOutput csv = app.Table();
  csv.AddComment("tolerance", parameters.tolerance);
  csv.AddComment("momentum", parameters.momentum);
  csv.AddComment("start", settings.start);
  csv.Columns(ColumnNames(
      settings.history > 0
          ? "file, sweeps, residual_max [m/s], residual_rms [m/s], natural_map_max [m/s], "
            "natural_map_relative"
          : "file, form, contacts, kernel, outcome, sweeps, residual_max [m/s], residual_rms "
            "[m/s], velocity_scale [m/s], natural_map_max [m/s], natural_map_relative, time [s]"));
  std::optional<MpiSession> session;  // HDF5 files are written through it
  if (!settings.solution.empty()) session.emplace(nullptr, nullptr);
  for (const std::string& file : files) SolveFile(csv, file, settings);
  app.Write(csv);
}

}  // namespace scree
