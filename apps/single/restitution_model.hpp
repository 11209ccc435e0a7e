/// \file  The options of scree-restitution that describe a contact and an impact.
#pragma once

#include <string>

#include "apps/single/impact_bodies.hpp"
#include "io/command_line/app_options.hpp"
#include "solvers/restitution/viscoelastic.hpp"

namespace scree::impact {

/// --model, or --exponent and --damping-exponent.
class ModelOptions {
 public:
  void AddTo(AppOptions& options);

  /// Call it after Parse. @throws InputError
  ContactModel Model(const AppOptions& options) const;

 private:
  std::string name_ = "kuwabara-kono";
  ContactModel exponents_;
};

/// --gamma and --load, or the constants of the contact and the approach speed; and --until.
class ImpactOptions {
 public:
  void AddTo(AppOptions& options);

  /// Call it after Parse. @throws InputError
  ScaledImpact Impact(const AppOptions& options) const;

  /// The impact at another approach speed, which from then on replaces --speed, also in speed() and
  /// Scales(). @throws InputError also if the contact was not given by constants
  ScaledImpact ImpactAt(const AppOptions& options, double speed);

  /// The units of time and length: 1 unless the impact was given by constants.
  ImpactScales Scales(const AppOptions& options) const;

  /// Whether the contact was given by constants with units.
  bool IsGivenInUnits(const AppOptions& options) const;

  /// The approach speed [m/s], 1 unless given.
  double speed() const { return speed_; }
  /// The effective mass [kg], 1 unless given.
  double mass(const AppOptions& options) const {
    return IsGivenInUnits(options) ? Constants(options).mass : 1.0;
  }

 private:
  /// The constants with units, from the options.
  ContactConstants Constants(const AppOptions& options) const;

  ModelOptions model_;
  BodyOptions bodies_;
  double gamma_ = 0.0, load_ = 0.0;
  ContactConstants constants_;
  bool speed_is_set_ = false;
  double speed_ = 1.0, gravity_ = 0.0, force_ = 0.0;
  std::string end_ = "deformation";
};

/// The unit as the suffix of a column's name, such as " [s]"; empty if the impact is dimensionless.
inline std::string InUnit(bool given_in_units, const std::string& unit) {
  return given_in_units ? " [" + unit + "]" : "";
}

/// The largest force during an impact, in units of mass times speed over Scales().time.
double MaxForce(const ScaledImpact& impact);

}  // namespace scree::impact
