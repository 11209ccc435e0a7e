// scree-integrators closed-form: what is known of a Hunt-Crossley impact without integration.
#include <cmath>

#include "apps/integrators_commands.hpp"
#include "apps/small_app.hpp"

namespace scree::impact {
namespace {

constexpr int kMostPoints = 1'000'000;

void NoteKeyFigures(CsvOutput& csv, const HuntCrossleyImpact& impact) {
  const double u = impact.model().mu * impact.v_in();
  const OutboundApproximation approximation;
  csv.Note("v_in", impact.v_in());
  csv.Note("mu_v_in", u);
  csv.Note("v_out", impact.OutboundVelocity());
  csv.Note("v_out_approximate", -impact.v_in() * approximation.Restitution(u));
  csv.Note("v_out_approximate_error", approximation.RelativeError(u));
  csv.Note("restitution", RestitutionCoefficient(u));
  csv.Note("x_max", impact.MaxCompression());
  csv.Note("contact_time", impact.ContactTime());
  csv.Note("energy_in", impact.InitialEnergy());
  csv.Note("energy_out", impact.FinalEnergy());
}

/// v for s from −1, first touch, over 0, greatest compression, to 1, release. Towards both ends x
/// goes with |v − v_end|^(1/(α+1)), so that points dense in v there are even in x.
double VelocityAt(const HuntCrossleyImpact& impact, double s) {
  const double v_end = s <= 0.0 ? impact.v_in() : impact.OutboundVelocity();
  return v_end * (1.0 - std::pow(1.0 - std::abs(s), impact.model().alpha + 1.0));
}

}  // namespace

void IntegratorsClosedForm(const std::vector<std::string>& arguments,
                           const std::string& command_line) {
  AppOptions options(
      "scree-integrators closed-form",
      "One impact in closed form. Notes give the outbound velocity (exact, and by the nonlocal\n"
      "approximation of fourth order), restitution, greatest compression, contact time, energies;\n"
      "the table gives time, compression, contact force and Hamiltonian over the velocity.");
  IntegratorOptions impact_options;
  int points = 200;
  std::string out;
  impact_options.AddModel(options);
  options.Add(
      "points", points,
      "intervals of the table, half of them for each phase; dense in v at touch and release");
  options.Add("out", out, "file for the table instead of standard output");
  if (!ParseOrHelp(arguments, options)) return;
  impact_options.ApplyBodies(options);
  DemandRange("--points", points, 2, kMostPoints);
  const SteppedImpactSetup& setup = impact_options.setup;
  const HuntCrossleyImpact impact(setup.model, setup.v_in);
  CsvOutput csv(command_line);
  NoteModel(csv, setup.model);
  NoteKeyFigures(csv, impact);
  csv.Columns({"v", "time", "x", "force", "hamiltonian"});
  for (int i = 0; i <= points; ++i) {
    const double v = VelocityAt(impact, 2.0 * i / points - 1.0);
    const double x = i == 0 || i == points ? 0.0 : impact.CompressionAt(v);
    csv.Row({v, impact.TimeAt(v), x, ContactForce(setup.model, x, v), impact.HamiltonianAt(v)});
  }
  csv.Write(out);
}

}  // namespace scree::impact
