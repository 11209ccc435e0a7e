// [contact], [material.NAME] and [pair.A.B].
#include "io/configuration/material_keys.hpp"

#include <algorithm>
#include <map>
#include <span>

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
Keys<Contact> ResistanceRows() {
  return {
      {{.key = "friction",
        .doc = "friction coefficient",
        .initial = "0.4",
        .range = ">= 0",
        .lower = 0.0},
       &Contact::friction},
      {{.key = "rolling_friction",
        .doc =
            "mu_r: moment of rolling, at most mu_r R times the normal force, 1/R = 1/r_a + 1/r_b",
        .initial = "0",
        .range = ">= 0",
        .lower = 0.0},
       [](auto& contact) -> decltype(auto) {
         return (std::get<PairRolling>(contact.laws).rolling);
       }},
      {{.key = "spinning_friction",
        .doc = "mu_s: the same for spinning about the normal",
        .initial = "0",
        .range = ">= 0",
        .lower = 0.0},
       [](auto& contact) -> decltype(auto) {
         return (std::get<PairRolling>(contact.laws).spinning);
       }},
      {{.key = "cohesion",
        .doc = "attraction of what touches: the pull that it takes to part the two",
        .initial = "0 N",
        .range = ">= 0",
        .dimension = kForce,
        .lower = 0.0},
       [](auto& contact) -> decltype(auto) {
         return (std::get<PairCohesion>(contact.laws).force);
       }},
      {{.key = "adhesion",
        .doc = "work of adhesion w, which adds 3/2 pi w R to it, 1/R = 1/r_a + 1/r_b",
        .initial = "0 J/m^2",
        .range = ">= 0",
        .dimension = kEnergyPerArea,
        .lower = 0.0},
       [](auto& contact) -> decltype(auto) {
         return (std::get<PairCohesion>(contact.laws).adhesion);
       }},
      {{.key = "cohesion_range",
        .doc = "gap up to which it acts; auto: 1e-3 of the smaller radius",
        .kind = Kind::kAutoNumber,
        .initial = "auto",
        .range = "auto | >= 0",
        .dimension = kLength,
        .lower = 0.0},
       [](auto& contact) -> decltype(auto) {
         return (std::get<PairCohesion>(contact.laws).range);
       }},
  };
}

template <class Target>
Keys<Target> WithoutDefaults(Keys<Target> keys) {
  for (Key<Target>& key : keys) {
    if (key.spec.initial.empty()) continue;
    key.spec.initial.clear();
    key.spec.lacking = Lacking::kTakesAnother;
    key.spec.doc += "; as in [contact] if not given";
  }
  return keys;
}

Keys<Contact> ContactRows() {
  return ResistanceRows() + Within<Contact>(&Contact::restitution, RestitutionRows());
}

Keys<Contact> PairRows() {
  return WithoutDefaults(ResistanceRows()) +
         Within<Contact>(&Contact::restitution, RestitutionRowsOfPairs());
}

Keys<Scene> ThresholdRow() {
  return {{{.key = "restitution_threshold",
            .doc = "slower impacts do not rebound, nor do those below 5 g dt",
            .initial = "0 m/s",
            .range = ">= 0",
            .dimension = kSpeed,
            .lower = 0.0},
           &Scene::restitution_threshold}};
}

Keys<Material> MaterialRows() {
  return {
      {{.key = "density",
        .doc = "density",
        .initial = "2.65 g/cm^3",
        .range = "> 0",
        .dimension = kDensity,
        .lower = 0.0,
        .open = true,
        .change = Never("particles keep their masses")},
       &Material::density},
      {{.key = "young",
        .doc = "Young's modulus, for laws of restitution",
        .lacking = Lacking::kMeansNone,
        .range = "> 0",
        .dimension = kPressure,
        .lower = 0.0,
        .open = true},
       &Material::young},
      {{.key = "poisson",
        .doc = "Poisson's ratio, for them",
        .initial = "0.3",
        .range = "above -1, to 0.5",
        .lower = -1.0,
        .open = true,
        .upper = 0.5},
       &Material::poisson},
  };
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
  reader.Read("contact", ThresholdRow(), scene);
  Contact contact;
  reader.Read("contact", ResistanceRows(), contact);
  contact.restitution = ReadRestitution(reader, "contact");
  const auto add = [&](const Material& material) {
    scene.materials.Add(material, contact.friction, contact.restitution, contact.laws);
  };
  for (const std::string& section : reader.Given().Sections("material")) {
    Material material;
    material.name = SectionParts(section)[1];
    reader.Read(section, MaterialRows(), material);
    if (GivesSizes(reader.Given(), section)) material.sizes = ReadSizes(reader, section);
    add(material);
  }
  if (scene.materials.Size() == 0) add({"grain"});
}

