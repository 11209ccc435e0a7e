/// \file  A column of a table in a scene's text: "z_mm 0 -1 -1".
#pragma once

#include <sstream>
#include <string>
#include <vector>

#include "io/configuration/units.hpp"
#include "solvers/base/check.hpp"

namespace scree {

/// The name before the unit, and the values.
struct NamedColumn {
  std::string name, unit;
  std::vector<std::string> words;

  explicit NamedColumn(const std::string& text) {
    std::istringstream in(text);
    std::string head;
    in >> head;
    const std::size_t line = head.find('_');
    name = head.substr(0, line);
    if (line != head.npos) unit = head.substr(line + 1);
    for (std::string word; in >> word;) words.push_back(word);
  }
  /// In SI.
  std::vector<double> Values(const Dimension& dimension) const { return Values(dimension, unit); }
  /// The same where what follows the name is no unit.
  std::vector<double> Values(const Dimension& dimension, const std::string& in_unit) const {
    std::string text;
    for (const std::string& word : words) text += word + " ";
    try {
      return ReadQuantities(text + in_unit, words.size(), dimension);
    } catch (const InputError& error) {
      throw InputError(Text("column \"", name, unit.empty() ? "" : "_", unit, "\" ", error.what()));
    }
  }
};

}  // namespace scree
