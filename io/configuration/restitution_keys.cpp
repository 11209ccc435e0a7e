#include "io/configuration/restitution_keys.hpp"

#include <cmath>

#include "io/configuration/units.hpp"
#include "solvers/base/check.hpp"
#include "solvers/impact/viscoelastic.hpp"

namespace scree {
namespace {

const KeySpec kRestitution = {
    .key = "restitution",
    .doc = "coefficient of restitution, or its law of the approach speed",
    .kind = Kind::kRestitution,
    .initial = "0",
    .range = "0 to 1 | kuwabara-kono | hunt-crossley | hertz-linear | linear",
    .lower = 0.0,
    .upper = 1.0};
const KeySpec kContactStiffness = {
    .key = "stiffness",
    .doc = "law: k in SI, N/m if linear, else N/m^1.5 or from Young's moduli",
    .lacking = Lacking::kMeansNone,
    .range = "> 0",
    .lower = 0.0,
    .open = true};
const KeySpec kDissipation = {.key = "dissipation",
                              .doc =
                                  "law: gamma_0 in SI, s (kuwabara-kono, linear), s/m "
                                  "(hunt-crossley), s m^0.5 (hertz-linear)",
                              .lacking = Lacking::kTakesAnother,
                              .range = ">= 0",
                              .lower = 0.0};
const KeySpec kLoad = {
    .key = "load", .doc = "law: the weight of a sphere on a wall counts", .initial = "no"};

bool HasDigits(const std::string& restitution) {
  return restitution.find_first_of("0123456789") != std::string::npos;
}

void SetRestitution(PairRestitution& restitution, const Value& value) {
  const auto& text = std::get<std::string>(value);
  if (HasDigits(text)) {
    restitution.constant = ReadQuantities(text, 1, kPlain)[0];
  } else {
    restitution.law = text;
  }
}

std::optional<Value> RestitutionText(const PairRestitution& restitution) {
  return restitution.law.empty() ? ShortestText(restitution.constant) : restitution.law;
}

Keys<PairRestitution> LawRows() {
  using P = PairRestitution;
  const auto is_law = [](const P& restitution) { return !restitution.law.empty(); };
  return {
      Key<P>(kContactStiffness, &P::stiffness).OnlyIf(is_law),  // without one it is Hertz'
      Key<P>(kDissipation, &P::dissipation).OnlyIf(is_law),
      Key<P>(kLoad, &P::load).OnlyIf(is_law),
  };
}

void RefuseKeysOfLaws(SectionReader& reader, const std::string& section,
                      const std::string& restitution) {
  for (const KeySpec& spec : SpecsOf(LawRows())) {
    if (!reader.Given().Given(section, spec.key)) continue;
    reader.Complain(section, spec,
                    Text("has no effect with ",
                         restitution.empty() ? "no restitution in this section"
                                             : "restitution = " + restitution,
                         "; expected a law such as kuwabara-kono with it"));
  }
}

void DemandConstants(SectionReader& reader, const std::string& section, const std::string& law) {
  const auto need = [&](const KeySpec& spec) {
    if (reader.Given().Intended(section, spec.key)) return;
    reader.Complain(section, kRestitution, Text("= ", law, " lacks the key \"", spec.key, "\""));
  };
  need(kDissipation);
  if (impact::FindContactModel(law).alpha == 1.0)
    need(kContactStiffness);  // Hertz' has another source
}

}  // namespace

Keys<PairRestitution> RestitutionRows() {
  return Keys<PairRestitution>{{kRestitution, SetRestitution, RestitutionText}} + LawRows();
}

Keys<PairRestitution> RestitutionRowsOfPairs() {
  KeySpec own = kRestitution;
  own.doc = "as in [contact]; if not given all of it is";
  own.initial.clear();
  own.lacking = Lacking::kTakesAnother;
  return Keys<PairRestitution>{{own, SetRestitution, RestitutionText}} + LawRows();
}

PairRestitution ReadRestitution(SectionReader& reader, const std::string& section) {
  PairRestitution read;
  reader.Read(section, {{kRestitution, SetRestitution, RestitutionText}}, read);
  if (!reader.HasValue(section, kRestitution)) {
    if (!GivesRestitution(reader.Given(), section)) RefuseKeysOfLaws(reader, section, "");
    return read;
  }
  if (read.law.empty()) {
    RefuseKeysOfLaws(reader, section, ShortestText(read.constant));
    return read;
  }
  DemandConstants(reader, section, read.law);
  reader.Read(section, LawRows(), read);
  return read;
}

PairRestitution ReadRestitution(const Settings& settings, const std::string& section,
                                ErrorList& errors) {
  SectionReader reader(settings, errors);
  return ReadRestitution(reader, section);
}

bool GivesRestitution(const Settings& settings, const std::string& section) {
  return settings.Given(section, kRestitution.key);
}

}  // namespace scree
