// [bond.NAME]: bonds between touching bodies.
#include "io/scene/key_groups.hpp"
#include "io/scene/key_parts.hpp"
#include "io/scene/units.hpp"
#include "solvers/base/check.hpp"

namespace scree {
namespace {

KeyRows BetweenRows(std::string& material, std::string& other) {
  return {{MaterialNameKey(), material},
          {{"with", "the other material, of particles or walls", Kind::kName, kDerived,
            InWords("the same material if not given")},
           other}};
}

KeyRows BondRows(BondRule& rule) {
  return {
      {BeginKey("time", "time at which all bodies within the gap are bonded"), rule.time},
      {{"gap", "largest gap at which two bodies are bonded", kLength, NotNegative()}, rule.gap},
      {{"tension", "tensile strength sigma_n: the bond pulls up to sigma_n times its area",
        kPressure, Positive()},
       rule.tension},
      {{"shear",
        "cohesion sigma_t: without normal force the bond carries up to sigma_t times its area in "
        "shear; sigma_t/sigma_n is its friction coefficient",
        kPressure, NotNegative()},
       rule.shear},
      {{"fracture_energy",
        "energy w per area that breaks the bond, which is elastic up to its strengths and then "
        "softens; 0: the bond is rigid and breaks at its strengths",
        kEnergyPerArea, NotNegative(), Default{"0 J/m^2"}},
       rule.fracture_energy},
      {{"radius",
        "radius of a bond between spheres, or a sphere and a wall, as a fraction of the smaller "
        "radius",
        Range{"> 0, at most 1", 0.0, true, 1.0}, Default{"1"}},
       rule.radius},
      {{"moments",
        "bonds of spheres resist bending and twist, as cylinders with the radius of the bond "
        "(parallel bonds)",
        Default{"no"}},
       rule.moments},
      {{"area",
        "area of each bond, at most that of the smaller body; 0: computed from the radius, or for "
        "faces from the area on which they touch",
        kArea, NotNegative(), Default{"0 m^2"}},
       rule.area},
      {{"weibull",
        "Weibull modulus of the random strengths, whose means are tension and shear; 0: all "
        "strengths are equal",
        Range{"0, or at least 0.5", 0.0}, Default{"0"}},
       rule.weibull},
  };
}

void VisitBondKeys(Section& section, BondRule& rule, RunConfig& run) {
  const MaterialTable& materials = run.scene.materials;
  std::string material, other;
  if (!section.IsRead() && !section.IsListed()) {
    material = materials[rule.a].name;
    other = materials[rule.b].name;
  }
  section.VisitKeys(BetweenRows(material, other));
  section.VisitKeys(BondRows(rule));
  if (!section.IsRead()) return;
  rule.a = MaterialOf(section, material, materials);
  rule.b =
      other.empty() ? rule.a : FindMaterial(section, "with", other, materials).value_or(rule.a);
  if (!rule.IsBrittle() && rule.moments) {
    section.AddError("moments",
                     "= yes, but bonds with a fracture_energy resist no moments; expected no "
                     "moments, or no fracture_energy");
  }
  if (!rule.IsBrittle() && rule.shear == 0.0) {
    section.AddError(
        "shear", "= 0, but a bond with a fracture_energy needs strength in shear; expected > 0");
  }
  if (rule.weibull > 0.0 && rule.weibull < 0.5) {
    section.AddError("weibull", Text("= ", ShortestText(rule.weibull),
                                     " is below 0.5; expected 0, or at least 0.5"));
  }
}

}  // namespace

KeyGroup BondKeys() {
  return RepeatedSection<BondRule>(
      {"bond",
       "bond.NAME",
       1,
       1,
       "Bonds between touching bodies; broken bonds do not heal",
       Never("bonds keep their strengths"),
       {}},
      [](RunConfig & run) -> auto& { return run.scene.bonds; }, VisitBondKeys);
}

}  // namespace scree
