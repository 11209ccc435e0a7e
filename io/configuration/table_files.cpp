#include "io/configuration/table_files.hpp"

#include <array>
#include <cmath>
#include <span>
#include <sstream>
#include <string_view>
#include <utility>
#include <vector>

#include "io/configuration/named_column.hpp"
#include "io/configuration/named_file.hpp"
#include "io/configuration/shape_files.hpp"
#include "io/configuration/units.hpp"
#include "io/files/collective_call.hpp"
#include "io/files/hdf5_file.hpp"
#include "io/files/obj_file.hpp"
#include "io/files/ply_file.hpp"
#include "io/files/text_file.hpp"
#include "io/files/text_lines.hpp"
#include "solvers/base/check.hpp"

namespace scree {
namespace {

/// A table, with its path for complaints.
class Table {
 public:
  explicit Table(const std::string& path)
      : path_(path),
        text_(ReadTextFile(path)),
        lines_(LinesOfTable(PlainText(text_, own_))),
        separator_(SeparatorOf(lines_.values.empty() ? "" : lines_.values.front().text)) {}

  const TableLines& Lines() const { return lines_; }
  [[noreturn]] void Fail(const TextLine& line, const std::string& what) const {
    throw FileError(Text("'", path_, "' line ", line.number, ": ", what));
  }
  [[noreturn]] void Fail(const std::string& what) const {
    throw FileError(Text("'", path_, "' ", what));
  }
  /// The number of a cell as a text in metres. @throws FileError if it is no length
  std::string InMetres(const TextLine& line, std::string_view cell,
                       const ColumnName& column) const {
    try {
      return ShortestText(ReadQuantities(Text(cell, " ", column.unit), 1, kLength).front());
    } catch (const InputError& error) {
      Fail(line, Text("'", cell, "' of the column ", column.name, " ", error.what()));
    }
  }
  std::vector<std::string_view> Split(const TextLine& line) const {
    return scree::Split(line.text, separator_);
  }
  /// @param like  how many there must be, in words
  std::vector<std::string_view> Cells(const TextLine& line, std::size_t count,
                                      const std::string& like = "") const {
    std::vector<std::string_view> cells = Split(line);
    if (cells.size() == count) return cells;
    Fail(line, Text("found ", cells.size(), " columns, expected ", count, like));
  }

