#include "io/configuration/restitution_keys.hpp"

#include <cmath>

#include "io/configuration/units.hpp"
#include "solvers/base/check.hpp"
#include "solvers/impact/viscoelastic.hpp"

namespace scree {
namespace {

KeySpec Restitution() {
  return {"restitution", "coefficient of restitution, or its law of the approach speed",
          Kind::kRestitution, Default{"0"},
          Range{"0 to 1 | kuwabara-kono | hunt-crossley | hertz-linear | linear", 0.0, false, 1.0}};
}

KeyRow RestitutionRow(KeySpec spec, PairRestitution& restitution) {
  const auto set = [&restitution](const Value& value) {
    const auto& text = std::get<std::string>(value);
    if (text.find_first_of("0123456789") == text.npos) {
      restitution.law = text;
    } else {
      restitution.constant = ReadQuantities(text, 1, kPlain)[0];
    }
  };
  const auto get = [&restitution]() -> std::optional<Value> {
    return restitution.law.empty() ? ShortestText(restitution.constant) : restitution.law;
  };
  return {std::move(spec), set, get};
}

KeyRows LawRows(PairRestitution& restitution) {
  const bool is_law = !restitution.law.empty();
  return {
      KeyRow({"stiffness", "law: k in SI, N/m if linear, else N/m^1.5 or from Young's moduli",
              Positive(), kOptional},
             restitution.stiffness)
          .OnlyIf(is_law),  // without one it is Hertz'
      KeyRow({"dissipation",
              "law: gamma_0 in SI, s (kuwabara-kono, linear), s/m (hunt-crossley), s m^0.5 "
              "(hertz-linear)",
              NotNegative(), kElsewhere},
             restitution.dissipation)
          .OnlyIf(is_law),
      KeyRow({"load", "law: the weight of a sphere on a wall counts", Default{"no"}},
             restitution.load)
          .OnlyIf(is_law),
  };
}

void RefuseKeysOfLaws(SectionReader& reader, const std::string& section,
                      const std::string& restitution) {
  for (const KeySpec& spec : SpecsOf(LawRows)) {
    if (!reader.Given(section, spec.key)) continue;
    reader.Complain(section, spec.key,
                    Text("has no effect with ",
                         restitution.empty() ? "no restitution in this section"
                                             : "restitution = " + restitution,
                         "; expected a law such as kuwabara-kono with it"));
  }
}

void DemandConstants(SectionReader& reader, const std::string& section, const std::string& law) {
  const auto need = [&](const char* key) {
    if (reader.All().Intended(section, key)) return;
    reader.Complain(section, "restitution", Text("= ", law, " lacks the key \"", key, "\""));
  };
  need("dissipation");
  if (impact::FindContactModel(law).alpha == 1.0) need("stiffness");  // Hertz' has another source
}

}  // namespace

KeyRows RestitutionRows(PairRestitution& restitution) {
  return KeyRows{RestitutionRow(Restitution(), restitution)} + LawRows(restitution);
}

KeyRows RestitutionRowsOfPairs(PairRestitution& restitution) {
  KeySpec own = Restitution();
  own.doc = "as in [contact]; if not given all of it is";
  own.initial.clear();
  own.lacking = kElsewhere;
  return KeyRows{RestitutionRow(own, restitution)} + LawRows(restitution);
}

PairRestitution ReadRestitution(SectionReader& reader, const std::string& section) {
  PairRestitution read;
  reader.Read(section, {RestitutionRow(Restitution(), read)});
  if (!reader.HasValue(section, "restitution")) {
    if (!reader.Given(section, "restitution")) RefuseKeysOfLaws(reader, section, "");
    return read;
  }
  if (read.law.empty()) {
    RefuseKeysOfLaws(reader, section, ShortestText(read.constant));
    return read;
  }
  DemandConstants(reader, section, read.law);
  reader.Read(section, LawRows(read));
  return read;
}

}  // namespace scree
