// scree-restitution trajectory: one impact over time, figures 3 and 4.
#include "apps/restitution_commands.hpp"
#include "apps/restitution_model.hpp"
#include "apps/small_app.hpp"
#include "io/command_line/app_options.hpp"
#include "io/command_line/csv_output.hpp"
#include "solvers/base/check.hpp"

namespace scree::impact {

void RestitutionTrajectory(const std::vector<std::string>& arguments,
                           const std::string& command_line) {
  AppOptions options(
      "scree-restitution trajectory",
      "Deformation, velocity of deformation and contact force during one impact, until the body\n"
      "detaches, turns round once more without having detached, or is at rest. Dimensionless, or\n"
      "in SI units if the contact's constants are given. Figure 3: --gamma 0.006 --load 0.1;\n"
      "figure 4: --gamma 0.06 --load 4.");
  ImpactOptions impact_options;
  int parts = 4;
  std::string out;
  impact_options.AddTo(options);
  options.Add("parts", parts, "points for each step of the integrator");
  options.Add("out", out, "file for the table instead of standard output");
  if (!ParseOrHelp(arguments, options)) return;
  DemandRange("--parts", parts, 1, 1000);
  const ScaledImpact impact = impact_options.Impact(options);
  const ImpactScales scales = impact_options.Scales(options);
  const double speed = impact_options.speed();
  const double force = impact_options.mass(options) * speed / scales.time;
  CsvOutput csv(command_line);
  csv.Note("gamma", impact.gamma);
  csv.Note("load", impact.load);
  csv.Columns({"time", "deformation", "velocity", "force"});
  for (const ImpactSample& sample : FollowImpact(impact, parts)) {
    csv.Row({sample.time * scales.time, sample.deformation * scales.length, sample.velocity * speed,
             sample.force * force});
  }
  csv.Write(out);
}

}  // namespace scree::impact
