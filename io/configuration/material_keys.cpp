// [contact], [material.NAME] and [pair.A.B].
#include "io/configuration/material_keys.hpp"

#include <algorithm>
#include <map>

#include "io/configuration/key_groups.hpp"
#include "io/configuration/restitution_keys.hpp"
#include "io/configuration/size_keys.hpp"
#include "solvers/base/check.hpp"

namespace scree {
namespace {

/// What holds between two materials, or by [contact] between all.
struct Contact {
  double friction = 0.0;
  PairLaws laws;
  PairRestitution restitution;

  friend bool operator==(const Contact&, const Contact&) = default;
};

/// What a [pair] takes from [contact] if it does not say it.
KeyRows ResistanceRows(Contact& contact) {
  auto& rolling = std::get<PairRolling>(contact.laws);
  auto& cohesion = std::get<PairCohesion>(contact.laws);
  return {
      {{"friction", "friction coefficient", NotNegative(), Default{"0.4"}}, contact.friction},
      {{"rolling_friction",
        "mu_r: moment of rolling, at most mu_r R times the normal force, 1/R = 1/r_a + 1/r_b",
        NotNegative(), Default{"0"}},
       rolling.rolling},
      {{"spinning_friction", "mu_s: the same for spinning about the normal", NotNegative(),
        Default{"0"}},
       rolling.spinning},
      {{"cohesion", "attraction of what touches: the pull that it takes to part the two", kForce,
        NotNegative(), Default{"0 N"}},
       cohesion.force},
      {{"adhesion", "work of adhesion w, which adds 3/2 pi w R to it, 1/R = 1/r_a + 1/r_b",
        kEnergyPerArea, NotNegative(), Default{"0 J/m^2"}},
       cohesion.adhesion},
      {{"cohesion_range", "gap up to which it acts; auto: 1e-3 of the smaller radius",
        Kind::kAutoNumber, kLength, OrAuto(NotNegative()), Default{"auto"}},
       cohesion.range},
  };
}

KeyRows ResistanceRowsOfPairs(Contact& contact) {
  KeyRows rows = ResistanceRows(contact);
  for (KeyRow& row : rows) {
    row.spec.initial.clear();
    row.spec.lacking = kElsewhere;
    row.spec.doc += "; as in [contact] if not given";
  }
  return rows;
}

KeyRows ContactRows(Contact& contact) {
  return ResistanceRows(contact) + RestitutionRows(contact.restitution);
}

KeyRows PairRows(Contact& contact) {
  return ResistanceRowsOfPairs(contact) + RestitutionRowsOfPairs(contact.restitution);
}

KeyRows ThresholdRow(Scene& scene) {
  return {{{"restitution_threshold", "slower impacts do not rebound, nor do those below 5 g dt",
            kSpeed, NotNegative(), Default{"0 m/s"}},
           scene.restitution_threshold}};
}

KeyRows MaterialRows(Material& material) {
  return {{{"density", "density", kDensity, Positive(), Default{"2.65 g/cm^3"},
            Never("particles keep their masses")},
           material.density},
          {{"young", "Young's modulus, for laws of restitution", kPressure, Positive(), kOptional},
           material.young},
          {{"poisson", "Poisson's ratio, for them", Range{"above -1, to 0.5", -1.0, true, 0.5},
            Default{"0.3"}},
           material.poisson}};
}

/// Fills and inflows that tell none themselves have these sizes.
KeySpecs SizesOfGrains() {
  KeySpecs specs = SizeSpecs();
  for (KeySpec& spec : specs) spec.change = Never("particles keep their sizes");
  return specs;
}

Contact ContactOf(const MaterialTable& table, MaterialId a, MaterialId b) {
  return {table.Friction(a, b), table.Laws(a, b), table.Restitution(a, b)};
}

void SetContact(MaterialTable& table, MaterialId a, MaterialId b, const Contact& contact) {
  table.SetFriction(a, b, contact.friction);
  table.SetLaws(a, b, contact.laws);
  table.SetRestitution(a, b, contact.restitution);
}

void ReadMaterials(SectionReader& reader, Scene& scene) {
  reader.Read("contact", ThresholdRow(scene));
  Contact contact;
  reader.Read("contact", ResistanceRows(contact));
  contact.restitution = ReadRestitution(reader, "contact");
  const auto add = [&](const Material& material) {
    scene.materials.Add(material, contact.friction, contact.restitution, contact.laws);
  };
  for (const std::string& section : reader.All().Sections("material")) {
    Material material;
    material.name = SectionParts(section)[1];
    reader.Read(section, MaterialRows(material));
    if (reader.GivesAny(section, SizeSpecs())) material.sizes = ReadSizes(reader, section);
    add(material);
  }
  if (scene.materials.Size() == 0) add({"grain"});
}

void DemandSomeKey(SectionReader& reader, const std::string& section) {
  std::string names;
  Contact none;
  for (const KeyRow& row : PairRows(none)) {
    if (reader.All().Intended(section, row.spec.key)) return;
    const bool is_last = row.spec.key == "restitution";
    names += Text(names.empty() ? "" : is_last ? " or " : ", ", "\"", row.spec.key, "\"");
    if (is_last) break;  // the others go with it
  }
  reader.Complain(section, "", "lacks the key " + names);
}

void ReadPairs(SectionReader& reader, MaterialTable& materials) {
  std::map<std::pair<MaterialId, MaterialId>, std::string> seen;
  for (const std::string& section : reader.All().Sections("pair")) {
    const std::vector<std::string> names = SectionParts(section);
    const std::string where = reader.All().Where(section, "");
    const MaterialId a = FindMaterial(reader, where, names[1], materials).value_or(0);
    const MaterialId b = FindMaterial(reader, where, names[2], materials).value_or(0);
    if (const auto [first, is_new] = seen.emplace(std::minmax(a, b), section); !is_new) {
      reader.Complain(section, "", "this pair was already given as [" + first->second + "]");
    }
    DemandSomeKey(reader, section);
    Contact contact = ContactOf(materials, a, b);  // that of [contact] so far
    reader.Read(section, ResistanceRowsOfPairs(contact));
    const PairRestitution own = ReadRestitution(reader, section);
    if (reader.Given(section, "restitution")) contact.restitution = own;
    SetContact(materials, a, b, contact);
  }
}

void WriteMaterials(Scene& scene, Echo& echo) {
  const MaterialTable& table = scene.materials;
  const auto count = static_cast<MaterialId>(table.Size());
  Contact common = ContactOf(table, 0, 0);
  echo.Section("contact");
  echo.Write(ContactRows(common) + ThresholdRow(scene));
  for (MaterialId a = 0; a < count; ++a) {
    Material material = table[a];
    echo.Section("material." + material.name);
    echo.Write(MaterialRows(material));
    if (material.sizes) WriteSizes(*material.sizes, echo);
  }
  for (MaterialId a = 0; a < count; ++a) {
    for (MaterialId b = a; b < count; ++b) {
      Contact contact = ContactOf(table, a, b);
      if (contact == common) continue;
      echo.Section("pair." + table[a].name + "." + table[b].name);
      echo.Write(PairRows(contact));
    }
  }
}

}  // namespace

std::optional<MaterialId> FindMaterial(SectionReader& reader, const std::string& where,
                                       const std::string& name, const MaterialTable& materials) {
  std::vector<std::string> known;
  for (std::size_t m = 0; m < materials.Size(); ++m) {
    known.push_back(materials[static_cast<MaterialId>(m)].name);
  }
  const auto found = reader.FindNamed(where, "material", name, known);
  return found ? std::optional(static_cast<MaterialId>(*found)) : std::nullopt;
}

KeySpec MaterialName() {
  return {"material", "material", Kind::kName, kElsewhere,
          InWords("the first material if not given")};
}

MaterialId MaterialOf(SectionReader& reader, const std::string& section, const std::string& name,
                      const MaterialTable& materials) {
  if (name.empty()) return 0;
  const std::string where = reader.All().Where(section, "material");
  return FindMaterial(reader, where, name, materials).value_or(0);
}

KeyGroup MaterialKeys() {
  return {
      {{"contact", "contact", 0, 0, "Contact law of all pairs of materials", OnTheWay(),
        Joined({SpecsOf(ContactRows), SpecsOf(ThresholdRow)})},
       {"material", "material.NAME", 1, 1, "A material; without any there is one named \"grain\"",
        OnTheWay(), Joined({SpecsOf(MaterialRows), SizesOfGrains()})},
       {"pair", "pair.A.B", 2, 2, "What differs for the pair of materials A and B", OnTheWay(),
        SpecsOf(PairRows)}},
      [](SectionReader& reader, RunConfig& run) {
        ReadMaterials(reader, run.scene);
        ReadPairs(reader, run.scene.materials);
      },
      [](RunConfig& run, Echo& echo) { WriteMaterials(run.scene, echo); }};
}

}  // namespace scree
