// [bond.NAME]: bonds between touching bodies.
#include "io/scene/key_groups.hpp"
#include "io/scene/key_parts.hpp"
#include "io/scene/units.hpp"
#include "solvers/base/check.hpp"

namespace scree {
namespace {

KeyRows BetweenRows(std::string& material, std::string& with) {
  return {{MaterialName(), material},
          {{"with", "the other material, of particles or walls", Kind::kName, kElsewhere,
            InWords("the same material if not given")},
           with}};
}

KeyRows BondRows(BondRule& rule) {
  return {
      {BeginKey("time", "when the bonds are born, between bodies that are near then"), rule.time},
      {{"gap", "largest gap at which two bodies are bonded", kLength, NotNegative()}, rule.gap},
      {{"tension", "tensile strength sigma_n: the bond pulls up to sigma_n times its area",
        kPressure, Positive()},
       rule.tension},
      {{"shear",
        "cohesion sigma_t: without normal force the bond shears up to sigma_t times its area, and "
        "sigma_t/sigma_n is its friction",
        kPressure, NotNegative()},
       rule.shear},
      {{"fracture_energy",
        "energy w that it takes to break the bond, per area: it yields elastically up to its "
        "strengths, then softens and is damaged; 0: it is rigid and breaks at its strengths",
        kEnergyPerArea, NotNegative(), Default{"0 J/m^2"}},
       rule.fracture_energy},
      {{"radius",
        "radius of a bond between spheres, or a sphere and a wall, as a fraction of the smaller "
        "radius",
        Range{"> 0, at most 1", 0.0, true, 1.0}, Default{"1"}},
       rule.radius},
      {{"moments",
        "bonds of spheres resist bending and twist, as cylinders of their radius (parallel "
        "bonds)",
        Default{"no"}},
       rule.moments},
      {{"area",
        "area of each bond, at most that of the smaller body; 0: from the radius, of faces the "
        "area on which they touch",
        kArea, NotNegative(), Default{"0 m^2"}},
       rule.area},
      {{"weibull",
        "modulus of Weibull's distribution of the strengths, with the given means; 0: all are "
        "equal",
        Range{"0, or at least 0.5", 0.0}, Default{"0"}},
       rule.weibull},
  };
}

void BondSection(Section& section, BondRule& rule, RunConfig& run) {
  const MaterialTable& materials = run.scene.materials;
  std::string material, with;
  if (!section.IsRead() && !section.IsListed()) {
    material = materials[rule.a].name;
    with = materials[rule.b].name;
  }
  section.Keys(BetweenRows(material, with));
  section.Keys(BondRows(rule));
  if (!section.IsRead()) return;
  rule.a = MaterialOf(section, material, materials);
  rule.b = with.empty() ? rule.a : FindMaterial(section, "with", with, materials).value_or(rule.a);
  if (!rule.IsBrittle() && rule.moments) {
    section.AddError("moments",
                     "= yes, but bonds with a fracture_energy resist no moments; expected no, or "
                     "no fracture_energy");
  }
  if (!rule.IsBrittle() && rule.shear == 0.0) {
    section.AddError("shear", "= 0, but a bond with a fracture_energy resists shear; expected > 0");
  }
  if (rule.weibull > 0.0 && rule.weibull < 0.5) {
    section.AddError("weibull", Text("= ", ShortestText(rule.weibull),
                                     " is below 0.5; expected 0, or at least 0.5"));
  }
}

}  // namespace

KeyGroup BondKeys() {
  return ForEach<BondRule>(
      {"bond",
       "bond.NAME",
       1,
       1,
       "Bonds between touching bodies, which break for good",
       Never("bonds keep their strengths"),
       {}},
      [](RunConfig & run) -> auto& { return run.scene.bonds; }, BondSection);
}

}  // namespace scree
