// scree-integrators simulate: one impact, sample by sample.
#include <cmath>

#include "apps/integrators_commands.hpp"
#include "apps/small_app.hpp"

namespace scree::impact {
namespace {

void NoteResult(CsvOutput& csv, const SteppedImpactSetup& setup, const SteppedImpact& run) {
  csv.Note("released", run.released ? "yes" : "no");
  csv.Note("steps", run.Steps());
  if (run.iterations > 0) {
    csv.Note("iterations_per_step", static_cast<double>(run.iterations) / run.Steps());
  }
  csv.Note("v_end", run.OutboundVelocity());
  if (setup.external_force > 0.0) {
    csv.Note("x_equilibrium", EquilibriumCompression(setup.model, setup.external_force));
  }
  if (setup.external_force != 0.0 || !run.released) return;
  const HuntCrossleyImpact exact(setup.model, setup.v_in);
  const ClosedFormDeviations deviations = Deviations(exact, run);
  csv.Note("constrained", run.constrained ? "yes" : "no");
  csv.Note("v_out_exact", exact.OutboundVelocity());
  csv.Note("max_deviation_x_percent", 100.0 * deviations.compression);
  csv.Note("error_v_out_percent", 100.0 * deviations.outbound);
  csv.Note("max_deviation_H_percent", 100.0 * deviations.energy);
  csv.Note("release_deviation_H_percent", 100.0 * deviations.release_energy);
}

double Energy(const HuntCrossley& model, double x, double v) {
  const double power = model.alpha + 1.0;
  const double elastic = x > 0.0 ? model.stiffness * std::pow(x, power) / power : 0.0;
  return 0.5 * model.mass * v * v + elastic;
}

void WriteSamples(CsvOutput& csv, const SteppedImpactSetup& setup, const SteppedImpact& run) {
  const bool has_closed_form = setup.external_force == 0.0;
  std::vector<std::string> columns = {"step", "time", "x", "v", "force", "hamiltonian"};
  if (has_closed_form) columns.insert(columns.end(), {"x_exact", "hamiltonian_exact"});
  csv.Columns(columns);
  const HuntCrossleyImpact exact(setup.model, setup.v_in);
  for (int n = 0; n <= run.Steps(); ++n) {
    if (n % setup.oversampling != 0 && n != run.Steps()) continue;
    const auto [x, v] = run.samples[static_cast<std::size_t>(n)];
    std::vector<CsvOutput::Cell> row = {
        std::int64_t{n},          n * run.step, x, v, ContactForce(setup.model, x, v),
        Energy(setup.model, x, v)};
    if (has_closed_form) {
      row.emplace_back(exact.CompressionAt(v));
      row.emplace_back(exact.HamiltonianAt(v));
    }
    csv.Row(row);
  }
}

}  // namespace

void IntegratorsSimulate(const std::vector<std::string>& arguments,
                         const std::string& command_line) {
  AppOptions options(
      "scree-integrators simulate",
      "One impact from the first touch to the first sample out of contact. With oversampling the\n"
      "samples of the rate and the last step are printed. x_exact and hamiltonian_exact are the\n"
      "closed forms at the simulated velocity; they do not exist with an external force.\n"
      "A contact of fewer than four steps is refused unless --fewer-samples is given.");
  IntegratorOptions impact_options;
  std::string out;
  SteppedImpactSetup& setup = impact_options.setup;
  impact_options.AddModel(options);
  impact_options.AddMethod(options);
  impact_options.AddSampling(options);
  impact_options.AddCorrections(options);
  options.Add("external-force", setup.external_force,
              "constant force on the mass, towards the wall if above 0 [N]");
  options.Add("duration", setup.duration,
              "longest time simulated [s]; 0: ten contact times without external force");
  options.Add("out", out, "file for the table instead of standard output");
  if (!ParseOrHelp(arguments, options)) return;
  impact_options.ApplyBodies(options);
  impact_options.DemandCorrectionsUsed(options);
  const SteppedImpactSetup chosen = impact_options.Chosen();
  const SteppedImpact run = ImpactRunner(chosen).Run();
  CsvOutput csv(command_line);
  NoteModel(csv, chosen.model);
  csv.Note("v_in", chosen.v_in);
  csv.Note("external_force", chosen.external_force);
  NoteSteps(csv, chosen);
  NoteResult(csv, chosen, run);
  WriteSamples(csv, chosen, run);
  csv.Write(out);
}

}  // namespace scree::impact
