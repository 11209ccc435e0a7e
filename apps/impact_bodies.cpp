#include "apps/impact_bodies.hpp"

#include <array>
#include <numbers>
#include <string_view>

#include "solvers/check.hpp"
#include "solvers/impact/viscoelastic.hpp"

namespace scree::impact {
namespace {

/// Handbook values at room temperature; of wood and rock they vary widely.
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

std::string Names() {
  std::string names;
  for (const Solid& solid : kSolids) {
    names += (names.empty() ? "" : ", ") + std::string(solid.name);
  }
  return names;
}

const Solid& Find(const std::string& option, const std::string& name) {
  for (const Solid& solid : kSolids) {
    if (solid.name == name) return solid;
  }
  throw InputError(Text("--", option, " '", name, "' is unknown; choose one of ", Names()));
}

constexpr std::array kOptions = {"material",   "radius",   "young",   "poisson",   "density",
                                 "material-b", "radius-b", "young-b", "poisson-b", "density-b"};

}  // namespace

void BodyOptions::AddTo(AppOptions& options) {
  options.Add("material", a_.material, "of the sphere that strikes: " + Names());
  options.Add("radius", a_.radius, "of the sphere [m]: its mass and Hertz' stiffness follow");
  options.Add("young", a_.young, "Young's modulus [Pa] instead of the material's");
  options.Add("poisson", a_.poisson, "Poisson's ratio instead of the material's");
  options.Add("density", a_.density, "[kg/m^3] instead of the material's");
  options.Add("material-b", b_.material, "of what is struck; default the same");
  options.Add("radius-b", b_.radius, "of a sphere that is struck [m]; default a wall");
  options.Add("young-b", b_.young, "Young's modulus of what is struck [Pa]");
  options.Add("poisson-b", b_.poisson, "Poisson's ratio of what is struck");
  options.Add("density-b", b_.density, "of a sphere that is struck [kg/m^3]");
}

bool BodyOptions::Given(const AppOptions& options) const {
  for (const char* name : kOptions) {
    if (options.Given(name)) return true;
  }
  return false;
}

double BodyOptions::MassOf(const Body& body) {
  return 4.0 / 3.0 * std::numbers::pi * body.radius * body.radius * body.radius * body.density;
}

BodyOptions::Contact BodyOptions::MakeContact(const AppOptions& options,
                                              const std::string& mass_name,
                                              const std::string& stiffness_name,
                                              double exponent) const {
  for (const std::string& name : {mass_name, stiffness_name}) {
    if (options.Given(name.c_str())) {
      throw InputError(Text("--", name, " and --radius, --material and so on exclude each other"));
    }
  }
  if (!options.Given("radius")) throw InputError("--radius of the sphere that strikes is missing");
  if (exponent != 1.5) {
    throw InputError(
        Text("the force of spheres goes with the power 3/2 of their approach (Hertz), "
             "not with ",
             exponent, ": give mass and stiffness instead"));
  }
  Body a = a_, b = b_;
  if (!options.Given("material-b")) b.material = a.material;
  if (!options.Given("young-b") && !options.Given("material-b")) b.young = a.young;
  if (!options.Given("poisson-b") && !options.Given("material-b")) b.poisson = a.poisson;
  if (!options.Given("density-b") && !options.Given("material-b")) b.density = a.density;
  const bool of_a = options.Given("poisson"), of_b = of_a || options.Given("poisson-b");
  const auto complete = [](Body& body, const Solid& solid, bool poisson_given) {
    if (body.young == 0.0) body.young = solid.young;
    if (body.density == 0.0) body.density = solid.density;
    if (!poisson_given) body.poisson = solid.poisson;
  };
  complete(a, Find("material", a.material), of_a);
  complete(b, Find("material-b", b.material),
           options.Given("poisson-b") || (of_b && !options.Given("material-b")));
  if (!(a.radius > 0.0 && std::isfinite(a.radius))) {
    throw InputError(Text("--radius = ", a.radius, " must be above 0 and finite"));
  }
  for (const double density : {a.density, b.density}) {
    if (!(density > 0.0 && std::isfinite(density))) {
      throw InputError(Text("--density = ", density, " must be above 0 and finite"));
    }
  }
  const double stiffness =
      HertzStiffness({a.young, a.poisson, a.radius}, {b.young, b.poisson, b.radius});
  return {1.0 / (1.0 / MassOf(a) + 1.0 / MassOf(b)), stiffness};
}

}  // namespace scree::impact
