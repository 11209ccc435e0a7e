#include "apps/single/restitution_model.hpp"

#include <algorithm>
#include <array>
#include <string_view>

#include "solvers/base/check.hpp"

namespace scree::impact {
namespace {

constexpr std::array<std::string_view, 2> kEnds = {"deformation", "force"};
constexpr std::array kConstants = {"mass", "stiffness", "dissipation", "speed", "gravity", "force"};

}  // namespace

void ModelOptions::AddTo(AppOptions& options) {
  std::string names;
  for (const NamedModel& named : kContactModels) {
    names += (names.empty() ? "" : ", ") + std::string(named.name);
  }
  options.Add("model", name_, names);
  options.Add("exponent", exponents_.alpha,
              "exponent of the spring, with --damping-exponent instead of --model");
  options.Add("damping-exponent", exponents_.beta, "exponent of the dissipation");
}

ContactModel ModelOptions::Model(const AppOptions& options) const {
  if (!options.IsGiven("exponent") && !options.IsGiven("damping-exponent"))
    return FindContactModel(name_);
  if (options.IsGiven("model")) {
    throw InputError("--model and --exponent, --damping-exponent exclude each other");
  }
  RequireRange("--exponent", exponents_.alpha, 1.0, 100.0);
  RequireRange("--damping-exponent", exponents_.beta, 1.0, 100.0);
  return exponents_;
}

void ImpactOptions::AddTo(AppOptions& options) {
  model_.AddTo(options);
  options.Add("gamma", gamma_, "dimensionless dissipation");
  options.Add("load", load_, "dimensionless load");
  options.Add("mass", constants_.mass,
              "m; with --stiffness to --force instead of --gamma and --load");
  options.Add("stiffness", constants_.stiffness, "stiffness k");
  options.Add("dissipation", constants_.dissipation, "dissipation gamma0");
  options.Add("speed", speed_, "approach speed");
  options.Add("gravity", gravity_, "g, towards the contact");
  options.Add("force", force_, "F, towards the contact");
  bodies_.AddTo(options, "mass");
  options.Add(
      "until", end_,
      "end of the impact: when the deformation is zero again, or when the force is zero, before "
      "the contact would pull");
}

bool ImpactOptions::IsGivenInUnits(const AppOptions& options) const {
  for (const char* name : kConstants) {
    if (options.IsGiven(name)) return true;
  }
  return options.IsGiven("mass-b") || bodies_.IsGiven(options);
}

ContactConstants ImpactOptions::Constants(const AppOptions& options) const {
  ContactConstants constants = constants_;
  bodies_.Apply(options, "mass", "stiffness", model_.Model(options).alpha, constants.mass,
                constants.stiffness);
  return constants;
}

ScaledImpact ImpactOptions::Impact(const AppOptions& options) const {
  RequireChoice("--until", end_, kEnds);
  const ContactModel model = model_.Model(options);
  ScaledImpact impact{model.alpha, model.beta, gamma_, load_, ImpactEnd::kDeformationZero};
  if (IsGivenInUnits(options)) {
    if (options.IsGiven("gamma") || options.IsGiven("load")) {
      throw InputError("--gamma, --load and the constants with units exclude each other");
    }
    const bool needs_mass_and_stiffness = !bodies_.IsGiven(options);
    for (const char* name : {"mass", "stiffness", "dissipation", "speed"}) {
      const bool is_needed =
          name == std::string_view("speed")
              ? !speed_is_set_
              : needs_mass_and_stiffness || name == std::string_view("dissipation");
      if (is_needed && !options.IsGiven(name)) throw InputError(Text("--", name, " is missing"));
    }
    ContactConstants constants = Constants(options);
    constants.acceleration = gravity_ + force_ / constants.mass;
    impact = Scale(model, constants, speed_);
  }
  if (end_ == "force") impact.end = ImpactEnd::kForceZero;
  return impact;
}

ScaledImpact ImpactOptions::ImpactAt(const AppOptions& options, double speed) {
  if (!IsGivenInUnits(options)) {
    throw InputError(
        "impacts at several speeds need --dissipation with --mass and --stiffness, or "
        "with --radius and --material");
  }
  speed_ = speed;
  speed_is_set_ = true;
  return Impact(options);
}

ImpactScales ImpactOptions::Scales(const AppOptions& options) const {
  if (!IsGivenInUnits(options)) return {};
  return ScalesOf(model_.Model(options), Constants(options), speed_);
}

double MaxForce(const ScaledImpact& impact) {
  constexpr int kPartsPerStep = 8;
  double largest = 0.0;
  for (const ImpactSample& sample : SampleImpactPath(impact, kPartsPerStep)) {
    largest = std::max(largest, sample.force);
  }
  return largest;
}

}  // namespace scree::impact
