// scree-integrators order: how the error of each method falls with the step.
#include <cmath>
#include <limits>

#include "apps/integrators_commands.hpp"
#include "apps/small_app.hpp"
#include "solvers/base/check.hpp"
#include "solvers/impact/stepper_convergence.hpp"

namespace scree::impact {
namespace {

constexpr int kMostDoublings = 20;
// The smooth part: from 0.8 v_in to half of v_out, away from touch and release, where x^α is not
// smooth.
constexpr double kFromIn = 0.8, kToOut = 0.5;

void WritePart(CsvOutput& csv, const HuntCrossleyImpact& exact, const std::string& name,
               const ContactPart& part, int first, int doublings) {
  for (const ImpactMethod method : kImpactMethods) {
    double previous = std::numeric_limits<double>::quiet_NaN();
    for (int i = 0; i <= doublings; ++i) {
      const int steps = first << i;
      const ConvergencePoint point = IntegratePart(exact, part, method, steps);
      csv.Row({name, std::string(Name(method)), std::int64_t{steps}, point.h,
               point.compression_error, point.velocity_error,
               std::log2(previous / point.compression_error)});
      previous = point.compression_error;
    }
  }
}

}  // namespace

void IntegratorsOrder(const std::vector<std::string>& arguments, const std::string& command_line) {
  AppOptions options(
      "scree-integrators order",
      "Errors of all methods at the end of a part of the contact that begins with the exact state\n"
      "and takes the exact time: the smooth part from 0.8 v_in to v_out/2, and the whole contact,\n"
      "where the exponent alpha limits the order. order compares each error of the compression\n"
      "with that of twice the step.");
  IntegratorOptions impact_options;
  int first = 8, doublings = 9;
  std::string out;
  impact_options.AddModel(options);
  options.Add("steps", first, "steps of the coarsest integration");
  options.Add("doublings", doublings, "how often the number of steps is doubled");
  options.Add("out", out, "file for the table instead of standard output");
  if (!ParseOrHelp(arguments, options)) return;
  impact_options.ApplyBodies(options);
  DemandRange("--steps", first, ImpactRunner::kLeastSamples, 1000);
  DemandRange("--doublings", doublings, 0, kMostDoublings);
  const HuntCrossleyImpact exact(impact_options.setup.model, impact_options.setup.v_in);
  const double v_in = exact.v_in(), v_out = exact.OutboundVelocity();
  CsvOutput csv(command_line);
  NoteModel(csv, exact.model());
  csv.Note("v_in", v_in);
  csv.Columns({"part", "method", "steps", "h", "error_x", "error_v", "order"});
  WritePart(csv, exact, "smooth", {kFromIn * v_in, kToOut * v_out}, first, doublings);
  WritePart(csv, exact, "whole", {v_in, v_out}, first, doublings);
  csv.Write(out);
}

}  // namespace scree::impact
