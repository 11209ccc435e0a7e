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

void AddOptions(AppOptions& options, Settings& x) {
  x.impact.AddModel(options);
  options.Add("resonator", x.resonator,
              "the struck body: glass, wood or metal, or none for a rigid wall");
  options.Add("body-mass", x.body_mass,
              "mass of a free body with the same velocity after a sudden blow as the struck one");
  x.impact.AddMethod(options);
  x.impact.AddSampling(options);
  x.impact.AddCorrections(options);
  options.Add("force", x.impact.setup.external_force,
              "constant force on the mass, positive towards the body; allowed with corrections");
  options.Add("end", x.impact.setup.duration, "longest simulated time; 0: ten contact times");
  options.Add("compare", x.compare,
              "one row for each method without and with both corrections, instead of the samples");
}

/// The state at release.
struct Outcome {
  double mass_velocity, mass, into_modes, initial;  // [m/s], [J]

  explicit Outcome(const ResonatorImpact& run)
      : mass_velocity(run.samples.back().mass_velocity),
        mass(run.samples.back().energies.mass),
        into_modes(run.samples.back().energies.modes + run.samples.back().energies.modes_loss),
        initial(run.samples.front().energies.mass) {}

  double Percent(double energy) const { return 100.0 * energy / initial; }
};

void RequireReleased(const ResonatorImpact& run, const char* by) {
  if (run.released) return;
  throw SimulationError(Text("the impact by ", by, " is not over after ", run.samples.back().t,
                             " s: use a longer --end or a smaller --force"));
}

void WriteComparison(CsvOutput& csv, const ResonatorImpactSetup& chosen) {
  csv.Columns(
      ColumnNames("method, corrections, steps, constrained, mass_velocity [m/s], energy_mass [J], "
                  "energy_into_modes [J], error_mass_percent, error_into_modes_percent"));
  const ResonatorImpact reference = ExactResonatorImpact(chosen);
  RequireReleased(reference, "the reference");
  const Outcome exact(reference);
  const auto add = [&](const char* method, const char* corrections, const ResonatorImpact& run) {
    RequireReleased(run, method);
    const Outcome x(run);
    AddRow(csv, method, corrections, run.Steps(), run.constrained ? 1 : 0, x.mass_velocity, x.mass,
           x.into_modes, exact.Percent(x.mass - exact.mass),
           exact.Percent(x.into_modes - exact.into_modes));
  };
  add("reference", "none", reference);
  for (const ImpactMethod method : kImpactMethods) {
    for (const bool corrected : {false, true}) {
      ResonatorImpactSetup setup = chosen;
      setup.impact.method = method;
      setup.impact.hybrid = setup.impact.constrain_outbound = corrected;
      add(Name(method), corrected ? "both" : "none", SimulateResonatorImpact(setup));
    }
  }
}

void NoteOutcome(CsvOutput& csv, const ResonatorImpactSetup& setup, const ResonatorImpact& run) {
  csv.AddComment("released", run.released ? "yes" : "no");
  csv.AddComment("constrained", run.constrained ? "yes" : "no");
  csv.AddComment("steps", run.Steps());
  const ResonatorImpact reference = ExactResonatorImpact(setup);
  if (!run.released || !reference.released) return;
  const Outcome x(run), exact(reference);
  csv.AddComment("mass_velocity [m/s]", x.mass_velocity);
  csv.AddComment("mass_velocity_exact [m/s]", exact.mass_velocity);
  csv.AddComment("energy_into_modes [J]", x.into_modes);
  csv.AddComment("energy_into_modes_exact [J]", exact.into_modes);
  csv.AddComment("error_mass_percent", exact.Percent(x.mass - exact.mass));
  csv.AddComment("error_into_modes_percent", exact.Percent(x.into_modes - exact.into_modes));
}

void WriteSamples(CsvOutput& csv, const ResonatorImpactSetup& setup, const ResonatorImpact& run) {
  csv.Columns(
      ColumnNames("time [s], x [m], v [m/s], mass_velocity [m/s], force [N], energy_mass [J], "
                  "energy_contact [J], "
                  "energy_modes [J], loss_contact [J], loss_modes [J], energy_sum [J]"));
  const auto every = static_cast<std::size_t>(setup.impact.oversampling);
  for (std::size_t i = 0; i < run.samples.size(); ++i) {
    if (i % every != 0 && i + 1 != run.samples.size()) continue;
    const ResonatorImpactSample& x = run.samples[i];
    const ImpactEnergies& e = x.energies;
    AddRow(csv, x.t, x.x, x.v, x.mass_velocity, x.force, e.mass, e.contact, e.modes, e.contact_loss,
           e.modes_loss, e.Sum());
  }
}

void Check(const AppOptions& options, const Settings& x) {
  x.impact.RequireCorrectionsUsed(options);
  if (x.compare) {
    for (const char* name : {"method", "hybrid", "constrain"}) {
      if (!options.IsGiven(name)) continue;
      throw InputError(Text("--", name, " and --compare exclude each other"));
    }
  }
  if (x.resonator == "none" && options.IsGiven("body-mass")) {
    throw InputError("--body-mass needs a --resonator that rings, not none");
  }
  for (const char* name : {"mass-b", "radius-b"}) {
    if (x.resonator == "none" || !options.IsGiven(name)) continue;
    throw InputError(Text("--", name,
                          " describes a free body, but --body-mass is for a body that rings: "
                          "leave it out or use --resonator none"));
  }
}

}  // namespace

void IntegratorsResonate(AppRun& app) {
  AppOptions options(
      "scree-integrators resonate",
      "An impact on a body that rings, up to the release: x is the compression between the mass\n"
      "and the moving surface, v its rate. The corrections of the paper are adapted to this: the\n"
      "closed forms hold for the mass that responds at once, and the work of the body's own "
      "springs\n"
      "is added step by step. Energy that has left mass and contact is in the modes or\n"
      "dissipated. Exact values come from an integration with error control. Errors are in\n"
      "percent of the initial energy.");
  Settings x;
  AddOptions(options, x);
  if (!app.Parse(options)) return;
  x.impact.ApplyBodies(options);
  Check(options, x);
  ResonatorImpactSetup setup{x.impact.Chosen(), {}};
  if (x.resonator != "none") {
    setup.modes = WithMass(FindResonator(x.resonator), x.body_mass);
  }
  CsvOutput csv = app.Table();
  NoteModel(csv, setup.impact.model);
  csv.AddComment("v_in [m/s]", setup.impact.v_in);
  csv.AddComment("external_force [N]", setup.impact.external_force);
  csv.AddComment("resonator", x.resonator);
  if (!setup.modes.empty()) csv.AddComment("body_mass [kg]", x.body_mass);
  csv.AddComment("rate [Hz]", setup.impact.rate);
  csv.AddComment("oversampling", setup.impact.oversampling);
  if (x.compare) {
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
