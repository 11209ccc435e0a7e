// scree-damping optimal: the linear damping for a restitution, and the restitution of a damping.
#include <cmath>

#include "apps/damping_commands.hpp"
#include "apps/impact_bodies.hpp"
#include "apps/small_app.hpp"
#include "io/command_line/app_options.hpp"
#include "io/command_line/csv_output.hpp"
#include "solvers/base/check.hpp"
#include "solvers/impact/linear_damping.hpp"

namespace scree::impact {
namespace {

/// (12) [J]
double EnergyLost(const LinearDampingImpact& impact, double e) {
  return 0.5 * impact.mass * impact.speed * impact.speed * (1.0 - e) * (1.0 + e);
}

void WriteOptimal(CsvOutput& csv, const LinearDampingImpact& impact, double e) {
  csv.Columns(
      {"method", "e", "c", "e_out", "lambda", "separation_penetration", "c_bound", "energy_lost"});
  const double bound = DampingBound(impact, e);
  const auto add = [&](const char* method, double c) {
    const double e_out = RestitutionOfDamping(impact, c);
    csv.Row({std::string(method), e, c, e_out, c / bound, SeparationDeformation(impact, c, e),
             bound, EnergyLost(impact, e_out)});
  };
  add("exact", OptimalDamping(impact, e));
  add("fit", FittedDamping(impact, e));
}

void WriteRestitution(CsvOutput& csv, const LinearDampingImpact& impact, double c) {
  csv.Columns({"c", "e_out", "damping_ratio", "separation_penetration", "energy_lost"});
  const double e = RestitutionOfDamping(impact, c);
  // The ratio has a meaning for the linear spring only.
  const double ratio =
      impact.n == 1.0 ? 0.5 * c / std::sqrt(impact.stiffness * impact.mass) : std::nan("");
  csv.Row({c, e, ratio, SeparationDeformation(impact, c, e), EnergyLost(impact, e)});
}

}  // namespace

void DampingOptimal(const std::vector<std::string>& arguments, const std::string& command_line) {
  AppOptions options(
      "scree-damping optimal",
      "The damping c [kg/s] of the force k d^n + c d' that gives the restitution e: the exact\n"
      "solution of the optimisation (23), and the fit (49). e_out is what each really gives,\n"
      "lambda is c over its upper bound (33); delta_m (27) is how deep the spring alone would be\n"
      "pressed, energy_lost (12) what the impact takes. With --c the other way round: the\n"
      "restitution of a given damping.");
  LinearDampingImpact impact;
  BodyOptions bodies;
  double e = 0.5, c = 0.0;
  std::string out;
  options.Add("e", e, "coefficient of restitution, above 0 and at most 1");
  options.Add("n", impact.n, "exponent of the spring, 1 to 2");
  options.Add("m", impact.mass, "mass that strikes, or effective mass [kg]");
  options.Add("k", impact.stiffness, "stiffness [N/m^n]");
  options.Add("v", impact.speed, "approach speed [m/s]");
  bodies.AddTo(options, "m");
  options.Add("c", c, "damping [kg/s] of which the restitution is wanted, instead of --e");
  options.Add("out", out, "file for the table instead of standard output");
  if (!ParseOrHelp(arguments, options)) return;
  if (options.Given("c") && options.Given("e")) {
    throw InputError("--c and --e exclude each other: give the damping or the restitution");
  }
  impact.mass = bodies.EffectiveMass(options, "m", impact.mass);
  if (bodies.Given(options)) {
    const auto contact = bodies.MakeContact(options, "m", "k", impact.n);
    impact.mass = contact.mass;
    impact.stiffness = contact.stiffness;
  }
  CheckImpact(impact);
  CsvOutput csv(command_line);
  csv.Note("damping scale [kg/s]", DampingScale(impact));
  csv.Note("delta_m [m]", GreatestPenetration(impact));
  csv.Note("alpha(n)", DampingAlpha(impact.n));
  csv.Note("beta(n)", DampingBeta(impact.n));
  if (options.Given("c")) {
    WriteRestitution(csv, impact, c);
  } else {
    WriteOptimal(csv, impact, e);
  }
  csv.Write(out);
}

}  // namespace scree::impact
