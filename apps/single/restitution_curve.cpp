// scree-restitution curve: one contact at a range of approach speeds, dissipations or loads.
#include <array>
#include <cmath>
#include <string_view>

#include "apps/single/failed_points.hpp"
#include "apps/single/restitution_commands.hpp"
#include "apps/single/restitution_model.hpp"
#include "io/command_line/app_words.hpp"
#include "solvers/base/check.hpp"
#include "solvers/restitution/restitution_expansion.hpp"

namespace scree::impact {
namespace {

constexpr std::array<std::string_view, 3> kVariables = {"speed", "gamma", "load"};

struct Range {
  std::string over = "speed";
  double from = 0.0, to = 0.0;
  std::string from_text = "0.01", to_text = "10";  // with their units
  int points = 50;
  bool is_linear = false;

  double At(int i) const {
    const double fraction = static_cast<double>(i) / (points - 1);
    if (i == 0 || i + 1 == points) return i == 0 ? from : to;
    return is_linear ? from + (to - from) * fraction : from * std::pow(to / from, fraction);
  }
};

void Check(const AppOptions& options, Range& range) {
  RequireChoice("--over", range.over, kVariables);
  range.from = ReadQuantity("--from", WordOf(range.over), range.from_text);
  range.to = ReadQuantity("--to", WordOf(range.over), range.to_text);
  RequireRange("--points", range.points, 2, 100000);
  const bool is_from_valid = range.is_linear ? range.from >= 0.0 : range.from > 0.0;
  if (!is_from_valid || !(range.to > range.from)) {
    throw InputError(Text("--from ", range.from, " and --to ", range.to,
                          " must be above 0 (at least 0 with --linear) and rising"));
  }
  RejectUnused(options, range.over,
               "--over " + std::string(range.over == "speed" ? "gamma or load" : "speed"));
}

ScaledImpact ImpactAt(const AppOptions& options, ImpactOptions& impact_options, const Range& range,
                      double value) {
  if (range.over == "speed") return impact_options.ImpactAt(options, value);
  ScaledImpact impact = impact_options.Impact(options);
  (range.over == "gamma" ? impact.gamma : impact.load) = value;
  return impact;
}

void WriteCurve(CsvOutput& csv, const AppOptions& options, ImpactOptions& impact_options,
                const Range& range) {
  const bool in_units = impact_options.IsGivenInUnits(options);
  csv.Columns({range.over + (range.over == "speed" ? " [m/s]" : ""), "e", "1 - e^2",
               "greatest_force" + InUnit(in_units, "N"),
               "greatest_deformation" + InUnit(in_units, "m"), "duration" + InUnit(in_units, "s"),
               "gamma", "load", "e_36"});
  FailedPoints failed;
  for (int i = 0; i < range.points; ++i) {
    const double value = range.At(i);
    const ScaledImpact impact = ImpactAt(options, impact_options, range, value);
    const ImpactScales scales = impact_options.Scales(options);
    const double force_unit = impact_options.mass(options) * impact_options.speed() / scales.time;
    ImpactResult result;
    const double e = failed.Try(Text(range.over, " = ", value), [&] {
      result = IntegrateImpact(impact, kImpactTolerance, OnCapture::kFollow);
      return result.restitution;
    });
    if (std::isnan(e)) {
      AddRow(csv, value, e, e, e, e, e, impact.gamma, impact.load, e);
      continue;
    }
    const LoadIntegrals integrals = IntegrateLoad(impact.alpha, impact.beta, impact.load);
    AddRow(csv, value, e, result.loss, MaxForce(impact) * force_unit,
           result.max_deformation * scales.length, result.duration * scales.time, impact.gamma,
           impact.load, PropositionRestitution(impact.beta, impact.gamma, integrals));
  }
  failed.Report();
}

}  // namespace

void RestitutionCurve(AppRun& app) {
  AppOptions options(
      "scree-restitution curve",
      "Restitution, largest force, deformation and duration of one contact as functions of its\n"
      "approach speed (give constants or bodies, in SI units), or of the dimensionless gamma or\n"
      "load. e_36 is the closed form (36). scree-restitution invert finds the constants that give\n"
      "a measured restitution.");
  ImpactOptions impact_options;
  Range range;
  options.Add("over", range.over, "speed, gamma or load");
  options.Add("from", range.from_text, "first value; a speed with its unit, such as \"1 mm/s\"");
  options.Add("to", range.to_text, "last value");
  options.Add("points", range.points, "number of values, equally spaced in the logarithm");
  options.Add("linear", range.is_linear, "space the values equally instead");
  impact_options.AddTo(options);
  if (!app.Parse(options)) return;
  Check(options, range);
  if (range.over != "speed" && impact_options.IsGivenInUnits(options)) {
    throw InputError(
        Text("--over ", range.over, " is dimensionless; constants with units need --over speed"));
  }
  CsvOutput csv = app.Table();
  WriteCurve(csv, options, impact_options, range);
  app.Write(csv);
}

}  // namespace scree::impact
