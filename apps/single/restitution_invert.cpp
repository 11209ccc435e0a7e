// scree-restitution invert: the constants of the contact laws from a measured restitution.
#include <cmath>

#include "apps/single/impact_bodies.hpp"
#include "apps/single/models/restitution_inverse.hpp"
#include "apps/single/restitution_commands.hpp"
#include "apps/single/restitution_model.hpp"
#include "solvers/base/check.hpp"

namespace scree::impact {
namespace {

struct Settings {
  ContactConstants constants;
  double gravity = 0.0;
  MeasuredRestitution first, second;
  bool has_second = false;
  bool has_hertz_stiffness = false;  // the stiffness is that of spheres
};

/// Adds a row with one law, its constant, and the quantities of an impact with it.
void AddLaw(CsvOutput& csv, const std::string& name, const ContactModel& model,
            const Settings& settings) {
  ContactConstants constants = settings.constants;
  constants.dissipation =
      PhysicalDissipation(model, constants, settings.first.speed, settings.first.restitution);
  const ScaledImpact impact = Scale(model, constants, settings.first.speed);
  const ImpactScales scales = ScalesOf(model, constants, settings.first.speed);
  const ImpactResult result = IntegrateImpact(impact);
  double predicted = std::nan("");
  if (settings.has_second) {
    predicted = IntegrateImpact(Scale(model, constants, settings.second.speed)).restitution;
  }
  AddRow(csv, name, model.alpha, model.beta, impact.gamma, impact.load, constants.dissipation,
         constants.stiffness * constants.dissipation, result.restitution,
         MaxForce(impact) * constants.mass * settings.first.speed / scales.time,
         result.max_deformation * scales.length, result.duration * scales.time, predicted);
}

void Check(const AppOptions& options, const Settings& settings) {
  if (!options.IsGiven("restitution"))
    throw InputError("--restitution, the measured restitution, is missing");
  if (options.IsGiven("restitution-2") != options.IsGiven("speed-2")) {
    throw InputError(
        "--restitution-2 and --speed-2 go together: a second measurement at another speed");
  }
  RequireAbove0("--speed", settings.first.speed);
  RequireAbove0("--speed-2", settings.second.speed);
}

}  // namespace

void RestitutionInvert(AppRun& app) {
  AppOptions options(
      "scree-restitution invert",
      "For every law: the dissipation gamma0 [s m^(alpha-beta)] that gives a measured restitution\n"
      "(k gamma0 is the factor of the rate of u^beta in the force), and the largest force [N],\n"
      "deformation [m] and duration [s] of that impact. With a second measurement: the prediction\n"
      "of each law for it, and the exponent beta that fits both. The stiffness k [N/m^alpha] is\n"
      "given, or is Hertz' stiffness of spheres; laws without Hertz' spring require --stiffness.");
  Settings settings;
  BodyOptions bodies;
  options.Add("restitution", settings.first.restitution,
              "measured restitution, above 0 and below 1");
  options.Add("speed", settings.first.speed, "approach speed at which it was measured");
  options.Add("restitution-2", settings.second.restitution, "restitution at another speed");
  options.Add("speed-2", settings.second.speed, "speed of the second measurement");
  options.Add("mass", settings.constants.mass,
              "mass of the striking body, or effective mass, with --stiffness");
  options.Add("stiffness", settings.constants.stiffness, "k");
  options.Add("gravity", settings.gravity, "g, towards the contact");
  bodies.AddTo(options, "mass");
  if (!app.Parse(options)) return;
  Check(options, settings);
  settings.has_second = options.IsGiven("restitution-2");
  bodies.Apply(options, "mass", "stiffness", 1.5, settings.constants.mass,
               settings.constants.stiffness);
  settings.has_hertz_stiffness = bodies.IsGiven(options);
  if (!settings.has_hertz_stiffness && !(options.IsGiven("mass") && options.IsGiven("stiffness"))) {
    throw InputError("--radius with --material, or --mass and --stiffness are missing");
  }
  settings.constants.acceleration = settings.gravity;
  CsvOutput csv = app.Table();
  csv.AddComment("mass [kg]", settings.constants.mass);
  csv.AddComment("stiffness [N/m^alpha]", settings.constants.stiffness);
  csv.Columns(ColumnNames(
      "law, alpha, beta, gamma, load, gamma0 [s m^(alpha-beta)], k_gamma0 [N s/m^beta], e, "
      "greatest_force [N], greatest_deformation [m], duration [s], e_at_speed2"));
  for (const NamedModel& named : kContactModels) {
    if (settings.has_hertz_stiffness && named.model.alpha != 1.5) continue;
    AddLaw(csv, std::string(named.name), named.model, settings);
  }
  if (settings.has_second) {
    const double beta =
        DissipationExponent(1.5, settings.constants, settings.first, settings.second);
    AddLaw(csv, "both", {1.5, beta}, settings);
  }
  app.Write(csv);
}

}  // namespace scree::impact
