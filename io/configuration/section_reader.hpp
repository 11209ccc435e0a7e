/// \file  The values of one section after the other, by what they stand for.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "engine/geometry/box.hpp"
#include "engine/scene/materials.hpp"
#include "io/configuration/settings.hpp"
#include "solvers/check.hpp"

namespace scree {

/// Takes values out of settings; what is missing or does not go together becomes an error, and some
/// value takes its place.
class SectionReader {
 public:
  SectionReader(const Settings& settings, ErrorList& errors)
      : settings_(settings), errors_(errors) {}

  /// The value of a mandatory key; a missing one is an error.
  template <class T>
  T Need(const std::string& section, const std::string& key) {
    const std::optional<T> value = settings_.Get<T>(section, key);
    if (value) return *value;
    if (!settings_.Has(section) && !settings_.Intended(section, key)) {
      if (missing_sections_.insert(section).second) {
        errors_.Add(settings_.FileName(), Text("lacks the section [", section, "]"));
      }
    } else if (!settings_.Intended(section, key)) {
      const KeySpec* spec = FindKey(section, key);
      const std::string unit = SiUnit(spec->dimension);
      errors_.Add(settings_.Where(section, key), Text("lacks the key \"", key, "\" (", spec->doc,
                                                      unit.empty() ? "" : " [" + unit + "]", ")"));
    }
    return T();
  }

  Vec3 NeedVector(const std::string& section, const std::string& key);

  /// A value with a default; T() if what was given is bad.
  template <class T>
  T Take(const std::string& section, const std::string& key) {
    return settings_.Get<T>(section, key).value_or(T());
  }

  /// A vector; zero if not given.
  Vec3 TakeVector(const std::string& section, const std::string& key) const;

  /// Exactly one of radius and diameter.
  double Radius(const std::string& section);

  /// Made a unit vector; one that is so to rounding stays, which keeps EffectiveIni a fixed point.
  Vec3 Normal(const std::string& section);

  /// From lower to upper.
  Box BoxOf(const std::string& section);

  MaterialId MaterialNamed(const std::string& name, const MaterialTable& materials,
                           const std::string& where);
  /// The section's key "material"; the first one if not given.
  MaterialId MaterialOf(const std::string& section, const MaterialTable& materials);

  /// Complains of all keys but those allowed.
  /// @param what  that they do not belong to
  void RefuseKeys(const std::string& section, const std::vector<std::string>& allowed,
                  const std::string& what);

 protected:
  const Settings& settings_;
  ErrorList& errors_;

 private:
  std::set<std::string> missing_sections_;  // complained about
};

}  // namespace scree
