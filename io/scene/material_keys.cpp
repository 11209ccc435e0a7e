// [contact], [material.NAME] and [pair.A.B].
#include <algorithm>
#include <map>

#include "io/scene/key_groups.hpp"
#include "io/scene/key_parts.hpp"
#include "io/scene/units.hpp"
#include "solvers/base/check.hpp"
#include "solvers/restitution/viscoelastic.hpp"

namespace scree {
namespace {

// ---- restitution

KeySpec RestitutionKey() {
  return {"restitution",
          "coefficient of restitution, or a law that gives it from the approach speed",
          Kind::kRestitution, Default{"0"},
          Range{"0 to 1 | kuwabara-kono | hunt-crossley | hertz-linear | linear", 0.0, false, 1.0}};
}

KeyRow RestitutionRow(KeySpec spec, PairRestitution& restitution) {
  const auto set = [&restitution](const KeyValue& value) {
    if (const auto* const constant = std::get_if<double>(&value)) {
      restitution.constant = *constant;
    } else {
      restitution.law = std::get<std::string>(value);
    }
  };
  const auto get = [&restitution]() -> std::optional<KeyValue> {
    return restitution.law.empty() ? KeyValue(restitution.constant) : KeyValue(restitution.law);
  };
  return {std::move(spec), set, get};
}

KeyRows LawRows(PairRestitution& restitution) {
  const bool is_law = !restitution.law.empty();
  return {
      KeyRow(
          {"stiffness",
           "law: stiffness k in SI, N/m if linear, else N/m^1.5; if not given, from Young's moduli",
           Positive(), kOptional},
          restitution.stiffness)
          .OnlyIf(is_law),  // optional, because Hertz' law may take it from the moduli
      KeyRow({"dissipation",
              "law: gamma_0 in SI, s (kuwabara-kono, linear), s/m (hunt-crossley), s m^0.5 "
              "(hertz-linear)",
              NotNegative(), kDerived},
             restitution.dissipation)
          .OnlyIf(is_law),
      KeyRow({"load", "law: include the weight of a sphere that hits a wall", Default{"no"}},
             restitution.load)
          .OnlyIf(is_law),
  };
}

void RefuseKeysOfLaws(Section& section, const std::string& condition) {
  for (const KeySpec& spec : SpecsOf(LawRows)) {
    if (!section.IsGiven(spec.key)) continue;
    section.AddError(spec.key, Text("has no effect with ", condition,
                                    "; expected restitution = a law, such as kuwabara-kono"));
  }
}

void RequireConstants(Section& section, const std::string& law) {
  const auto require_key = [&](const char* key) {
    if (section.IsIntended(key)) return;
    section.AddError("restitution", Text("= ", law, " lacks the key \"", key, "\""));
  };
  require_key("dissipation");
  if (impact::FindContactModel(law).alpha == 1.0)
    require_key("stiffness");  // linear: it does not follow from moduli
}

KeyRows RestitutionRows(PairRestitution& restitution) {
  return KeyRows{RestitutionRow(RestitutionKey(), restitution)} + LawRows(restitution);
}

/// Rows of a [pair]. They have no defaults: a pair without its own restitution takes all of these
/// values from [contact].
KeyRows RestitutionRowsOfPairs(PairRestitution& restitution) {
  KeySpec spec = RestitutionKey();
  spec.doc = "as in [contact]; if not given, the pair takes all its restitution keys from there";
  spec.default_text.clear();
  spec.if_missing = kDerived;
  return KeyRows{RestitutionRow(spec, restitution)} + LawRows(restitution);
}

/// Reads a constant, or a law with its constants. A [pair] does not combine its own keys with those
/// of [contact]. CheckRunConfig checks later whether the materials have the moduli for the law.
PairRestitution ReadRestitution(Section& section) {
  PairRestitution restitution;
  section.VisitKeys({RestitutionRow(RestitutionKey(), restitution)});
  if (!section.HasValue("restitution")) {
    if (!section.IsGiven("restitution"))
      RefuseKeysOfLaws(section, "no restitution in this section");
    return restitution;
  }
  if (restitution.law.empty()) {
    RefuseKeysOfLaws(section, "restitution = " + ShortestText(restitution.constant));
    return restitution;
  }
  RequireConstants(section, restitution.law);
  section.VisitKeys(LawRows(restitution));
  return restitution;
}

// ---- contact laws of a pair

/// The contact laws of two materials, or of all materials ([contact]).
struct Contact {
  double friction = 0.0;
  PairSlip slip;
  PairLaws laws;
  PairRestitution restitution;

