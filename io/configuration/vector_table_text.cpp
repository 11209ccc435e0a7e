#include "io/configuration/vector_table_text.hpp"

#include <array>
#include <sstream>
#include <vector>

#include "io/configuration/named_column.hpp"
#include "solvers/base/check.hpp"

namespace scree {
namespace {

constexpr std::array<const char*, 3> kComponents = {"x", "y", "z"};

void CheckRows(const std::string& over, const std::vector<double>& at) {
  if (at.size() < 2) throw InputError(Text("has ", at.size(), " rows; expected at least 2"));
  for (std::size_t k = 1; k < at.size(); ++k) {
    if (at[k] > at[k - 1]) continue;
    throw InputError(Text("row ", k + 1, " has ", over, " ", at[k], " after ", at[k - 1],
                          "; expected values that grow"));
  }
}

}  // namespace

VectorTable VectorTableOf(const std::string& text, const TableText& about) {
  VectorTable table;
  std::istringstream in(text);
  std::array<std::vector<double>, 3> columns;
  for (std::string word; std::getline(in, word, ',');) {
    const NamedColumn column(word);
    if (table.at.empty()) {
      if (column.name != about.over) {
        throw InputError(Text("begins with the column \"", column.name, "\"; expected ", about.over,
                              " with _ and a unit, then x, y, z"));
      }
      table.at = column.Values(about.of_over);
      CheckRows(about.over, table.at);
      continue;
    }
    const auto known = std::ranges::find(kComponents, column.name);
    if (known == kComponents.end()) {
      throw InputError(
          Text("has a column \"", column.name, "\"; expected x, y, z, each with _ and ", "a unit"));
    }
    std::vector<double>& values = columns[static_cast<std::size_t>(known - kComponents.begin())];
    values = column.Values(about.of_values);
    if (values.size() == table.at.size()) continue;
    throw InputError(Text("has ", values.size(), " values of ", column.name, " for ",
                          table.at.size(), " rows; expected as many"));
  }
  table.values.assign(table.at.size(), Vec3::Zero());
  for (int axis = 0; axis < 3; ++axis) {
    const std::vector<double>& column = columns[static_cast<std::size_t>(axis)];
    for (std::size_t k = 0; k < column.size(); ++k) table.values[k][axis] = column[k];
  }
  return table;
}

std::string TextOf(const VectorTable& table, const TableText& about) {
  if (table.IsEmpty()) return {};
  std::string text = about.over + "_" + SiUnit(about.of_over);
  for (const double at : table.at) text += " " + ShortestText(at);
  for (int axis = 0; axis < 3; ++axis) {
    text += Text(", ", kComponents[static_cast<std::size_t>(axis)], "_", SiUnit(about.of_values));
    for (const Vec3& value : table.values) text += " " + ShortestText(value[axis]);
  }
  return text;
}

bool IsOver(const std::string& text, const std::string& name) {
  return NamedColumn(text.substr(0, text.find(','))).name == name;
}

}  // namespace scree
