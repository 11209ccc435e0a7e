#include "apps/single/impact_bodies.hpp"

#include <algorithm>
#include <array>
#include <numbers>
#include <string_view>

#include "apps/common/small_app.hpp"
#include "solvers/base/check.hpp"
#include "solvers/restitution/viscoelastic.hpp"

namespace scree::impact {
namespace {

/// Handbook values at room temperature. Those of wood and rock vary widely.
struct Solid {
  std::string_view name;
  double young, poisson, density;  // [Pa], [-], [kg/m³]
};
constexpr std::array kSolids = {
    Solid{"steel", 210e9, 0.30, 7850.0},   Solid{"aluminium", 70e9, 0.33, 2700.0},
    Solid{"brass", 100e9, 0.34, 8500.0},   Solid{"glass", 65e9, 0.22, 2500.0},
    Solid{"granite", 50e9, 0.25, 2700.0},  Solid{"ice", 9e9, 0.33, 917.0},
    Solid{"oak", 11e9, 0.35, 700.0},       Solid{"nylon", 2.7e9, 0.40, 1140.0},
    Solid{"acrylic", 3.0e9, 0.37, 1190.0}, Solid{"rubber", 5e6, 0.49, 1100.0}};

std::string SolidNames() {
  std::string names;
  for (const Solid& solid : kSolids) {
    names += (names.empty() ? "" : ", ") + std::string(solid.name);
  }
  return names;
}

const Solid& FindSolid(const std::string& option, const std::string& name) {
  for (const Solid& solid : kSolids) {
    if (solid.name == name) return solid;
  }
  throw InputError(Text("--", option, " '", name, "' is unknown; choose one of ", SolidNames()));
}

constexpr std::array kBodyOptions = {"material",   "radius",   "young",   "poisson",   "density",
                                     "material-b", "radius-b", "young-b", "poisson-b", "density-b"};

/// Requires that an option is absent, because the bodies replace it.
void RequireAbsent(const AppOptions& options, const std::string& name) {
  if (!options.IsGiven(name)) return;
  throw InputError(Text("--", name, " and --radius, --material and so on exclude each other"));
}

}  // namespace

void BodyOptions::AddTo(AppOptions& options, const std::string& mass_name) {
  options.Add("mass-b", mass_b_,
              "mass of the struck body, used with --" + mass_name + "; default a wall");
  options.Add("material", a_.material, "material of the striking sphere: " + SolidNames());
  options.Add("radius", a_.radius,
              "radius of the striking sphere, which gives its mass and Hertz' stiffness");
  options.Add("young", a_.young, "Young's modulus instead of the material's");
  options.Add("poisson", a_.poisson, "Poisson's ratio instead of the material's");
  options.Add("density", a_.density, "density instead of the material's");
  options.Add("material-b", b_.material, "material of the struck body; default the same");
  options.Add("radius-b", b_.radius, "radius of a struck sphere; default a wall");
  options.Add("young-b", b_.young, "Young's modulus of the struck body");
  options.Add("poisson-b", b_.poisson, "Poisson's ratio of the struck body");
  options.Add("density-b", b_.density, "density of a struck sphere");
}

void BodyOptions::AddSurfacesTo(AppOptions& options, const std::string& tip,
                                const std::string& face) {
  options.Add("material", a_.material, "material of the " + tip + ": " + SolidNames());
  options.Add("radius", a_.radius, "radius of the " + tip + ", which gives Hertz' stiffness");
  options.Add("young", a_.young, "Young's modulus instead of the material's");
  options.Add("poisson", a_.poisson, "Poisson's ratio instead of the material's");
  options.Add("material-b", b_.material, "material of the " + face + "; default the same");
  options.Add("radius-b", b_.radius, "radius of the " + face + ", if it is round");
  options.Add("young-b", b_.young, "Young's modulus of the " + face);
  options.Add("poisson-b", b_.poisson, "Poisson's ratio of the " + face);
}

bool BodyOptions::IsGiven(const AppOptions& options) const {
  for (const char* name : kBodyOptions) {
    if (options.IsGiven(name)) return true;
  }
  return false;
}

double BodyOptions::MassOf(const Body& body) {
  return 4.0 / 3.0 * std::numbers::pi * body.radius * body.radius * body.radius * body.density;
}

double BodyOptions::StiffnessOf(const Body& a, const Body& b) {
  return HertzStiffness({a.young, a.poisson, a.radius}, {b.young, b.poisson, b.radius});
}

BodyOptions::Pair BodyOptions::CompletePair(const AppOptions& options,
                                            const std::string& stiffness_name,
                                            double exponent) const {
  RequireAbsent(options, stiffness_name);
  if (!options.IsGiven("radius")) throw InputError("--radius of the striking body is missing");
  if (exponent != 1.5) {
    throw InputError(
        Text("the force of spheres is proportional to the power 3/2 of their approach (Hertz), "
             "not ",
             exponent, ": give mass and stiffness instead"));
  }
  Body a = a_, b = b_;
  if (!options.IsGiven("material-b")) b.material = a.material;
  if (!options.IsGiven("young-b") && !options.IsGiven("material-b")) b.young = a.young;
  if (!options.IsGiven("poisson-b") && !options.IsGiven("material-b")) b.poisson = a.poisson;
  if (!options.IsGiven("density-b") && !options.IsGiven("material-b")) b.density = a.density;
  const bool has_poisson_a = options.IsGiven("poisson"),
             has_poisson_b = has_poisson_a || options.IsGiven("poisson-b");
  const auto complete = [](Body& body, const Solid& solid, bool has_poisson) {
    if (body.young == 0.0) body.young = solid.young;
    if (body.density == 0.0) body.density = solid.density;
    if (!has_poisson) body.poisson = solid.poisson;
  };
  complete(a, FindSolid("material", a.material), has_poisson_a);
  complete(b, FindSolid("material-b", b.material),
           options.IsGiven("poisson-b") || (has_poisson_b && !options.IsGiven("material-b")));
  RequireAbove0("--radius", a.radius);
  return {a, b};
}

void BodyOptions::Apply(const AppOptions& options, const std::string& mass_name,
                        const std::string& stiffness_name, double exponent, double& mass,
                        double& stiffness) const {
  if (IsGiven(options)) {
    if (options.IsGiven("mass-b")) {
      throw InputError("--mass-b and --radius, --material and so on exclude each other");
    }
    RequireAbsent(options, mass_name);
    const auto [a, b] = CompletePair(options, stiffness_name, exponent);
    RequireAbove0("--density", std::min(a.density, b.density));
    mass = 1.0 / (1.0 / MassOf(a) + 1.0 / MassOf(b));
    stiffness = StiffnessOf(a, b);
  } else if (options.IsGiven("mass-b")) {
    if (!options.IsGiven(mass_name)) throw InputError("--mass-b needs --" + mass_name);
    RequireAbove0("--mass-b", mass_b_);
    mass /= 1.0 + mass / mass_b_;
  }
}

double BodyOptions::MakeStiffness(const AppOptions& options, const std::string& stiffness_name,
                                  double exponent) const {
  const auto [a, b] = CompletePair(options, stiffness_name, exponent);
  return StiffnessOf(a, b);
}

}  // namespace scree::impact
