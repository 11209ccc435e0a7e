/// \file  Describes the bodies of an impact as spheres of a material that hit a wall or each other,
///        instead of by an effective mass and a stiffness.
#pragma once

#include <cmath>
#include <string>

#include "io/command_line/app_options.hpp"

namespace scree::impact {

/// --material, --radius and so on. Without --radius-b the second body is a wall. Unless its
/// material is given, it has that of the first body.
class BodyOptions {
 public:
  /// @param mass_name  the option of the striking mass, with which --mass-b may be given
  void AddTo(AppOptions& options, const std::string& mass_name);

  /// Adds the options of the two touching surfaces, without masses: for bodies that are not
  /// spheres, one of which has a rounded tip.
  /// @param tip, face  names of the two surfaces, for the help
  void AddSurfacesTo(AppOptions& options, const std::string& tip, const std::string& face);

  /// Whether any of these options was given, except --mass-b.
  bool IsGiven(const AppOptions& options) const;

  /// Sets the effective mass [kg] and Hertz' stiffness [N/m^(3/2)] if bodies were described. If
  /// not, and --mass-b is given, makes `mass` the effective mass of both masses. Call it after
  /// Parse.
  /// @param mass_name, stiffness_name  the options that the bodies replace
  /// @param exponent                   exponent of the spring
  /// @throws InputError
  void Apply(const AppOptions& options, const std::string& mass_name,
             const std::string& stiffness_name, double exponent, double& mass,
             double& stiffness) const;

  /// Hertz' stiffness alone [N/m^(3/2)]. @throws InputError
  double MakeStiffness(const AppOptions& options, const std::string& stiffness_name,
                       double exponent) const;

 private:
  struct Body {
    std::string material = "steel";
    double young = 0.0, poisson = 0.0, density = 0.0;  // 0: that of the material
    double radius = INFINITY;                          // [m]
  };
  static double MassOf(const Body& body);
  static double StiffnessOf(const Body& a, const Body& b);

  struct Pair {
    Body a, b;
  };
  /// Both bodies, with the values of their materials for missing options. @throws InputError
  Pair CompletePair(const AppOptions& options, const std::string& stiffness_name,
                    double exponent) const;

  Body a_, b_;
  double mass_b_ = INFINITY;  // [kg]
};

}  // namespace scree::impact
