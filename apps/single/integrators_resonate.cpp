// scree-integrators resonate: an impact on a body that rings, with the corrections adapted to it.
#include <cmath>

#include "apps/single/integrators_commands.hpp"
#include "apps/single/models/resonator_impact.hpp"
#include "solvers/base/check.hpp"

namespace scree::impact {
namespace {

struct Settings {
  IntegratorOptions impact;
  std::string resonator = "glass";
  double body_mass = 0.2;
  bool compare = false;
};

void AddOptions(AppOptions& options, Settings& settings) {
  settings.impact.AddModel(options);
  options.Add("resonator", settings.resonator,
              "the struck body: glass, wood or metal, or none for a rigid wall");
  options.Add(
      "body-mass", settings.body_mass,
      "mass of a free rigid body to which a sudden blow gives the velocity of the struck surface");
  settings.impact.AddMethod(options);
  settings.impact.AddSampling(options);
  settings.impact.AddCorrections(options);
  options.Add(
      "force", settings.impact.setup.external_force,
      "constant force on the mass, positive towards the body; corrections may be used with it");
  options.Add("end", settings.impact.setup.duration,
              "longest simulated time; 0: ten contact times");
  options.Add(
      "compare", settings.compare,
      "instead of the samples, two rows for each method: without and with both corrections");
}

/// The state at release.
struct Outcome {
  double mass_velocity;                                   // [m/s]
  double mass_energy, energy_into_modes, initial_energy;  // [J]

  explicit Outcome(const ResonatorImpact& run)
      : mass_velocity(run.samples.back().mass_velocity),
        mass_energy(run.samples.back().energies.mass),
        energy_into_modes(run.samples.back().energies.modes +
                          run.samples.back().energies.modes_loss),
        initial_energy(run.samples.front().energies.mass) {}

