/// \file  A configuration as a scene text.
#pragma once

#include <string>

#include "io/configuration/key_binding.hpp"

namespace scree {

/// The text, section by section.
class Echo {
 public:
  /// Begins a section; it stands in the text if it gets a line.
  void Section(const std::string& name) { header_ = name; }

  /// A line for each key that has a value.
  template <class Target>
  void Write(const Keys<Target>& keys, const Target& target) {
    for (const Key<Target>& key : keys) {
      if (const auto value = key.get(target)) Line(key.spec, *value);
    }
  }

  std::string Take() { return std::move(text_); }

 private:
  void Line(const KeySpec& spec, const Value& value);

  std::string header_;  // still to be written; "": it is there
  std::string text_;
};

/// A complete scene text in SI that ReadRunConfig turns into the same configuration, bit by bit.
std::string EffectiveIni(const RunConfig& config);

}  // namespace scree
