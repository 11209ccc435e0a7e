// scree-damping: computes the damping of a contact from its coefficient of restitution.
#include "apps/single/damping_commands.hpp"

#include <array>
#include <cmath>
#include <string_view>

#include "apps/single/impact_bodies.hpp"
#include "apps/single/models/hysteresis_damping.hpp"
#include "apps/single/models/linear_damping.hpp"
#include "solvers/base/check.hpp"
#include "solvers/restitution/impact_integration.hpp"
#include "solvers/restitution/viscoelastic.hpp"

namespace scree::impact {

// ---- force: contact force against penetration during one impact, as in figure 2 of the paper on
// optimal linear damping and, with other parameters, in its figure 12.

namespace {

constexpr std::array<std::string_view, 3> kModels = {"hertz", "linear-damping", "hunt-crossley"};
constexpr int kPartsPerStep = 4;

/// The impact of a model in units with m = k = v = 1. With the linear damper, the motion continues
/// after the separation until the deformation is zero, although the force then pulls.
ScaledImpact ScaledImpactOf(std::string_view model, double n, double e) {
  if (model == "hertz") return {n, 1.0, 0.0, 0.0, ImpactEnd::kDeformationZero};
  if (model == "linear-damping") {
    return {n, 1.0, OptimalDamping({n}, e), 0.0, ImpactEnd::kDeformationZero};
  }
  const double factor = HysteresisFactor(HysteresisFormula::kExact, e);
  return {n, n + 1.0, factor / (n + 1.0), 0.0, ImpactEnd::kDeformationZero};
}

void AddCurve(CsvOutput& csv, std::string_view model, const LinearDampingImpact& impact, double e) {
  const ScaledImpact scaled = ScaledImpactOf(model, impact.n, e);
  const ImpactScales scales =
      ScalesOf({impact.n, 1.0}, {impact.mass, impact.stiffness, 0.0, 0.0}, impact.speed);
  const double force = impact.mass * impact.speed / scales.time;
  bool has_separated = false;
  for (const ImpactSample& sample : SampleImpactPath(scaled, kPartsPerStep)) {
    has_separated = has_separated || (sample.velocity < 0.0 && sample.force <= 0.0);
    AddRow(csv, model, sample.time * scales.time, sample.deformation * scales.length,
           sample.velocity * impact.speed, sample.force * force, has_separated ? 1 : 0);
  }
}

/// Adds the options of an impact with a given restitution.
void AddImpact(AppOptions& options, LinearDampingImpact& impact, double& e, BodyOptions& bodies) {
  options.Add("restitution", e, "coefficient of restitution, above 0 and at most 1");
  options.Add("exponent", impact.n, "exponent of the spring, 1 to 2");
  options.Add("mass", impact.mass, "mass of the striking body, or effective mass");
  options.Add("stiffness", impact.stiffness, "stiffness");
  options.Add("speed", impact.speed, "approach speed");
  bodies.AddTo(options, "mass");
}

}  // namespace

void DampingForce(AppRun& app) {
  AppOptions options(
      "scree-damping force",
      "Force against penetration during one impact: a spring without damper (hertz), with the\n"
      "linear damper that gives the restitution e (linear-damping), and with Hunt and Crossley's\n"
      "damper that gives the same e (hunt-crossley). The curve of the linear damper continues\n"
      "after the separation, where its force would pull; there the last column is 1.");
  LinearDampingImpact impact;
  BodyOptions bodies;
  double e = 0.5;
  AddImpact(options, impact, e, bodies);
  if (!app.Parse(options)) return;
  bodies.Apply(options, "mass", "stiffness", impact.n, impact.mass, impact.stiffness);
  CheckImpact(impact);
  CsvOutput csv = app.Table();
  csv.AddComment("delta_m [m]", MaxPenetration(impact));
  csv.Columns(
      ColumnNames("model, time [s], penetration [m], velocity [m/s], force [N], separated"));
  for (const std::string_view model : kModels) AddCurve(csv, model, impact, e);
  app.Write(csv);
}

// ---- table: the formulas for the Hunt-Crossley damping factor, and the true restitution of each.

void DampingTable(AppRun& app) {
  AppOptions options(
      "scree-damping table",
      "Hunt and Crossley's force (k + mu d') d^n with the damping factor mu by the formulas\n"
      "(13) to (16) and by the exact (18)-(19), for each wanted restitution e. A formula gives\n"
      "mu v/k, and e_out is the restitution that results. Neither depends on n, m, k, v.");
  double from = 0.1, to = 0.9;
  int points = 9;
  options.Add("from", from, "first e, above 0");
  options.Add("to", to, "last e, at most 1");
  options.Add("points", points, "number of values of e");
  if (!app.Parse(options)) return;
  RequireRange("--points", points, 2, 100000);
  if (!(from > 0.0 && from < to && to <= 1.0)) {
    throw InputError(
        Text("--from ", from, " and --to ", to, " must be above 0, rising, and at most 1"));
  }
  CsvOutput csv = app.Table();
  csv.Columns({"e", "formula", "mu_v_over_k", "e_out", "error"});
  for (int i = 0; i < points; ++i) {
    const double e = i + 1 == points ? to : from + (to - from) * i / (points - 1);
    for (const HysteresisFormula formula : kHysteresisFormulas) {
      const double factor = HysteresisFactor(formula, e);
      const double e_out = RestitutionOfHysteresis(factor);
      AddRow(csv, e, Name(formula), factor, e_out, e_out - e);
    }
  }
  app.Write(csv);
}

// ---- optimal: the linear damping for a restitution, and the restitution for a damping.

namespace {

/// The energy lost in the impact, equation (12) [J].
double EnergyLost(const LinearDampingImpact& impact, double e) {
  return 0.5 * impact.mass * impact.speed * impact.speed * (1.0 - e) * (1.0 + e);
}

void WriteOptimal(CsvOutput& csv, const LinearDampingImpact& impact, double e) {
  csv.Columns(
      ColumnNames("method, e, c [kg/s], e_out, lambda, separation_penetration [m], c_bound [kg/s], "
                  "energy_lost [J]"));
  const double bound = DampingBound(impact, e);
  const auto add = [&](const char* method, double c) {
    const double e_out = RestitutionOfDamping(impact, c);
    AddRow(csv, method, e, c, e_out, c / bound, SeparationDeformation(impact, c, e), bound,
           EnergyLost(impact, e_out));
  };
  add("exact, eq. (23)", OptimalDamping(impact, e));
  add("fit, eq. (49)", FittedDamping(impact, e));
}

void WriteRestitution(CsvOutput& csv, const LinearDampingImpact& impact, double c) {
  csv.Columns(
      ColumnNames("c [kg/s], e_out, damping_ratio, separation_penetration [m], energy_lost [J]"));
  const double e = RestitutionOfDamping(impact, c);
  // The ratio is defined only for the linear spring.
  const double ratio =
      impact.n == 1.0 ? 0.5 * c / std::sqrt(impact.stiffness * impact.mass) : std::nan("");
  AddRow(csv, c, e, ratio, SeparationDeformation(impact, c, e), EnergyLost(impact, e));
}

}  // namespace

void DampingOptimal(AppRun& app) {
  AppOptions options(
      "scree-damping optimal",
      "The damping c [kg/s] of the force k d^n + c d' that gives the restitution e: the exact\n"
      "solution of the optimisation (23), and the fit (49). e_out is the true restitution of each\n"
      "c, and lambda is c divided by its upper bound (33). delta_m (27) is the penetration of the\n"
      "spring without damper, energy_lost (12) the energy that the impact dissipates. With\n"
      "--damping: the restitution of this damping.");
  LinearDampingImpact impact;
  BodyOptions bodies;
  double e = 0.5, c = 0.0;
  AddImpact(options, impact, e, bodies);
  options.Add("damping", c,
              "given damping, whose restitution is computed, instead of --restitution");
  if (!app.Parse(options)) return;
  if (options.IsGiven("damping") && options.IsGiven("restitution")) {
    throw InputError("--damping and --restitution exclude each other: give only one of them");
  }
  bodies.Apply(options, "mass", "stiffness", impact.n, impact.mass, impact.stiffness);
  CheckImpact(impact);
  CsvOutput csv = app.Table();
  csv.AddComment("damping scale [kg/s]", DampingScale(impact));
  csv.AddComment("delta_m [m]", MaxPenetration(impact));
  csv.AddComment("alpha(n)", DampingAlpha(impact.n));
  csv.AddComment("beta(n)", DampingBeta(impact.n));
  if (options.IsGiven("damping")) {
    WriteRestitution(csv, impact, c);
  } else {
    WriteOptimal(csv, impact, e);
  }
  app.Write(csv);
}

}  // namespace scree::impact

int main(int argc, char** argv) {
  const std::string source =
      "An analytical approximation of the optimal linear damping of a Hertz-type contact";
  const scree::AppCommand commands[] = {
      {"force", "force against penetration of the contact models, figure 2",
       scree::impact::DampingForce, source},
      {"table", "Hunt-Crossley damping factors by formula and the restitution they really give",
       scree::impact::DampingTable, source},
      {"optimal", "the linear damping that gives a restitution, exact and by the fit",
       scree::impact::DampingOptimal, source},
      {"sweep", "data of figures 3 to 9, with the fits behind alpha(n) and beta(n)",
       scree::impact::DampingSweep, source},
  };
  return scree::RunSmallApp(
      argc, argv,
      "Calibrates the damping of contact forces, k d^n + c d' (linear damper) and\n"
      "(k + mu d') d^n (Hunt and Crossley), so that an impact has a wanted coefficient of\n"
      "restitution. Results are CSV on standard output, or in the file given by --output.",
      commands);
}