  double Percent(double energy) const { return 100.0 * energy / initial_energy; }
};

void RequireReleased(const ResonatorImpact& run, const char* method) {
  if (run.released) return;
  throw SimulationError(Text("the impact by ", method, " is not over after ", run.samples.back().t,
                             " s: use a longer --end or a smaller --force"));
}

void WriteComparison(CsvOutput& csv, const ResonatorImpactSetup& common_setup) {
  csv.Columns(
      ColumnNames("method, corrections, steps, constrained, mass_velocity [m/s], energy_mass [J], "
                  "energy_into_modes [J], error_mass_percent, error_into_modes_percent"));
  const ResonatorImpact reference = ExactResonatorImpact(common_setup);
  RequireReleased(reference, "the reference");
  const Outcome exact(reference);
  const auto add = [&](const char* method, const char* corrections, const ResonatorImpact& run) {
    RequireReleased(run, method);
    const Outcome outcome(run);
    AddRow(csv, method, corrections, run.Steps(), run.is_outbound_constrained ? 1 : 0,
           outcome.mass_velocity, outcome.mass_energy, outcome.energy_into_modes,
           exact.Percent(outcome.mass_energy - exact.mass_energy),
           exact.Percent(outcome.energy_into_modes - exact.energy_into_modes));
  };
  add("reference", "none", reference);
  for (const ImpactMethod method : kImpactMethods) {
    for (const bool corrected : {false, true}) {
      ResonatorImpactSetup setup = common_setup;
      setup.impact.method = method;
      setup.impact.hybrid = setup.impact.constrain_outbound = corrected;
      add(Name(method), corrected ? "both" : "none", SimulateResonatorImpact(setup));
    }
  }
}

void NoteOutcome(CsvOutput& csv, const ResonatorImpactSetup& setup, const ResonatorImpact& run) {
  csv.AddComment("released", run.released ? "yes" : "no");
  csv.AddComment("constrained", run.is_outbound_constrained ? "yes" : "no");
  csv.AddComment("steps", run.Steps());
  const ResonatorImpact reference = ExactResonatorImpact(setup);
  if (!run.released || !reference.released) return;
  const Outcome outcome(run), exact(reference);
  csv.AddComment("mass_velocity [m/s]", outcome.mass_velocity);
  csv.AddComment("mass_velocity_exact [m/s]", exact.mass_velocity);
  csv.AddComment("energy_into_modes [J]", outcome.energy_into_modes);
  csv.AddComment("energy_into_modes_exact [J]", exact.energy_into_modes);
  csv.AddComment("error_mass_percent", exact.Percent(outcome.mass_energy - exact.mass_energy));
  csv.AddComment("error_into_modes_percent",
                 exact.Percent(outcome.energy_into_modes - exact.energy_into_modes));
}

void WriteSamples(CsvOutput& csv, const ResonatorImpactSetup& setup, const ResonatorImpact& run) {
  csv.Columns(
      ColumnNames("time [s], x [m], v [m/s], mass_velocity [m/s], force [N], energy_mass [J], "
                  "energy_contact [J], "
                  "energy_modes [J], loss_contact [J], loss_modes [J], energy_sum [J]"));
  const auto every = static_cast<std::size_t>(setup.impact.oversampling);
  for (std::size_t i = 0; i < run.samples.size(); ++i) {
    if (i % every != 0 && i + 1 != run.samples.size()) continue;
    const ResonatorImpactSample& sample = run.samples[i];
    const ImpactEnergies& e = sample.energies;
    AddRow(csv, sample.t, sample.x, sample.v, sample.mass_velocity, sample.force, e.mass, e.contact,
           e.modes, e.contact_loss, e.modes_loss, e.Sum());
  }
}

void Check(const AppOptions& options, const Settings& settings) {
  settings.impact.CheckCorrections(options);
  if (settings.compare) {
    for (const char* name : {"method", "hybrid", "constrain"}) {
      if (!options.IsGiven(name)) continue;
      throw InputError(Text("--", name, " and --compare exclude each other"));
    }
  }
  if (settings.resonator == "none" && options.IsGiven("body-mass")) {
    throw InputError("--body-mass needs a --resonator that rings, not none");
  }
  for (const char* name : {"mass-b", "radius-b"}) {
    if (settings.resonator == "none" || !options.IsGiven(name)) continue;
    throw InputError(Text("--", name,
                          " describes a body that does not ring (--body-mass: one that rings); "
                          "leave it out, or use --resonator none"));
  }
}

}  // namespace

void IntegratorsResonate(AppRun& app) {
  AppOptions options(
      "scree-integrators resonate",
      "An impact on a body that rings, up to the release: x is the compression between the mass\n"
      "and the moving surface, v its rate. The corrections use the closed form of v(x) for a\n"
      "rigid, free body, and add the work of the springs of the real body in each step. Energy\n"
      "that has left the mass and the contact is in the modes or dissipated. Exact values come\n"
      "from an integration with error control. Errors are in percent of the initial energy.");
  Settings settings;
  AddOptions(options, settings);
  if (!app.Parse(options)) return;
  settings.impact.SetMassAndStiffness(options);
  Check(options, settings);
  ResonatorImpactSetup setup{settings.impact.MakeSetup(), {}};
  if (settings.resonator != "none") {
    setup.modes = ScaleToMass(FindResonator(settings.resonator), settings.body_mass);
  }
  CsvOutput csv = app.Table();
  NoteModel(csv, setup.impact.model);
  csv.AddComment("v_in [m/s]", setup.impact.v_in);
  csv.AddComment("external_force [N]", setup.impact.external_force);
  csv.AddComment("resonator", settings.resonator);
  if (!setup.modes.empty()) csv.AddComment("body_mass [kg]", settings.body_mass);
  csv.AddComment("rate [Hz]", setup.impact.rate);
  csv.AddComment("oversampling", setup.impact.oversampling);
  if (settings.compare) {
    WriteComparison(csv, setup);
    return app.Write(csv);
  }
  const ResonatorImpact run = SimulateResonatorImpact(setup);
  csv.AddComment("method", Name(setup.impact.method));
  NoteOutcome(csv, setup, run);
  WriteSamples(csv, setup, run);
  app.Write(csv);
}

}  // namespace scree::impact
