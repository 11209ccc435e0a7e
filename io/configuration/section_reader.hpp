/// \file  The values of one section after the other, into what their keys are bound to.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

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
  void Read(const std::string& section, const KeyRows& rows);

  /// The number of the word that a section gives, whose other keys it must not have; nothing if the
  /// word is bad and was complained about.
  /// @param article  before the word in complaints, "a"; empty: "key = word"
  std::optional<std::size_t> ReadKind(const std::string& section, const KindKeys& kinds,
                                      const std::string& article = "");

  /// Whether the key has a value, given or by default.
  bool HasValue(const std::string& section, const std::string& key) const {
    return settings_.Find(section, key).has_value();
  }

  /// The lower corner is below the upper one, if both were read.
  void CheckBox(const std::string& section, const Box& box);

  /// `last` is after `first`, if it was read.
  /// @param last, first  keys of times, with their values
  void CheckSpan(const std::string& section, const std::string& last, double until,
                 const std::string& first, double from);

  /// The place of `name` among the known names of sections [head.NAME]. That there is none is told
  /// at `where`, unless its section is misspelt, which was complained about.
  std::optional<std::size_t> FindNamed(const std::string& where, const std::string& head,
                                       const std::string& name,
                                       const std::vector<std::string>& known);

  /// Complains of all given keys of `keys` but those of `allowed`.
  /// @param what  that they do not belong to
  void Refuse(const std::string& section, const KeySpecs& keys, const KeySpecs& allowed,
              const std::string& what);

  void Complain(const std::string& section, const std::string& key, const std::string& message) {
    errors_.Add(settings_.Where(section, key), message);
  }

  /// Whether a section that is not there was meant by one whose name is misspelt.
  bool IsMisspelt(const std::string& section) const {
    const std::vector<std::string> keys = KeysOf(section);
    return !keys.empty() && settings_.Intended(section, keys.front());
  }

  bool Given(const std::string& section, const std::string& key) const {
    return settings_.Given(section, key);
  }
  bool GivesAny(const std::string& section, const KeySpecs& keys) const;
  const Settings& All() const { return settings_; }
  ErrorList& Errors() { return errors_; }

 private:
  void DemandGiven(const std::string& section, const KeySpec& spec);

  const Settings& settings_;
  ErrorList& errors_;
  std::set<std::string> missing_sections_;  // complained about
};

}  // namespace scree
