/// \file  Restitution of viscoelastic contacts under constant load.
///
/// Source: A. Chatterjee, G. James, B. Brogliato, Approximate coefficient of restitution for
/// nonlinear viscoelastic contact with external load, Granular Matter 24 (2022) 124. Equation (1):
///
///     m d²x/dt² = k [(−x)₊^α + γ₀ d/dt (−x)₊^β] − m g − F,   x(0) = 0, dx/dt(0) = −v₀
///
/// describes a body of mass m that hits the ground, or two bodies with m their effective mass.
#pragma once

#include <array>
#include <string_view>

#include "solvers/restitution/impact_integration.hpp"

namespace scree::impact {

struct ContactModel {
  double alpha = 1.5;  // exponent of the spring, ≥ 1 [-]
  double beta = 1.5;   // exponent of the dissipation, ≥ 1 [-]
};

struct NamedModel {
  std::string_view name;
  ContactModel model;
};
inline constexpr std::array kContactModels = {
    NamedModel{"linear", {1.0, 1.0}},                // spring and dashpot
    NamedModel{"hertz-linear", {1.5, 1.0}},          // Hertz' spring, linear dashpot
    NamedModel{"tsuji-tanaka-ishida", {1.5, 1.25}},  //
    NamedModel{"kuwabara-kono", {1.5, 1.5}},         //
    NamedModel{"hunt-crossley", {1.5, 2.5}},         // Simon; Hunt and Crossley
};

/// @throws InputError listing the names
ContactModel FindContactModel(std::string_view name);

/// The constants of (1), in SI units.
struct ContactConstants {
  double mass = 1.0;          // m, > 0 [kg]
  double stiffness = 1.0;     // k, > 0 [N/m^α]
  double dissipation = 0.0;   // γ₀, ≥ 0 [s m^(α−β)]
  double acceleration = 0.0;  // g + F/m ≥ 0, towards the contact [m/s²]
};

/// γ and g̃ of the dimensionless equations, (3) and (4), at the approach speed v₀ > 0.
/// @throws InputError
ScaledImpact Scale(const ContactModel& model, const ContactConstants& constants, double speed);

/// The scales of time T = (m/k)^(1/(α+1)) v₀^((1−α)/(α+1)) [s] and length v₀ T [m].
struct ImpactScales {
  double time = 1.0;
  double length = 1.0;
};
ImpactScales ScalesOf(const ContactModel& model, const ContactConstants& constants, double speed);

/// k of two spheres, or of a sphere and a wall (its radius infinite), by Hertz: (4/3) E* √R with
/// 1/E* = (1−ν_a²)/E_a + (1−ν_b²)/E_b and 1/R = 1/r_a + 1/r_b [N/m^(3/2)].
struct ElasticSphere {
  double young = 1e9;    // E, > 0 [Pa]
  double poisson = 0.3;  // ν, −1 < ν ≤ 0.5 [-]
  double radius = 1e-3;  // r, > 0, infinite for a wall [m]
};
/// @throws InputError
double HertzStiffness(const ElasticSphere& a, const ElasticSphere& b);

/// The dissipation γ above which a body under the load g̃ > 0 does not detach; e(γ) falls to zero
/// there like a square root.
/// @param load  1e-60 to 1e12
/// @throws InputError, also if the result lies outside 1e-40 to 1e4
double CriticalDissipation(const ContactModel& model, double load);

/// The load g̃ above which a body with the dissipation γ > 0 does not detach; 0 if it does not
/// detach even without load.
/// @param gamma  1e-40 to 1e4
/// @throws InputError, also if the result lies outside 1e-60 to 1e12
double CriticalLoad(const ContactModel& model, double gamma);

}  // namespace scree::impact
