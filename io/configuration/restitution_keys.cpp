#include "io/configuration/restitution_keys.hpp"

#include <cmath>

#include "io/configuration/units.hpp"
#include "solvers/check.hpp"
#include "solvers/impact/viscoelastic.hpp"

namespace scree {
namespace {

constexpr const char* kOfLaws[] = {"stiffness", "dissipation", "load"};

bool IsNumber(const std::string& restitution) {
  return restitution.find_first_of("0123456789") != std::string::npos;
}

void RefuseKeysOfLaws(const Settings& settings, const std::string& section,
                      const std::string& restitution, ErrorList& errors) {
  for (const char* key : kOfLaws) {
    if (!settings.Given(section, key)) continue;
    errors.Add(settings.Where(section, key),
               Text("has no effect with ",
                    restitution.empty() ? "no restitution in this section"
                                        : "restitution = " + restitution,
                    "; expected a law such as kuwabara-kono with it"));
  }
}

}  // namespace

PairRestitution ReadRestitution(const Settings& settings, const std::string& section,
                                ErrorList& errors) {
  PairRestitution read;
  const auto given = settings.Get<std::string>(section, "restitution");
  if (!given) {
    if (!settings.Given(section, "restitution")) RefuseKeysOfLaws(settings, section, "", errors);
    return read;
  }
  if (IsNumber(*given)) {
    RefuseKeysOfLaws(settings, section, *given, errors);
    read.constant = ReadQuantities(*given, 1, kPlain)[0];
    return read;
  }
  read.law = *given;
  const auto need = [&](const char* key) {
    if (settings.Intended(section, key)) return;
    errors.Add(settings.Where(section, "restitution"),
               Text("= ", read.law, " lacks the key \"", key, "\""));
  };
  need("dissipation");
  if (impact::FindContactModel(read.law).alpha == 1.0)
    need("stiffness");  // Hertz' has another source
  read.stiffness = settings.Get<double>(section, "stiffness").value_or(0.0);
  read.dissipation = settings.Get<double>(section, "dissipation").value_or(0.0);
  read.load = settings.Get<bool>(section, "load").value_or(false);
  return read;
}

}  // namespace scree
