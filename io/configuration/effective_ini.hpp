/// \file  A configuration as a scene text.
#pragma once

#include <string>
#include <utility>

#include "io/configuration/key_binding.hpp"

namespace scree {

/// The text, section by section.
class Echo {
 public:
  /// Begins a section; it stands in the text if it gets a line.
  void Section(const std::string& name) { header_ = name; }

  /// A line for each key that has a value.
  void Write(const KeyRows& rows);

  std::string Take() { return std::move(text_); }

 private:
  std::string header_;  // still to be written; "": it is there
  std::string text_;
};

/// A complete scene text in SI that ReadRunConfig turns into the same configuration, bit by bit.
std::string EffectiveIni(RunConfig config);

}  // namespace scree
