/// \file  Describes the bodies of an impact as spheres of a material that hit a wall or each other,
///        instead of by an effective mass and a stiffness.
#pragma once

#include <cmath>
#include <string>

#include "io/command_line/app_options.hpp"

namespace scree::impact {

/// --material, --radius and so on; those of the second body are without effect on a wall of the
/// same material, which is the default.
class BodyOptions {
 public:
  /// @param mass_name  the option of the striking mass, which --mass-b may accompany
  void AddTo(AppOptions& options, const std::string& mass_name);

  /// Options of the surfaces without the masses, for bodies of other shapes that touch at a rounded
  /// tip.
  /// @param tip, face  in words, for the help
  void AddSurfacesTo(AppOptions& options, const std::string& tip, const std::string& face);

  /// Whether the bodies were described.
  bool Given(const AppOptions& options) const;

  /// Effective mass [kg] and Hertz' stiffness [N/m^(3/2)] of the bodies if they were described;
  /// else the mass is that of what strikes and --mass-b, a wall without it. After Parse.
  /// @param mass_name, stiffness_name  the options that the bodies replace
  /// @param exponent                   of the spring
  /// @throws InputError
  void Apply(const AppOptions& options, const std::string& mass_name,
             const std::string& stiffness_name, double exponent, double& mass,
             double& stiffness) const;

  /// The stiffness alone [N/m^(3/2)]. @throws InputError
  double MakeStiffness(const AppOptions& options, const std::string& stiffness_name,
                       double exponent) const;

 private:
  struct Body {
    std::string material = "steel";
    double young = 0.0, poisson = 0.0, density = 0.0;  // 0: of the material
    double radius = INFINITY;                          // [m]
  };
  static double MassOf(const Body& body);
  static double StiffnessOf(const Body& a, const Body& b);

  /// Both bodies; values that no option gives are those of their materials. @throws InputError
  struct Pair {
    Body a, b;
  };
  Pair Completed(const AppOptions& options, const std::string& stiffness_name,
                 double exponent) const;

  Body a_, b_;
  double mass_b_ = INFINITY;  // [kg]
};

}  // namespace scree::impact