  friend bool operator==(const Contact&, const Contact&) = default;
};

/// The keys that a [pair] takes from [contact] if it does not give them.
KeyRows ResistanceRows(Contact& contact) {
  auto& rolling = std::get<PairRolling>(contact.laws);
  auto& cohesion = std::get<PairCohesion>(contact.laws);
  return {
      {{"friction", "friction coefficient", NotNegative(), Default{"0.4"}}, contact.friction},
      {{"kinetic_friction",
        "friction coefficient of fast slip: mu = kinetic_friction + (friction - kinetic_friction) "
        "exp(-v/friction_speed) at slip velocity v; auto: friction",
        Kind::kAutoNumber, OrAuto(NotNegative()), Default{"auto"}},
       contact.slip.kinetic},
      KeyRow({"friction_speed",
              "slip velocity at which the excess over kinetic_friction has dropped to 1/e", kSpeed,
              Positive(), kOptional},
             contact.slip.speed)
          .OnlyIf(contact.slip.IsActive()),
      {{"rolling_friction",
        "mu_r: the moment against rolling is at most mu_r R times the normal force, 1/R = 1/r_a + "
        "1/r_b",
        NotNegative(), Default{"0"}},
       rolling.rolling},
      {{"spinning_friction", "mu_s: the same for spinning about the normal", NotNegative(),
        Default{"0"}},
       rolling.spinning},
      {{"cohesion", "attraction of touching bodies: the force needed to separate them", kForce,
        NotNegative(), Default{"0 N"}},
       cohesion.force},
      {{"adhesion", "work of adhesion w, which adds 3/2 pi w R to cohesion, 1/R = 1/r_a + 1/r_b",
        kEnergyPerArea, NotNegative(), Default{"0 J/m^2"}},
       cohesion.adhesion},
      {{"cohesion_range",
        "gap up to which cohesion acts; auto: 1e-3 of the smaller radius, for polyhedra at least "
        "the slop, which is the overlap that position sweeps leave",
        Kind::kAutoNumber, kLength, OrAuto(Positive()), Default{"auto"}},
       cohesion.range},
  };
}

KeyRows ResistanceRowsOfPairs(Contact& contact) {
  KeyRows rows = ResistanceRows(contact);
  for (KeyRow& row : rows) {
    row.spec.default_text.clear();
    row.spec.if_missing = kDerived;
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
  return {
      {{"restitution_threshold", "impacts slower than this, or slower than 5 g dt, do not rebound",
        kSpeed, NotNegative(), Default{"0 m/s"}},
       scene.restitution_threshold}};
}

KeyRows MaterialRows(Material& material) {
  return {{{"density", "density", kDensity, Positive(), Default{"2.65 g/cm^3"},
            Never("particles keep their masses")},
           material.density},
          {{"young", "Young's modulus, used by restitution laws", kPressure, Positive(), kOptional},
           material.young},
          {{"poisson", "Poisson's ratio, used by restitution laws",
            Range{"above -1, to 0.5", -1.0, true, 0.5}, Default{"0.3"}},
           material.poisson}};
}

/// Default sizes for fills and inflows that give none.
KeySpecs SizesOfGrains() {
  KeySpecs specs = SizeSpecs();
  for (KeySpec& spec : specs) spec.change = Never("particles keep their sizes");
  return specs;
}

Contact ContactOf(const MaterialTable& table, MaterialId a, MaterialId b) {
  return {table.Friction(a, b), table.Slip(a, b), table.Laws(a, b), table.Restitution(a, b)};
}

void SetContact(MaterialTable& table, MaterialId a, MaterialId b, const Contact& contact) {
  table.SetFriction(a, b, contact.friction);
  table.SetSlip(a, b, contact.slip);
  table.SetLaws(a, b, contact.laws);
  table.SetRestitution(a, b, contact.restitution);
}

/// Friction that depends on slip requires both kinetic_friction and friction_speed.
void CheckSlip(Section& section, const PairSlip& slip) {
  const std::string kinetic = "kinetic_friction", speed = "friction_speed";
  if (slip.IsActive() && slip.speed == 0.0 && !section.IsIntended(speed)) {
    section.AddError(kinetic,
                     Text("= ", ShortestText(slip.kinetic), " lacks the key \"", speed, "\""));
  }
  const bool is_misspelt = section.IsIntended(kinetic) && !section.IsGiven(kinetic);
  if (!slip.IsActive() && section.IsGiven(speed) && !is_misspelt) {
    section.AddError(speed, Text("has no effect without ", kinetic, "; expected a number there"));
  }
}

/// With this many materials the table of pairs takes a quarter of a gigabyte on each rank.
constexpr std::size_t kMaxMaterials = 1000;

void ReadMaterials(const Settings& settings, ErrorList& errors, Scene& scene) {
  Section common("contact", settings, errors);
  common.VisitKeys(ThresholdRow(scene));
  Contact contact;
  common.VisitKeys(ResistanceRows(contact));
  CheckSlip(common, contact.slip);
  contact.restitution = ReadRestitution(common);
  const auto add = [&](const Material& material) {
    scene.materials.Add(material, contact.friction, contact.restitution, contact.laws,
                        contact.slip);
  };
  const std::vector<std::string> names = settings.Sections("material");
  for (const std::string& name : names) {
    Section section(name, settings, errors);
    if (scene.materials.Size() == kMaxMaterials) {
      section.AddError("", Text("is one of ", names.size(), " materials; expected at most ",
                                kMaxMaterials, ", as all pairs of them have a row in a table"));
      return;
    }
    Material material;
    material.name = NameInSection(name);
    section.VisitKeys(MaterialRows(material));
    if (section.IsAnyGiven(SizeSpecs())) VisitSizeKeys(section, material.sizes.emplace());
    add(material);
  }
  if (scene.materials.Size() == 0) add({"grain"});
}

void RequireSomeKey(Section& section) {
  std::string names;
  Contact empty;
  for (const KeyRow& row : PairRows(empty)) {
    if (section.IsIntended(row.spec.key)) return;
    const bool is_last = row.spec.key == "restitution";
    names += Text(names.empty() ? "" : is_last ? " or " : ", ", "\"", row.spec.key, "\"");
    if (is_last) break;  // the remaining keys require this one
  }
  section.AddError("", "lacks the key " + names);
}

void ReadPairs(const Settings& settings, ErrorList& errors, MaterialTable& materials) {
  std::map<std::pair<MaterialId, MaterialId>, std::string> seen;
  for (const std::string& name : settings.Sections("pair")) {
    Section section(name, settings, errors);
    const std::vector<std::string> names = SectionParts(name);
    const MaterialId a = FindMaterial(section, "", names[1], materials).value_or(0);
    const MaterialId b = FindMaterial(section, "", names[2], materials).value_or(0);
    if (const auto [first, is_new] = seen.emplace(std::minmax(a, b), name); !is_new) {
      section.AddError("", "this pair was already given as [" + first->second + "]");
    }
    RequireSomeKey(section);
    Contact contact = ContactOf(materials, a, b);  // starts as in [contact]
    section.VisitKeys(ResistanceRowsOfPairs(contact));
    CheckSlip(section, contact.slip);
    const PairRestitution pair_restitution = ReadRestitution(section);
    if (section.IsGiven("restitution")) contact.restitution = pair_restitution;
    SetContact(materials, a, b, contact);
  }
}

void WriteMaterials(Scene& scene, IniEntries& entries) {
  const MaterialTable& table = scene.materials;
  const auto count = static_cast<MaterialId>(table.Size());
  Contact common = ContactOf(table, 0, 0);
  Section("contact", entries).VisitKeys(ContactRows(common) + ThresholdRow(scene));
  for (MaterialId a = 0; a < count; ++a) {
    Material material = table[a];
    Section section("material." + material.name, entries);
    section.VisitKeys(MaterialRows(material));
    if (material.sizes) VisitSizeKeys(section, *material.sizes);
  }
  for (MaterialId a = 0; a < count; ++a) {
    for (MaterialId b = a; b < count; ++b) {
      Contact contact = ContactOf(table, a, b);
      if (contact == common) continue;
      Section("pair." + table[a].name + "." + table[b].name, entries).VisitKeys(PairRows(contact));
    }
  }
}

}  // namespace

std::optional<MaterialId> FindMaterial(Section& section, const std::string& key,
                                       const std::string& name, const MaterialTable& materials) {
  std::vector<std::string> known;
  for (std::size_t m = 0; m < materials.Size(); ++m) {
    known.push_back(materials[static_cast<MaterialId>(m)].name);
  }
  const auto found = section.FindNamed(key, "material", name, known);
  return found ? std::optional(static_cast<MaterialId>(*found)) : std::nullopt;
}

KeySpec MaterialNameKey() {
  return {"material", "material", Kind::kName, kDerived,
          InWords("the first material if not given")};
}

MaterialId MaterialOf(Section& section, const std::string& name, const MaterialTable& materials) {
  return name.empty() ? 0 : FindMaterial(section, "material", name, materials).value_or(0);
}

KeyGroup MaterialKeys() {
  return {{{"contact", "contact", 0, 0, "Contact law of all pairs of materials", DuringRun(),
            Joined({SpecsOf(ContactRows), SpecsOf(ThresholdRow)})},
           {"material", "material.NAME", 1, 1,
            "A material; a scene without any has one named \"grain\"", DuringRun(),
            Joined({SpecsOf(MaterialRows), SizesOfGrains()})},
           {"pair", "pair.A.B", 2, 2, "Exceptions from [contact] for the pair of materials A and B",
            DuringRun(), SpecsOf(PairRows)}},
          [](const Settings& settings, ErrorList& errors, RunConfig& run) {
            ReadMaterials(settings, errors, run.scene);
            ReadPairs(settings, errors, run.scene.materials);
          },
          [](RunConfig& run, IniEntries& entries) { WriteMaterials(run.scene, entries); }};
}

}  // namespace scree
