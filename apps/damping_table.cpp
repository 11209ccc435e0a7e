// scree-damping table: what the formulas for the Hunt-Crossley damping factor really give.
#include "apps/damping_commands.hpp"
#include "apps/small_app.hpp"
#include "io/command_line/app_options.hpp"
#include "io/command_line/csv_output.hpp"
#include "solvers/base/check.hpp"
#include "solvers/impact/hysteresis_damping.hpp"

namespace scree::impact {

void DampingTable(const std::vector<std::string>& arguments, const std::string& command_line) {
  AppOptions options(
      "scree-damping table",
      "Hunt and Crossley's force (k + mu d') d^n with the damping factor mu by the formulas\n"
      "(13) to (16) and by the exact (18)-(19), over the restitution e that it is made for. mu "
      "v/k\n"
      "and the restitution e_out that it gives do not depend on n, m, k, v.");
  double from = 0.1, to = 0.9;
  int points = 9;
  std::string out;
  options.Add("from", from, "first e, above 0");
  options.Add("to", to, "last e, at most 1");
  options.Add("points", points, "number of values of e");
  options.Add("out", out, "file for the table instead of standard output");
  if (!ParseOrHelp(arguments, options)) return;
  DemandRange("--points", points, 2, 100000);
  if (!(from > 0.0 && from < to && to <= 1.0)) {
    throw InputError(
        Text("--from ", from, " and --to ", to, " must be above 0, rising, and at most 1"));
  }
  CsvOutput csv(command_line);
  csv.Columns({"e", "formula", "mu_v_over_k", "e_out", "error"});
  for (int i = 0; i < points; ++i) {
    const double e = i + 1 == points ? to : from + (to - from) * i / (points - 1);
    for (const HysteresisFormula formula : kHysteresisFormulas) {
      const double factor = HysteresisFactor(formula, e);
      const double e_out = RestitutionOfHysteresis(factor);
      csv.Row({e, std::string(Name(formula)), factor, e_out, e_out - e});
    }
  }
  csv.Write(out);
}

}  // namespace scree::impact
