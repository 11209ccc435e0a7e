#include "io/configuration/motion_table_text.hpp"

#include <algorithm>
#include <sstream>

#include "io/configuration/named_column.hpp"
#include "solvers/base/check.hpp"

namespace scree {
namespace {

/// "a, b, c"
std::string Listed(const auto& names) {
  std::string list;
  for (const char* name : names) list += (list.empty() ? "" : ", ") + std::string(name);
  return list;
}

Dimension DimensionOf(int column) {
  if (column == MotionTable::kAngle) return kPlain;
  if (column == MotionTable::kRate) return kFrequency;
  return column < MotionTable::kAngle ? kLength : kSpeed;
}

}  // namespace

MotionTable MotionTableOf(const std::string& value) {
  if (value.ends_with(".csv")) {
    throw InputError("\"" + value +
                     "\": expected a file as motion of a [wall.NAME] at the start, or here its "
                     "columns: time_s 0 1, z_mm 0 2");
  }
  std::vector<double> times;
  MotionTable::Columns columns;
  std::istringstream in(value);
  for (std::string text; std::getline(in, text, ',');) {
    const NamedColumn column(text);
    const auto known = std::ranges::find(MotionTable::kNames, column.name);
    const bool is_time = column.name == "time";
    if (!is_time && known == MotionTable::kNames.end()) {
      throw InputError(Text("has a column \"", column.name, "\"; expected time and of ",
                            Listed(MotionTable::kNames), ", each with _ and a unit"));
    }
    if (column.words.empty()) throw InputError("has no values in column \"" + column.name + "\"");
    const auto which = static_cast<int>(known - MotionTable::kNames.begin());
    std::vector<double>& values = is_time ? times : columns[static_cast<std::size_t>(which)];
    if (!values.empty()) throw InputError("has the column \"" + column.name + "\" twice");
    values = column.Values(is_time ? kTime : DimensionOf(which));
  }
  if (times.empty()) throw InputError("has no column of times; expected one such as time_s 0 0.1");
  return {std::move(times), std::move(columns)};
}

std::string TextOf(const MotionTable& table) {
  if (table.IsEmpty()) return {};
  const auto column = [](const std::string& head, const std::vector<double>& values) {
    std::string text = head;
    for (const double value : values) text += " " + ShortestText(value);
    return text;
  };
  std::string text = column("time_s", table.Times());
  for (int c = 0; c < MotionTable::kColumns; ++c) {
    const auto& values = table.Of(static_cast<MotionTable::Column>(c));
    if (values.empty()) continue;
    const std::string unit = SiUnit(DimensionOf(c));
    text += column(Text(", ", MotionTable::kNames[static_cast<std::size_t>(c)], "_",
                        unit.empty() ? "rad" : unit),
                   values);
  }
  return text;
}

}  // namespace scree
