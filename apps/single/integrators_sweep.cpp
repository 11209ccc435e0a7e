// scree-integrators sweep: two figures of Papetti, Avanzini & Rocchesso (models/hunt_crossley.hpp).
// Figure 3 is the error of the approximate outbound velocity. Figure 11 is the deviation of the
// energy as a function of μ or v_in, without and with corrections.
#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>

#include "apps/single/failed_points.hpp"
#include "apps/single/integrators_commands.hpp"
#include "io/command_line/app_words.hpp"
#include "solvers/base/check.hpp"

namespace scree::impact {
namespace {

constexpr std::array<std::string_view, 4> kVariables = {"damping-times-speed", "relative-damping",
                                                        "speed", "rate"};
constexpr int kMaxPoints = 1'000'000;

struct Grid {
  double from = 0.0, to = 0.0;
  int points = 0;

  double At(int i) const { return from * std::pow(to / from, static_cast<double>(i) / points); }
};

void WriteOutboundError(CsvOutput& csv, const Grid& grid, int order) {
  const OutboundApproximation approximation(order);
  const auto largest = approximation.MaxError();
  csv.AddComment("order", order);
  csv.AddComment("greatest_error", largest.error);
  csv.AddComment("greatest_error_at", largest.u);
  for (const auto& [name, threshold] : {std::pair("0.1_percent", 1e-3), {"1_percent", 1e-2}}) {
    const auto range = approximation.RangeWithin(threshold);
    csv.AddComment(Text("within_", name, "_below"), range.below);
    csv.AddComment(Text("within_", name, "_above"), range.above);
  }
  csv.Columns({"mu_v_in", "restitution", "restitution_approximate", "relative_error"});
  for (int i = 0; i <= grid.points; ++i) {
    const double u = grid.At(i);
    AddRow(csv, u, RestitutionCoefficient(u), approximation.Restitution(u),
           approximation.RelativeError(u));
  }
}

/// Largest deviation of the energy during and after contact, in percent of the dissipated energy.
double MaxDeviation(const SteppedImpactSetup& setup) {
  const HuntCrossleyImpact exact(setup.model, setup.v_in);
  const ClosedFormDeviations d = Deviations(exact, ImpactRunner(setup).RunToRelease());
  return 100.0 * std::max(d.energy, d.release_energy);
}

void WriteEnergyDeviation(CsvOutput& csv, SteppedImpactSetup setup, const Grid& grid,
                          std::string_view over) {
  NoteModel(csv, setup.model);
  csv.AddComment("v_in [m/s]", setup.v_in);
  csv.AddComment("method", Name(setup.method));
  csv.AddComment("rate [Hz]", setup.rate);
  csv.Columns(ColumnNames(
      "mu [s/m], v_in [m/s], mu_v_in, rate [Hz], samples_in_contact, max_deviation_H_percent, "
      "max_deviation_H_corrected_percent"));
  double& varied_value = over == kVariables[1]   ? setup.model.mu
                         : over == kVariables[2] ? setup.v_in
                                                 : setup.rate;
  FailedPoints failed_points, unreported_points;
  for (int i = 0; i <= grid.points; ++i) {
    varied_value = grid.At(i);
    SteppedImpactSetup corrected = setup;
    corrected.hybrid = corrected.constrain_outbound = true;
    const std::string location = Text(over, " = ", grid.At(i));
    const auto deviation = [&](const SteppedImpactSetup& candidate) {
      return failed_points.Try(location, [&] { return MaxDeviation(candidate); });
    };
    const double samples = unreported_points.Try(location, [&] {
      return HuntCrossleyImpact(setup.model, setup.v_in).ContactTime() * setup.rate *
             setup.oversampling;
    });
    AddRow(csv, setup.model.mu, setup.v_in, setup.model.mu * setup.v_in, setup.rate, samples,
           deviation(setup), deviation(corrected));
  }
  failed_points.Report();
}

}  // namespace

void IntegratorsSweep(AppRun& app) {
  AppOptions options(
      "scree-integrators sweep",
      "With --over damping-times-speed (mu v_in): the restitution coefficient, exactly and by the\n"
      "nonlocal approximation, and where the error of the approximation is within 0.1 and 1\n"
      "percent. With --over relative-damping, speed or rate: the largest deviation of a method's\n"
      "energy during and after contact, without corrections and with both (hybrid, constrained\n"
      "outbound velocity). --fewer-samples includes the range in which the methods break down.");
  IntegratorOptions impact_options;
  impact_options.setup.v_in = 0.5;
  impact_options.method = Name(ImpactMethod::kRungeKutta4);
  std::string over(kVariables[0]), from = "0.001", to = "0.5";
  Grid grid{.points = 200};
  int order = OutboundApproximation::kPaperOrder;
  options.Add("over", over, "damping-times-speed, relative-damping, speed or rate");
  options.Add("from", from, "first value; with --over damping-times-speed the default is 0.01");
  options.Add("to", to, "last value; with --over damping-times-speed the default is 100");
  options.Add("points", grid.points, "number of intervals, equal in the logarithm");
  options.Add("order", order, "order of the approximation, with --over damping-times-speed");
  impact_options.AddModel(options);
  impact_options.AddMethod(options);
  impact_options.AddSampling(options);
  if (!app.Parse(options)) return;
  RequireChoice("--over", over, kVariables);
  RequireRange("--points", grid.points, 1, kMaxPoints);
  const bool is_outbound = over == kVariables[0];
  if (is_outbound && !options.IsGiven("from")) from = "0.01";
  if (is_outbound && !options.IsGiven("to")) to = "100";
  grid.from = ReadQuantity("--from", WordOf(over), from);
  grid.to = ReadQuantity("--to", WordOf(over), to);
  RequireAbove0("--from", grid.from);
  if (!(grid.to > grid.from)) {
    throw InputError(Text("--to = ", grid.to, " must be above --from = ", grid.from));
  }
  if (is_outbound) {
    for (const char* name : {"mass", "stiffness", "relative-damping", "exponent", "speed", "method",
                             "rate", "oversampling", "radius", "fewer-samples"}) {
      RejectUnused(options, name, "--over relative-damping, speed or rate");
    }
  } else {
    RejectUnused(options, "order", "--over damping-times-speed");
    RejectUnused(options, over,
                 "--over " + std::string(over == kVariables[1] ? kVariables[2] : kVariables[1]));
    if (over == "rate" && !(options.IsGiven("from") && options.IsGiven("to"))) {
      throw InputError("--over rate needs --from and --to [Hz]");
    }
  }
  impact_options.SetMassAndStiffness(options);
  CsvOutput csv = app.Table();
  if (is_outbound) {
    WriteOutboundError(csv, grid, order);
  } else {
    WriteEnergyDeviation(csv, impact_options.MakeSetup(), grid, over);
  }
  app.Write(csv);
}

}  // namespace scree::impact
