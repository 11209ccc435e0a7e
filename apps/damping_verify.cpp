// scree-damping verify: section 5.1 of the paper on optimal linear damping, the greatest error of
// its formula over random parameters.
#include <cmath>

#include "apps/damping_commands.hpp"
#include "apps/small_app.hpp"
#include "apps/uniform_draw.hpp"
#include "io/command_line/app_options.hpp"
#include "io/command_line/csv_output.hpp"
#include "solvers/base/check.hpp"
#include "solvers/impact/linear_damping.hpp"
#include "solvers/impact/unscaled_impact.hpp"

namespace scree::impact {
namespace {

/// Section 5.1: uniform in the logarithm, for a range of seven decades else has only its last one.
LinearDampingImpact RandomImpact(UniformDraw& uniform) {
  const auto decades = [&](double from, double to) { return std::pow(10.0, uniform(from, to)); };
  LinearDampingImpact impact;
  impact.mass = decades(-5.0, 2.0);
  impact.stiffness = decades(5.0, 10.0);
  impact.speed = decades(-3.0, 2.0);
  impact.n = uniform(1.0, 2.0);
  return impact;
}

}  // namespace

void DampingVerify(const std::vector<std::string>& arguments, const std::string& command_line) {
  AppOptions options(
      "scree-damping verify",
      "For each restitution e: impacts with random m (1e-5 to 1e2 kg), k (1e5 to 1e10 N/m^n),\n"
      "v (1e-3 to 1e2 m/s) and n (1 to 2), damped by the fit (49) and integrated. The greatest\n"
      "|e_out - e| over all, and the parameters at which it occurs.");
  int samples = 300, points = 41, seed = 1;
  double from = 1e-4, to = 1.0;
  bool unscaled = false;
  std::string out;
  options.Add("samples", samples, "random impacts for each e");
  options.Add("points", points, "number of values of e");
  options.Add("from", from, "first e, above 0");
  options.Add("to", to, "last e, at most 1");
  options.Add("seed", seed, "of the random numbers");
  options.Add("unscaled", unscaled,
              "integrate m, k and v as they are, in SI units, instead of the scaled impact");
  options.Add("out", out, "file for the table instead of standard output");
  if (!ParseOrHelp(arguments, options)) return;
  DemandRange("--samples", samples, 1, 1000000);
  DemandRange("--points", points, 2, 100000);
  DemandRange("--seed", seed, 0, 2147483647);
  if (!(from > 0.0 && from < to && to <= 1.0)) {
    throw InputError(
        Text("--from ", from, " and --to ", to, " must be above 0, rising, and at most 1"));
  }
  UniformDraw uniform(static_cast<std::uint64_t>(seed));
  CsvOutput csv(command_line);
  csv.Columns({"e", "max_error", "n", "m", "k", "v", "c", "e_out"});
  for (int i = 0; i < points; ++i) {
    const double e = i + 1 == points ? to : from + (to - from) * i / (points - 1);
    LinearDampingImpact worst;
    double error = -1.0, c_worst = 0.0, e_worst = 0.0;
    for (int j = 0; j < samples; ++j) {
      const LinearDampingImpact impact = RandomImpact(uniform);
      const double c = FittedDamping(impact, e);
      const double e_out =
          unscaled ? UnscaledRestitution(impact, c) : RestitutionOfDamping(impact, c);
      if (std::abs(e_out - e) <= error) continue;
      worst = impact;
      error = std::abs(e_out - e);
      c_worst = c;
      e_worst = e_out;
    }
    csv.Row({e, error, worst.n, worst.mass, worst.stiffness, worst.speed, c_worst, e_worst});
  }
  csv.Write(out);
}

}  // namespace scree::impact