MaterialId MaterialNamed(SectionReader& reader, const std::string& where, const std::string& name,
                         const MaterialTable& materials) {
  try {
    return FindMaterial(reader, name, materials).value_or(0);
  } catch (const InputError& error) {
    reader.Errors().Add(where, error.what());
    return 0;
  }
}

void DemandSomeKey(SectionReader& reader, const std::string& section) {
  const KeySpecs some = Joined({SpecsOf(ResistanceRows()), {RestitutionRows().front().spec}});
  const auto intended = [&](const KeySpec& spec) {
    return reader.Given().Intended(section, spec.key);
  };
  if (std::ranges::any_of(some, intended)) return;
  std::string names = "\"" + some.front().key + "\"";
  for (const KeySpec& spec : std::span(some).subspan(1)) {
    names += (&spec == &some.back() ? " or \"" : ", \"") + spec.key + "\"";
  }
  reader.Errors().Add(reader.Given().Where(section, ""), "lacks the key " + names);
}

void ReadPairs(SectionReader& reader, MaterialTable& materials) {
  std::map<std::pair<MaterialId, MaterialId>, std::string> seen;
  for (const std::string& section : reader.Given().Sections("pair")) {
    const std::vector<std::string> names = SectionParts(section);
    const std::string where = reader.Given().Where(section, "");
    const MaterialId a = MaterialNamed(reader, where, names[1], materials);
    const MaterialId b = MaterialNamed(reader, where, names[2], materials);
    if (const auto [first, is_new] = seen.emplace(std::minmax(a, b), section); !is_new) {
      reader.Errors().Add(where, "this pair was already given as [" + first->second + "]");
    }
    DemandSomeKey(reader, section);
    Contact contact = ContactOf(materials, a, b);  // that of [contact] so far
    const PairRestitution common = contact.restitution;
    reader.Read(section, WithoutDefaults(ResistanceRows()), contact);
    const PairRestitution own = ReadRestitution(reader, section);
    contact.restitution = GivesRestitution(reader.Given(), section) ? own : common;
    SetContact(materials, a, b, contact);
  }
}

void WriteMaterials(const Scene& scene, Echo& echo) {
  const MaterialTable& table = scene.materials;
  const auto count = static_cast<MaterialId>(table.Size());
  const Contact common = ContactOf(table, 0, 0);
  echo.Section("contact");
  echo.Write(ContactRows(), common);
  echo.Write(ThresholdRow(), scene);
  for (MaterialId a = 0; a < count; ++a) {
    echo.Section("material." + table[a].name);
    echo.Write(MaterialRows(), table[a]);
    if (table[a].sizes) WriteSizes(*table[a].sizes, echo);
  }
  for (MaterialId a = 0; a < count; ++a) {
    for (MaterialId b = a; b < count; ++b) {
      const Contact contact = ContactOf(table, a, b);
      if (contact == common) continue;
      echo.Section("pair." + table[a].name + "." + table[b].name);
      echo.Write(PairRows(), contact);
    }
  }
}

}  // namespace

std::optional<MaterialId> FindMaterial(const SectionReader& reader, const std::string& name,
                                       const MaterialTable& materials) {
  const auto count = static_cast<MaterialId>(materials.Size());
  for (MaterialId m = 0; m < count; ++m) {
    if (materials[m].name == name) return m;
  }
  std::vector<std::string> known;
  for (MaterialId m = 0; m < count; ++m) known.push_back(materials[m].name);
  if (reader.IsMisspelt("material." + name)) return std::nullopt;
  throw InputError("there is no [material." + name + "]" + DidYouMean(name, known));
}

KeySpec MaterialName() {
  return {.key = "material",
          .doc = "material",
          .kind = Kind::kName,
          .lacking = Lacking::kTakesAnother,
          .range = "the first material if not given"};
}

MaterialId MaterialOf(SectionReader& reader, const std::string& section, const std::string& name,
                      const MaterialTable& materials) {
  if (name.empty()) return 0;
  return MaterialNamed(reader, reader.Given().Where(section, MaterialName().key), name, materials);
}

KeyGroup MaterialKeys() {
  return {
      {{"contact", "contact", 0, 0, "Contact law of all pairs of materials", OnTheWay(),
        Joined({SpecsOf(ContactRows()), SpecsOf(ThresholdRow())})},
       {"material", "material.NAME", 1, 1, "A material; without any there is one named \"grain\"",
        OnTheWay(), Joined({SpecsOf(MaterialRows()), SizesOfGrains()})},
       {"pair", "pair.A.B", 2, 2, "What differs for the pair of materials A and B", OnTheWay(),
        SpecsOf(PairRows())}},
      [](SectionReader& reader, RunConfig& run) {
        ReadMaterials(reader, run.scene);
        ReadPairs(reader, run.scene.materials);
      },
      [](const RunConfig& run, Echo& echo) { WriteMaterials(run.scene, echo); }};
}

}  // namespace scree
