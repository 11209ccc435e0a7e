// scree-integrators: a Hunt-Crossley impact in closed form and by four numerical methods.
#include "apps/single/integrators_commands.hpp"

#include <cmath>

namespace scree::impact {

// ---- closed-form: a Hunt-Crossley impact without integration.

namespace {

constexpr int kMaxPoints = 1'000'000;

void NoteKeyQuantities(CsvOutput& csv, const HuntCrossleyImpact& impact) {
  const double u = impact.model().mu * impact.v_in();
  const OutboundApproximation approximation;
  csv.AddComment("v_in [m/s]", impact.v_in());
  csv.AddComment("mu_v_in", u);
  csv.AddComment("v_out [m/s]", impact.OutboundVelocity());
  csv.AddComment("v_out_approximate [m/s]", -impact.v_in() * approximation.Restitution(u));
  csv.AddComment("v_out_approximate_error", approximation.RelativeError(u));
  csv.AddComment("restitution", RestitutionCoefficient(u));
  csv.AddComment("x_max [m]", impact.MaxCompression());
  csv.AddComment("contact_time [s]", impact.ContactTime());
  csv.AddComment("energy_in [J]", impact.InitialEnergy());
  csv.AddComment("energy_out [J]", impact.FinalEnergy());
}

/// The velocity v at s, which runs from −1 (first touch) through 0 (largest compression) to 1
/// (release). Near both ends x is proportional to |v − v_end|^(1/(α+1)) and therefore to 1 − |s|:
/// equal steps of s give equal steps of x.
double VelocityAt(const HuntCrossleyImpact& impact, double s) {
  const double v_end = s <= 0.0 ? impact.v_in() : impact.OutboundVelocity();
  return v_end * (1.0 - std::pow(1.0 - std::abs(s), impact.model().alpha + 1.0));
}

}  // namespace

void IntegratorsClosedForm(AppRun& app) {
  AppOptions options(
      "scree-integrators closed-form",
      "One impact in closed form. Comments above the table have the outbound velocity (exact, and\n"
      "by the nonlocal approximation of fourth order), restitution, largest compression, contact\n"
      "time and energies. The table has time, compression, contact force and Hamiltonian as\n"
      "functions of velocity.");
  IntegratorOptions impact_options;
  int points = 200;
  impact_options.AddModel(options);
  options.Add("points", points,
              "intervals in v, half for compression and half for restitution; shortest at touch "
              "and release");
  if (!app.Parse(options)) return;
  impact_options.SetMassAndStiffness(options);
  RequireRange("--points", points, 2, kMaxPoints);
  const SteppedImpactSetup& setup = impact_options.setup;
  const HuntCrossleyImpact impact(setup.model, setup.v_in);
  CsvOutput csv = app.Table();
  NoteModel(csv, setup.model);
  NoteKeyQuantities(csv, impact);
  csv.Columns(ColumnNames("v [m/s], time [s], x [m], force [N], hamiltonian [J]"));
  for (int i = 0; i <= points; ++i) {
    const double v = VelocityAt(impact, 2.0 * i / points - 1.0);
    const double x = i == 0 || i == points ? 0.0 : impact.CompressionAt(v);
    AddRow(csv, v, impact.TimeAt(v), x, ContactForce(setup.model, x, v), impact.HamiltonianAt(v));
  }
  app.Write(csv);
}

// ---- simulate: one impact, sample by sample.

namespace {

void NoteResult(CsvOutput& csv, const SteppedImpactSetup& setup, const SteppedImpact& run) {
  csv.AddComment("released", run.released ? "yes" : "no");
  csv.AddComment("steps", run.Steps());
  if (run.iterations > 0) {
    csv.AddComment("iterations_per_step", static_cast<double>(run.iterations) / run.Steps());
  }
  csv.AddComment("v_end [m/s]", run.OutboundVelocity());
  if (setup.external_force > 0.0) {
    csv.AddComment("x_equilibrium [m]", EquilibriumCompression(setup.model, setup.external_force));
  }
  if (setup.external_force != 0.0 || !run.released) return;
  const HuntCrossleyImpact exact(setup.model, setup.v_in);
  const ClosedFormDeviations deviations = Deviations(exact, run);
  csv.AddComment("constrained", run.is_outbound_constrained ? "yes" : "no");
  csv.AddComment("v_out_exact [m/s]", exact.OutboundVelocity());
  csv.AddComment("max_deviation_x_percent", 100.0 * deviations.compression);
  csv.AddComment("error_v_out_percent", 100.0 * deviations.outbound);
  csv.AddComment("max_deviation_H_percent", 100.0 * deviations.energy);
  csv.AddComment("release_deviation_H_percent", 100.0 * deviations.release_energy);
}

double Energy(const HuntCrossley& model, double x, double v) {
  const double power = model.alpha + 1.0;
  const double elastic = x > 0.0 ? model.stiffness * std::pow(x, power) / power : 0.0;
  return 0.5 * model.mass * v * v + elastic;
}

void WriteSamples(CsvOutput& csv, const SteppedImpactSetup& setup, const SteppedImpact& run) {
  const bool has_closed_form = setup.external_force == 0.0;
  std::string columns = "step, time [s], x [m], v [m/s], force [N], hamiltonian [J]";
  if (has_closed_form) columns += ", x_exact [m], hamiltonian_exact [J]";
  csv.Columns(ColumnNames(columns));
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

void IntegratorsSimulate(AppRun& app) {
  AppOptions options(
      "scree-integrators simulate",
      "One impact from the first touch to the first sample out of contact. With oversampling only\n"
      "the samples at --rate and the last step are printed. x_exact and hamiltonian_exact are the\n"
      "closed forms at the simulated velocity, left out with an external force.\n"
      "A contact of fewer than four steps is an error unless --fewer-samples is given.");
  IntegratorOptions impact_options;
  SteppedImpactSetup& setup = impact_options.setup;
  impact_options.AddModel(options);
  impact_options.AddMethod(options);
  impact_options.AddSampling(options);
  impact_options.AddCorrections(options);
  options.Add("force", setup.external_force,
              "constant force on the mass; positive: towards the wall");
  options.Add(
      "end", setup.duration,
      "longest simulated time; 0: ten contact times (of the impact without external force)");
  if (!app.Parse(options)) return;
  impact_options.SetMassAndStiffness(options);
  impact_options.CheckCorrections(options);
  const SteppedImpactSetup full_setup = impact_options.MakeSetup();
  const SteppedImpact run = ImpactRunner(full_setup).Run();
  CsvOutput csv = app.Table();
  NoteModel(csv, full_setup.model);
  csv.AddComment("v_in [m/s]", full_setup.v_in);
  csv.AddComment("external_force [N]", full_setup.external_force);
  NoteSteps(csv, full_setup);
  NoteResult(csv, full_setup, run);
  WriteSamples(csv, full_setup, run);
  app.Write(csv);
}

}  // namespace scree::impact

int main(int argc, char** argv) {
  const std::string source =
      "S. Papetti, F. Avanzini, D. Rocchesso, Numerical methods for a nonlinear impact model, IEEE "
      "TASLP 19 (2011)";
  const scree::AppCommand commands[] = {
      {"closed-form", "one impact in closed form: key quantities, curves as functions of velocity",
       scree::impact::IntegratorsClosedForm, source},
      {"simulate", "one impact step by step, with or without corrections",
       scree::impact::IntegratorsSimulate, source},
      {"rebounds", "a chain of impacts: accumulated errors, or the motion",
       scree::impact::IntegratorsRebounds, source},
      {"resonate", "an impact on a body that rings, with or without corrections",
       scree::impact::IntegratorsResonate, source},
      {"sweep",
       "error of the approximate outbound velocity, or of the energy, for a range of impacts",
       scree::impact::IntegratorsSweep, source},
  };
  return scree::RunSmallApp(
      argc, argv,
      "A mass hits a wall through a Hunt-Crossley spring and damper, f = k x^alpha (1 + mu v).\n"
      "Compares numerical methods with the closed forms of this impact. Results are CSV on\n"
      "standard output, or in the file given by --output.",
      commands);
}
