/// \file  The values of one section after the other, into what their keys are bound to.
#pragma once

#include <set>
#include <string>

#include "engine/geometry/box.hpp"
#include "io/configuration/key_binding.hpp"
#include "io/configuration/settings.hpp"

namespace scree {

/// Takes values out of settings; what is missing or does not go together becomes an error, and some
/// value takes its place.
class SectionReader {
 public:
  SectionReader(const Settings& settings, ErrorList& errors)
      : settings_(settings), errors_(errors) {}

  /// Sets the variables of all keys that are given or have a default; clears that of a key whose
  /// value is bad, or lacking where that is an error.
  template <class Target>
  void Read(const std::string& section, const Keys<Target>& keys, Target& target) {
    for (const Key<Target>& key : keys) {
      const std::optional<Value> value = settings_.Find(section, key.spec.key);
      if (value) {
        key.set(target, *value);
      } else if (settings_.Given(section, key.spec.key) || IsLacking(key.spec)) {
        key.clear(target);
      }
      DemandGiven(section, key.spec);
    }
  }

  /// Whether the key has a value, given or by default.
  bool HasValue(const std::string& section, const KeySpec& spec) const {
    return settings_.Find(section, spec.key).has_value();
  }

  /// The lower corner is below the upper one, if both were read.
  void CheckBox(const std::string& section, const Box& box, const KeySpec& lower,
                const KeySpec& upper);

  /// Whether a section that is not there was meant by one whose name is misspelt.
  bool IsMisspelt(const std::string& section) const {
    return settings_.Intended(section, KeysOf(section).front());
  }

  /// Complains of all given keys of `keys` but those of `allowed`.
  /// @param what  that they do not belong to
  void Refuse(const std::string& section, const KeySpecs& keys, const KeySpecs& allowed,
              const std::string& what);

  void Complain(const std::string& section, const KeySpec& spec, const std::string& message) {
    errors_.Add(settings_.Where(section, spec.key), message);
  }

  const Settings& Given() const { return settings_; }
  ErrorList& Errors() { return errors_; }

 private:
  static bool IsLacking(const KeySpec& spec) {
    return spec.initial.empty() && spec.lacking == Lacking::kIsAnError;
  }
  void DemandGiven(const std::string& section, const KeySpec& spec);

  const Settings& settings_;
  ErrorList& errors_;
  std::set<std::string> missing_sections_;  // complained about
};

}  // namespace scree
