#include "solvers/restitution/viscoelastic.hpp"

#include <algorithm>
#include <boost/math/tools/toms748_solve.hpp>
#include <cmath>
#include <cstdint>
#include <string>

#include "solvers/base/check.hpp"
#include "solvers/restitution/range_checks.hpp"
#include "solvers/restitution/restitution_expansion.hpp"

namespace scree::impact {
namespace {

constexpr int kRootBits = 48;  // energies near a more accurate root would be rounding errors
constexpr int kMaxSteps = 100;
// Factor by which a bracket grows.
constexpr double kStretch = 1.5;
// Ranges for which the integration was verified. The paper's figures use γ ≤ 1 and loads of 1e-3 to
// 1e4.
struct Range {
  double min, max;
};
constexpr Range kGammas = {1e-40, 1e4}, kLoads = {1e-60, 1e12};

/// The energy of the body at the end: e² if it detaches, negative if it does not, zero for grazing.
double EndEnergy(const ContactModel& model, double gamma, double load) {
  return IntegrateImpact({model.alpha, model.beta, gamma, load}, kImpactTolerance,
                         OnCapture::kFollow)
      .energy;
}

/// Finds the zero of a decreasing energy, starting at the guess.
/// @param name  for the message: "the critical load of gamma = 3"
/// @throws InputError if the zero is outside the range
template <class Energy>
double FindFallingRoot(Energy energy, double guess, const Range& range, const std::string& name) {
  const auto refuse = [&](const char* side, double bound) {
    throw InputError(Text(name, " is ", side, " ", bound, ", where it cannot be computed"));
  };
  double low = std::clamp(guess, range.min, range.max), high = low;
  double energy_low = energy(low), energy_high = energy_low;
  while (energy_low < 0.0) {
    if (low <= range.min) refuse("below", range.min);
    high = low;
    energy_high = energy_low;
    low = std::max(low / kStretch, range.min);
    energy_low = energy(low);
  }
  while (energy_high >= 0.0) {
    if (high >= range.max) refuse("above", range.max);
    low = high;
    energy_low = energy_high;
    high = std::min(high * kStretch, range.max);
    energy_high = energy(high);
  }
  if (energy_low == 0.0) return low;
  std::uintmax_t evaluations = kMaxSteps;
  const auto bracket = boost::math::tools::toms748_solve(
      energy, low, high, energy_low, energy_high,
      boost::math::tools::eps_tolerance<double>(kRootBits), evaluations);
  return 0.5 * (bracket.first + bracket.second);
}

void RequireInRange(const char* name, double value, const Range& range) {
  RequirePositive(name, "", value);
  if (value >= range.min && value <= range.max) return;
  throw InputError(Text(name, " = ", value, " is out of range: critical values are computed from ",
                        range.min, " to ", range.max));
}

void CheckModel(const ContactModel& model) {
  RequireAtLeast("alpha", "", model.alpha, 1.0);
  RequireAtLeast("beta", "", model.beta, 1.0);
}

}  // namespace

ContactModel FindContactModel(std::string_view name) {
  std::string names;
  for (const NamedModel& named : kContactModels) {
    if (named.name == name) return named.model;
    names += (names.empty() ? "" : ", ") + std::string(named.name);
  }
  throw InputError(Text("contact model '", name, "' is unknown; choose one of ", names));
}

ImpactScales ScalesOf(const ContactModel& model, const ContactConstants& constants, double speed) {
  CheckModel(model);
  RequirePositive("mass", "kg", constants.mass);
  RequirePositive("stiffness", "N/m^alpha", constants.stiffness);
  RequirePositive("speed", "m/s", speed);
  const double power = 1.0 / (model.alpha + 1.0);
  const double time = std::pow(constants.mass / constants.stiffness, power) *
                      std::pow(speed, (1.0 - model.alpha) * power);
  return {time, speed * time};
}

ScaledImpact Scale(const ContactModel& model, const ContactConstants& constants, double speed) {
  RequireAtLeast("dissipation", "s m^(alpha-beta)", constants.dissipation, 0.0);
  RequireAtLeast("acceleration towards the contact", "m/s^2", constants.acceleration, 0.0);
  const ImpactScales scales = ScalesOf(model, constants, speed);
  // (3) and (4) in terms of the scales: γ = γ₀ (v₀T)^(β−α)/T and g̃ = (g + F/m) T/v₀.
  const double gamma =
      constants.dissipation * std::pow(scales.length, model.beta - model.alpha) / scales.time;
  const double load = constants.acceleration * scales.time / speed;
  return {model.alpha, model.beta, gamma, load, ImpactEnd::kDeformationZero};
}

double HertzStiffness(const ElasticSphere& a, const ElasticSphere& b) {
  double compliance = 0.0, curvature = 0.0;
  for (const ElasticSphere& sphere : {a, b}) {
    RequirePositive("Young's modulus", "Pa", sphere.young);
    if (!(sphere.poisson > -1.0 && sphere.poisson <= 0.5)) {
      throw InputError(Text("Poisson ratio = ", sphere.poisson,
                            " is out of range: it must be above -1 and at most 0.5"));
    }
    if (!(sphere.radius > 0.0)) {
      throw InputError(Text("radius = ", sphere.radius, " is out of range: it must be above 0"));
    }
    compliance += (1.0 - sphere.poisson * sphere.poisson) / sphere.young;
    curvature += 1.0 / sphere.radius;
  }
  RequirePositive("sum of the curvatures", "1/m", curvature);
  return 4.0 / 3.0 / compliance / std::sqrt(curvature);
}

double CriticalDissipation(const ContactModel& model, double load) {
  CheckModel(model);
  RequireInRange("load", load, kLoads);
  const auto energy = [&](double gamma) { return EndEnergy(model, gamma, load); };
  const double guess = std::min(1.0, AsymptoticCriticalDissipation(model, load));
  return FindFallingRoot(energy, guess, kGammas, Text("the critical dissipation of load = ", load));
}

double CriticalLoad(const ContactModel& model, double gamma) {
  CheckModel(model);
  RequireInRange("gamma", gamma, kGammas);
  if (!IntegrateImpact({model.alpha, model.beta, gamma, 0.0}).detached) return 0.0;
  const auto energy = [&](double load) { return EndEnergy(model, gamma, load); };
  return FindFallingRoot(energy, AsymptoticCriticalLoad(model, gamma), kLoads,
                         Text("the critical load of gamma = ", gamma));
}

}  // namespace scree::impact
