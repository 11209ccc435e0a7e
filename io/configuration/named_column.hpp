/// \file  A column of a table in a scene's text: "z_mm 0 -1 -1".
#pragma once

#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "io/configuration/units.hpp"
#include "solvers/base/check.hpp"

namespace scree {

/// What a column is called: "z_mm" is z in mm; "z" has no unit of its own.
struct ColumnName {
  std::string name, unit;

  explicit ColumnName(std::string_view head = {}) : name(head.substr(0, head.find('_'))) {
    if (name.size() < head.size()) unit = head.substr(name.size() + 1);
    if (name == "r") name = "radius";
  }
};

/// The name before the unit, and the values.
struct NamedColumn : ColumnName {
  std::vector<std::string> words;

  explicit NamedColumn(const std::string& text) {
    std::istringstream in(text);
    std::string head;
    in >> head;
    static_cast<ColumnName&>(*this) = ColumnName(head);
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
