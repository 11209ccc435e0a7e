// scree-damping force: contact force over penetration during one impact, figure 2 of the paper on
// optimal linear damping, and figure 12 for its parameters.
#include <array>
#include <cmath>
#include <string_view>

#include "apps/damping_commands.hpp"
#include "apps/impact_bodies.hpp"
#include "apps/small_app.hpp"
#include "io/command_line/app_options.hpp"
#include "io/command_line/csv_output.hpp"
#include "solvers/base/check.hpp"
#include "solvers/impact/hysteresis_damping.hpp"
#include "solvers/impact/impact_integration.hpp"
#include "solvers/impact/linear_damping.hpp"
#include "solvers/impact/viscoelastic.hpp"

namespace scree::impact {
namespace {

constexpr std::array<std::string_view, 3> kModels = {"hertz", "linear-damping", "hunt-crossley"};
constexpr int kPartsPerStep = 4;

/// The impact of a model in the units in which m = k = v = 1. The linear damper is followed to
/// u = 0, through the pull that the contact is released from.
ScaledImpact ImpactOf(std::string_view model, double n, double e) {
  if (model == "hertz") return {n, 1.0, 0.0, 0.0, ImpactEnd::kDeformationZero};
  if (model == "linear-damping") {
    return {n, 1.0, OptimalDamping({n}, e), 0.0, ImpactEnd::kDeformationZero};
  }
  const double factor = HysteresisFactor(HysteresisFormula::kExact, e);
  return {n, n + 1.0, factor / (n + 1.0), 0.0, ImpactEnd::kDeformationZero};
}

void AddCurve(CsvOutput& csv, std::string_view model, const LinearDampingImpact& impact, double e) {
  const ScaledImpact scaled = ImpactOf(model, impact.n, e);
  const ImpactScales scales =
      ScalesOf({impact.n, 1.0}, {impact.mass, impact.stiffness, 0.0, 0.0}, impact.speed);
  const double force = impact.mass * impact.speed / scales.time;
  bool separated = false;
  for (const ImpactSample& sample : FollowImpact(scaled, kPartsPerStep)) {
    separated = separated || (sample.velocity < 0.0 && sample.force <= 0.0);
    csv.Row({std::string(model), sample.time * scales.time, sample.deformation * scales.length,
             sample.velocity * impact.speed, sample.force * force,
             static_cast<std::int64_t>(separated ? 1 : 0)});
  }
}

}  // namespace

void DampingForce(const std::vector<std::string>& arguments, const std::string& command_line) {
  AppOptions options(
      "scree-damping force",
      "Force against penetration during one impact: a spring without damper (hertz), with the\n"
      "linear damper that gives the restitution e (linear-damping), and with Hunt and Crossley's\n"
      "damper that gives the same (hunt-crossley). The linear damper is followed beyond the\n"
      "separation, marked in the last column, through the pull that the contact is released from.");
  LinearDampingImpact impact;
  BodyOptions bodies;
  double e = 0.5;
  std::string out;
  options.Add("e", e, "coefficient of restitution, above 0 and at most 1");
  options.Add("n", impact.n, "exponent of the spring, 1 to 2");
  options.Add("m", impact.mass, "mass that strikes, or effective mass [kg]");
  options.Add("k", impact.stiffness, "stiffness [N/m^n]");
  options.Add("v", impact.speed, "approach speed [m/s]");
  bodies.AddTo(options, "m");
  options.Add("out", out, "file for the table instead of standard output");
  if (!ParseOrHelp(arguments, options)) return;
  impact.mass = bodies.EffectiveMass(options, "m", impact.mass);
  if (bodies.Given(options)) {
    const auto contact = bodies.MakeContact(options, "m", "k", impact.n);
    impact.mass = contact.mass;
    impact.stiffness = contact.stiffness;
  }
  CheckImpact(impact);
  CsvOutput csv(command_line);
  csv.Note("delta_m [m]", GreatestPenetration(impact));
  csv.Columns({"model", "time", "penetration", "velocity", "force", "separated"});
  for (const std::string_view model : kModels) AddCurve(csv, model, impact, e);
  csv.Write(out);
}

}  // namespace scree::impact
