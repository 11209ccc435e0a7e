// scree-integrators rebounds: a chain of impacts. Gravity acts only in the flights between them.
#include <cmath>

#include "apps/single/integrators_commands.hpp"
#include "apps/single/models/rebounds.hpp"
#include "solvers/base/check.hpp"

namespace scree::impact {
namespace {

constexpr int kMaxImpacts = 100'000;
constexpr int kFlightPoints = 50;  // points of each parabola in the table of the motion

void WriteImpacts(CsvOutput& csv, const std::vector<Rebound>& rebounds) {
  csv.Columns(ColumnNames(
      "impact, steps, v_in [m/s], v_out [m/s], v_out_reference [m/s], accumulated_H_percent, "
      "max_deviation_x_percent, max_deviation_H_percent, release_deviation_H_percent, "
      "error_v_out_percent"));
  std::int64_t impact = 0;
  for (const Rebound& rebound : rebounds) {
    const ClosedFormDeviations& d = rebound.deviations;
    AddRow(csv, ++impact, rebound.steps, rebound.v_in, rebound.v_out, rebound.v_reference,
           100.0 * rebound.EnergyError(), 100.0 * d.compression, 100.0 * d.energy,
           100.0 * d.release_energy, 100.0 * d.outbound);
  }
}

/// Writes the samples of every contact, and points on the parabola to the next contact. The flight
/// starts from x = 0 at the first sample out of contact. The next impact also starts from x = 0.
void WriteMotion(CsvOutput& csv, const SteppedImpactSetup& setup,
                 const std::vector<Rebound>& rebounds, double gravity) {
  csv.Columns(ColumnNames("impact, in_contact, time [s], x [m], v [m/s]"));
  const ImpactRunner runner(setup);
  double start = 0.0;
  std::int64_t impact = 0;
  for (const Rebound& rebound : rebounds) {
    ++impact;
    const SteppedImpact run = runner.RunToRelease(rebound.v_in);
    for (int n = 0; n < run.Steps(); ++n) {
      const auto [x, v] = run.samples[static_cast<std::size_t>(n)];
      AddRow(csv, impact, 1, start + n * run.step, x, v);
    }
    start += run.Steps() * run.step;
    const double v_out = run.OutboundVelocity(), flight = 2.0 * std::abs(v_out) / gravity;
    for (int i = 0; i <= kFlightPoints; ++i) {
      const double t = flight * i / kFlightPoints;
      AddRow(csv, impact, 0, start + t, v_out * t + 0.5 * gravity * t * t, v_out + gravity * t);
    }
    start += flight;
  }
}

}  // namespace

void IntegratorsRebounds(AppRun& app) {
  AppOptions options(
      "scree-integrators rebounds",
      "A chain of impacts. Each starts with the release speed of the one before it, because\n"
      "gravity acts only between impacts. The reference is the chain of exact outbound\n"
      "velocities. accumulated_H is the error of the kinetic energy that has built up since the\n"
      "first impact; a deviation is the error of a single impact, compared with the closed form\n"
      "for the same v_in.");
  IntegratorOptions impact_options;
  int count = 100;
  bool predicted = false, motion = false;
  double gravity = 9.81;
  impact_options.AddModel(options);
  impact_options.AddMethod(options);
  impact_options.AddSampling(options);
  impact_options.AddCorrections(options);
  options.Add("count", count, "number of impacts");
  options.Add("predicted", predicted,
              "start the next impact with the velocity at which the last force was evaluated;\n"
              "      the published results of heun contain this mistake");
  options.Add("motion", motion, "write the motion (contacts and flights) instead of the errors");
  options.Add("gravity", gravity, "gravity during the flights, with --motion");
  if (!app.Parse(options)) return;
  impact_options.SetMassAndStiffness(options);
  RequireRange("--count", count, 1, kMaxImpacts);
  RequireAbove0("--gravity", gravity);
  if (!motion) RejectUnused(options, "gravity", "--motion");
  impact_options.CheckCorrections(options);
  const SteppedImpactSetup full_setup = impact_options.MakeSetup();
  const std::vector<Rebound> rebounds =
      SimulateRebounds(full_setup, count,
                       predicted ? NextImpactVelocity::kPredicted : NextImpactVelocity::kOutbound);
  CsvOutput csv = app.Table();
  NoteModel(csv, full_setup.model);
  NoteSteps(csv, full_setup);
  csv.AddComment("handed_on", predicted ? "predicted velocity" : "outbound velocity");
  if (motion) {
    csv.AddComment("gravity [m/s^2]", gravity);
    WriteMotion(csv, full_setup, rebounds, gravity);
  } else {
    WriteImpacts(csv, rebounds);
  }
  app.Write(csv);
}

}  // namespace scree::impact