 private:
  std::string path_, text_, own_;
  TableLines lines_;  // of one of these texts
  char separator_;
};

/// x, y, z and radius, each in its unit or in that of the table.
std::vector<ColumnName> SphereColumns(const Table& table, const TextLine& header,
                                      const std::string& unit) {
  constexpr std::array<const char*, 4> kNames = {"x", "y", "z", "radius"};
  std::vector<ColumnName> columns;
  const auto refuse = [&] {
    table.Fail(header, Text("the header has the columns '", header.text,
                            "'; expected x,y,z,radius, each with or without a unit as x_mm"));
  };
  const std::vector<std::string_view> names = table.Split(header);
  if (names.size() != kNames.size()) refuse();
  for (const std::string_view name : names) {
    ColumnName& column = columns.emplace_back(name);
    if (column.unit.empty()) column.unit = unit;
    if (column.name != kNames[columns.size() - 1]) refuse();
  }
  return columns;
}

/// The rows of a table as a value of the key "spheres".
std::string SpheresOf(const std::string& path) {
  constexpr std::string_view kUnit = "unit ";
  const Table table(path);
  std::string unit = "m", spheres;
  std::vector<ColumnName> columns;
  for (const TextLine& comment : table.Lines().comments) {
    if (comment.text.starts_with(kUnit)) unit = Trimmed(comment.text.substr(kUnit.size()));
  }
  for (const TextLine& line : table.Lines().values) {
    if (&line == &table.Lines().values.front()) {
      columns = SphereColumns(table, line, unit);
      continue;
    }
    if (!spheres.empty()) spheres += ", ";
    const auto cells = table.Cells(line, 4, ": x,y,z,radius");
    for (std::size_t k = 0; k < cells.size(); ++k) {
      spheres += table.InMetres(line, cells[k], columns[k]) + " ";
    }
    spheres += "m";
  }
  if (spheres.empty()) table.Fail("has no spheres; expected a row for each");
  return spheres;
}

bool IsSolidName(const std::string& file) {
  return file.ends_with(".stl") || file.ends_with(".STL") || IsObjName(file) || IsPlyName(file);
}

/// The hull of what a file holds as the value of the key "vertices".
/// @param[in,out] notes  gets a sentence if that is more than the file's solid
std::string VerticesOf(const std::string& path, const std::string& where,
                       std::vector<std::string>* notes) {
  constexpr double kConvex = 1e-4;
  const SolidInFile solid = ReadSolid(path);
  if (solid.added > kConvex && notes != nullptr) {
    notes->push_back(Text(where, ": '", path, "' is not convex: its hull is taken, which adds ",
                          std::round(1e4 * solid.added) / 100.0,
                          " % to its volume; for the solid as "
                          "it is give convex parts, [shape.NAME.PART]"));
  }
  std::string value;
  for (const Vec3& x : solid.vertices) {
    for (const double part : x) value += ShortestText(part) + " ";
  }
  return value + "m";
}

/// The columns of a table as the value of a key.
std::string ColumnsOf(const std::string& path) {
  const Table table(path);
  const std::vector<TextLine>& lines = table.Lines().values;
  std::vector<std::string> columns;
  for (const TextLine& line : lines) {
    if (columns.empty()) {
      for (const std::string_view name : Split(line.text, SeparatorOf(line.text))) {
        columns.emplace_back(name);
      }
      if (!FiniteNumber(columns[0])) continue;
      table.Fail(line, Text("'", line.text, "' is no header; expected one such as time_s,x_mm"));
    }
    const std::vector<std::string_view> cells = table.Cells(line, columns.size());
    for (std::size_t k = 0; k < cells.size(); ++k) {
      if (!FiniteNumber(cells[k])) {
        const bool has_comma = cells[k].find(',') != std::string_view::npos;
        table.Fail(line, Text("'", cells[k], "' is no number",
                              has_comma ? "; expected a decimal point" : ""));
      }
      columns[k].append(" ").append(cells[k]);
    }
  }
  if (lines.size() < 2) table.Fail("has no rows below its header");
  std::string value;
  for (const std::string& column : columns) value += (value.empty() ? "" : ", ") + column;
  return value;
}

/// The datasets of a grid as the value of a key: x, y, z of all points [N] and, by their name,
/// values [N][3], all in SI.
std::string ColumnsOfHdf5(const std::string& path) {
  const Hdf5Reader file(path);
  std::string columns;
  const auto add = [&](const std::string& name, std::span<const double> values, std::size_t first,
                       std::size_t stride) {
    columns += (columns.empty() ? "" : ", ") + name;
    for (std::size_t k = first; k < values.size(); k += stride) {
      if (!std::isfinite(values[k])) {
        throw FileError(Text("'", path, "' has ", values[k], " in row ", k / stride, " of ", name,
                             "; expected finite numbers"));
      }
      columns += " " + ShortestText(values[k]);
    }
  };
  const std::size_t points = file.CountRows("x", {});
  for (const char* axis : {"x", "y", "z"}) {
    add(Text(axis, "_m"), file.Rows<double>(axis, {}, 0, file.CountRows(axis, {})), 0, 1);
  }
  constexpr std::pair<const char*, std::array<const char*, 3>> kKinds[] = {
      {"velocity", {"vx_m/s", "vy_m/s", "vz_m/s"}},
      {"acceleration", {"ax_m/s^2", "ay_m/s^2", "az_m/s^2"}},
      {"force_per_volume", {"fx_N/m^3", "fy_N/m^3", "fz_N/m^3"}}};
  for (const auto& [dataset, names] : kKinds) {
    if (!file.Has(dataset)) continue;
    const std::vector<double> values = file.Rows<double>(dataset, {3}, 0, points);
    for (std::size_t k = 0; k < 3; ++k) add(names[k], values, k, 3);
  }
  return columns;
}

/// Whether the key's value may be columns.
bool IsTable(const std::string& section, const std::string& key) {
  if (section.starts_with("[wall.")) return key == "motion";
  const bool is_force = section.starts_with("[field.") || section == "[fluid]";
  return is_force && (key == "table" || key == "grid");
}

struct KeyAndValue {
  std::string key, value;
};

/// Whether a key names a file that WithTables reads.
bool NamesTable(const std::string& section, const std::string& key, const std::string& value) {
  if (section.starts_with("[shape.")) return key == "file" && !value.empty();
  if (!IsTable(section, key)) return false;
  return value.ends_with(".csv") || (key == "grid" && value.ends_with(".h5"));
}

/// What stands in its place.
/// @param section  with its brackets
/// @param where    the key stands, for the notes
KeyAndValue FromTable(const std::string& section, const std::string& key, const std::string& value,
                      const std::string& scene_path, const std::string& where,
                      std::vector<std::string>* notes) {
  const std::string path = FoundBeside(scene_path, value);
  try {
    if (section.starts_with("[shape.") && IsSolidName(value)) {
      return {"vertices", VerticesOf(path, where, notes)};
    }
    if (section.starts_with("[shape.")) return {"spheres", SpheresOf(path)};
    return {key, value.ends_with(".h5") ? ColumnsOfHdf5(path) : ColumnsOf(path)};
  } catch (const FileError& error) {
    throw FileError(where + ": " + error.what());
  }
}

}  // namespace

std::string WithTables(const std::string& scene_text, const std::string& scene_path,
                       std::vector<std::string>* notes) {
  const auto has = [&](const char* word) { return scene_text.find(word) != scene_text.npos; };
  if (!has("[shape.") && !has("motion") && !has("table") && !has("grid")) return scene_text;
  std::string whole, section;
  std::istringstream lines(scene_text);
  int number = 0;
  for (std::string line; std::getline(lines, line);) {
    ++number;
    const std::string text(Trimmed(std::string_view(line).substr(0, line.find('#'))));
    if (text.starts_with('[')) section = text;
    const std::size_t equals = text.find('=');
    const std::string key(
        Trimmed(equals == text.npos ? "" : std::string_view(text).substr(0, equals)));
    const std::string value(Trimmed(key.empty() ? "" : std::string_view(text).substr(equals + 1)));
    if (NamesTable(section, key, value)) {
      const std::string where = Text(scene_path, ":", number, ": ", section, " ", key);
      const KeyAndValue taken = FromTable(section, key, value, scene_path, where, notes);
      line = taken.key + " = " + taken.value;
    }
    whole += line + "\n";
  }
  return whole;
}

void TakeTables(const Communicator& communicator, const std::string& scene_path,
                std::vector<IniEntry>& changes, std::vector<std::string>* notes) {
  for (IniEntry& change : changes) {
    const std::string section = "[" + change.section + "]";
    if (change.value == "unset" || !NamesTable(section, change.key, change.value)) continue;
    KeyAndValue taken;
    CallOnRoot<FileError>(communicator, [&] {
      taken = FromTable(section, change.key, change.value, scene_path, change.where, notes);
    });
    change.key = communicator.Broadcast(taken.key);
    change.value = communicator.Broadcast(std::move(taken.value));
  }
}

}  // namespace scree
