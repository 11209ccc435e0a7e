#include "io/configuration/table_files.hpp"

#include <charconv>
#include <cmath>
#include <sstream>
#include <string_view>
#include <vector>

#include "io/configuration/named_file.hpp"
#include "io/files/text_file.hpp"
#include "solvers/base/check.hpp"

namespace scree {
namespace {

std::string Trim(std::string_view text) {
  constexpr std::string_view kBlank = " \t\r";
  const std::size_t first = text.find_first_not_of(kBlank);
  if (first == text.npos) return {};
  return std::string(text.substr(first, text.find_last_not_of(kBlank) - first + 1));
}

std::vector<std::string> Split(const std::string& line, char separator) {
  std::vector<std::string> parts;
  std::istringstream stream(line);
  for (std::string part; std::getline(stream, part, separator);) parts.push_back(Trim(part));
  return parts;
}

/// The rows of a table as a value of the key "spheres".
std::string SpheresOf(const std::string& path) {
  constexpr std::string_view kUnit = "unit ";
  std::string unit = "m", spheres;
  bool has_header = false;
  int number = 0;
  for (const std::string& line : Split(ReadTextFile(path), '\n')) {
    ++number;
    const auto fail = [&](const std::string& what) {
      throw FileError(Text("'", path, "' line ", number, ": ", what));
    };
    if (line.empty()) continue;
    if (line[0] == '#') {
      const std::string comment = Trim(std::string_view(line).substr(1));
      if (comment.starts_with(kUnit)) unit = Trim(std::string_view(comment).substr(kUnit.size()));
      continue;
    }
    const std::vector<std::string> cells = Split(line, ',');
    if (!has_header) {
      if (cells != std::vector<std::string>{"x", "y", "z", "r"}) {
        fail("'" + line + "' is no header; expected x,y,z,r");
      }
      has_header = true;
      continue;
    }
    if (cells.size() != 4) fail(Text("found ", cells.size(), " columns, expected 4: x,y,z,r"));
    if (!spheres.empty()) spheres += ", ";
    for (const std::string& cell : cells) spheres += cell + " ";
    spheres += unit;
  }
  if (spheres.empty())
    throw FileError(Text("'", path, "' has no spheres; expected a row for each"));
  return spheres;
}

bool IsFiniteNumber(const std::string& cell) {
  double value = 0.0;
  const auto read = std::from_chars(cell.data(), cell.data() + cell.size(), value);
  return read.ec == std::errc() && read.ptr == cell.data() + cell.size() && std::isfinite(value);
}

/// The columns of a table as a value of the key "motion".
std::string ColumnsOf(const std::string& path) {
  std::vector<std::string> columns;
  std::size_t rows = 0;
  int number = 0;
  for (const std::string& line : Split(ReadTextFile(path), '\n')) {
    ++number;
    const auto fail = [&](const std::string& what) {
      throw FileError(Text("'", path, "' line ", number, ": ", what));
    };
    if (line.empty() || line[0] == '#') continue;
    const std::vector<std::string> cells = Split(line, ',');
    if (columns.empty()) {
      if (IsFiniteNumber(cells[0]))
        fail("'" + line + "' is no header; expected one such as time_s,x_mm");
      columns = cells;
      continue;
    }
    if (cells.size() != columns.size()) {
      fail(Text("found ", cells.size(), " columns, expected ", columns.size()));
    }
    for (std::size_t k = 0; k < cells.size(); ++k) {
      if (!IsFiniteNumber(cells[k])) fail("'" + cells[k] + "' is no number");
      columns[k] += " " + cells[k];
    }
    ++rows;
  }
  if (rows == 0) throw FileError(Text("'", path, "' has no rows; expected a motion over time"));
  std::string value;
  for (const std::string& column : columns) value += (value.empty() ? "" : ", ") + column;
  return value;
}

}  // namespace

std::string WithTables(const std::string& scene_text, const std::string& scene_path) {
  const auto has = [&](const char* word) { return scene_text.find(word) != scene_text.npos; };
  if (!has("[shape.") && !has("motion")) return scene_text;
  std::string whole, section;
  std::istringstream lines(scene_text);
  int number = 0;
  for (std::string line; std::getline(lines, line);) {
    ++number;
    const std::string text = Trim(line.substr(0, line.find('#')));
    if (text.starts_with('[')) section = text;
    const std::size_t equals = text.find('=');
    const std::string key = equals == text.npos ? "" : Trim(text.substr(0, equals));
    const std::string value = key.empty() ? "" : Trim(text.substr(equals + 1));
    try {
      if (section.starts_with("[shape.") && key == "file" && !value.empty()) {
        line = "spheres = " + SpheresOf(FoundBeside(scene_path, value));
      } else if (section.starts_with("[wall.") && key == "motion" && value.ends_with(".csv")) {
        line = "motion = " + ColumnsOf(FoundBeside(scene_path, value));
      }
    } catch (const FileError& error) {
      throw FileError(Text(scene_path, ":", number, ": ", section, " ", key, ": ", error.what()));
    }
    whole += line + "\n";
  }
  return whole;
}

}  // namespace scree
