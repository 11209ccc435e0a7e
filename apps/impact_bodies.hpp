/// \file  The bodies of an impact as an engineer knows them: spheres of a material, on a wall or on
///        each other, instead of an effective mass and a stiffness.
#pragma once

#include <cmath>
#include <string>

#include "io/command_line/app_options.hpp"

namespace scree::impact {

/// --material, --radius and so on; those of the second body are without effect on a wall of the
/// same material, which is the default.
class BodyOptions {
 public:
  void AddTo(AppOptions& options);

  /// Whether the bodies were described.
  bool Given(const AppOptions& options) const;

  /// Effective mass [kg] and Hertz' stiffness [N/m^(3/2)], after Parse.
  struct Contact {
    double mass = 0.0, stiffness = 0.0;
  };
  /// @param mass_name, stiffness_name  the options that these take the place of
  /// @throws InputError
  Contact MakeContact(const AppOptions& options, const std::string& mass_name,
                      const std::string& stiffness_name, double exponent) const;

 private:
  struct Body {
    std::string material = "steel";
    double young = 0.0, poisson = 0.0, density = 0.0;  // 0: of the material
    double radius = INFINITY;                          // [m]
  };
  static double MassOf(const Body& body);

  Body a_, b_;
};

}  // namespace scree::impact
