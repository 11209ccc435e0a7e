#include "io/scene/table_files.hpp"

#include <array>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "io/files/collective_call.hpp"
#include "io/files/digest.hpp"
#include "io/files/hdf5_file.hpp"
#include "io/files/obj_file.hpp"
#include "io/files/text_file.hpp"
#include "io/files/text_lines.hpp"
#include "io/scene/named_file.hpp"
#include "io/scene/shape_files.hpp"
#include "io/scene/table_columns.hpp"
#include "io/scene/units.hpp"
#include "solvers/base/check.hpp"

namespace scree {
namespace {

/// The lines of a table, and the path for error messages.
class TableFile {
 public:
  explicit TableFile(const std::string& path)
      : path_(path),
        text_(ReadTextFile(path)),
        lines_(LinesOfTable(PlainText(text_, converted_))),
        separator_(SeparatorOf(lines_.values.empty() ? "" : lines_.values.front().text)) {}

  const TableLines& Lines() const { return lines_; }
  [[noreturn]] void Fail(const TextLine& line, const std::string& message) const {
    throw FileError(Text("'", path_, "' line ", line.number, ": ", message));
  }
  [[noreturn]] void Fail(const std::string& message) const {
    throw FileError(Text("'", path_, "' ", message));
  }
  /// The number in a cell, in metres. @throws FileError if it is not a length
  double InMetres(const TextLine& line, std::string_view cell, const ColumnName& column) const {
    try {
      return ReadQuantities(Text(cell, " ", column.unit), 1, kLength).front();
    } catch (const InputError& error) {
      Fail(line, Text("'", cell, "' of the column ", column.name, " ", error.what()));
    }
  }
  std::vector<std::string_view> Split(const TextLine& line) const {
    return scree::Split(line.text, separator_);
  }
  /// @param expected  description of the expected cells
  std::vector<std::string_view> Cells(const TextLine& line, std::size_t count,
                                      const std::string& expected = "") const {
    std::vector<std::string_view> cells = Split(line);
    if (cells.size() == count) return cells;
    Fail(line, Text("found ", cells.size(), " columns, expected ", count, expected));
  }

 private:
  std::string path_, text_, converted_;
  TableLines lines_;  // of `text_` or `converted_`
  char separator_;
};

/// x, y, z and radius, each in its unit or in that of the table.
std::vector<ColumnName> SphereColumns(const TableFile& table, const TextLine& header,
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

/// Converts the rows of a table to the value of the key "spheres".
std::vector<double> SpheresOf(const std::string& path) {
  constexpr std::string_view kUnit = "unit ";
  const TableFile table(path);
  std::string unit = "m";
  for (const TextLine& comment : table.Lines().comments) {
    if (comment.text.starts_with(kUnit)) unit = Trimmed(comment.text.substr(kUnit.size()));
  }
  std::vector<double> spheres;
  std::vector<ColumnName> columns;
  for (const TextLine& line : table.Lines().values) {
    if (&line == &table.Lines().values.front()) {
      columns = SphereColumns(table, line, unit);
      continue;
    }
    const auto cells = table.Cells(line, 4, ": x,y,z,radius");
    for (std::size_t k = 0; k < cells.size(); ++k) {
      spheres.push_back(table.InMetres(line, cells[k], columns[k]));
    }
  }
  if (spheres.empty()) table.Fail("has no spheres; expected a row for each");
  return spheres;
}

bool IsSolidName(const std::string& file) {
  return file.ends_with(".stl") || file.ends_with(".STL") || IsObjName(file);
}

/// Converts the hull of a file's surface or points to the value of the key "vertices".
/// @param[in,out] notes  gets a sentence if the hull is larger than the file's solid
std::vector<double> VerticesOf(const std::string& path, const std::string& location,
                               std::vector<std::string>* notes) {
  constexpr double kMaxAddedVolume = 1e-4;
  const SolidInFile solid = ReadSolid(path);
  if (solid.added_volume > kMaxAddedVolume && notes != nullptr) {
    notes->push_back(
        Text(location, ": '", path, "' is not convex: its hull is used, which adds ",
             std::round(1e4 * solid.added_volume) / 100.0,
             " % to its volume; to keep the exact solid, give convex parts, [shape.NAME.PART]"));
  }
  std::vector<double> vertices;
  for (const Vec3& x : solid.vertices) vertices.insert(vertices.end(), x.begin(), x.end());
  for (const double coordinate : vertices) {
    if (std::abs(coordinate) <= kMaxMagnitude) continue;
    throw FileError(Text("'", path, "' has the coordinate ", coordinate, "; ", kMagnitudes));
  }
  return vertices;
}

/// Checks the rows of a motion here, where their lines are known. Other errors are reported later,
/// for the key.
void CheckMotion(const TableFile& table, const std::vector<TableColumn>& columns) {
  try {
    MotionOf(Table(columns));
  } catch (const RowError& error) {
    table.Fail(table.Lines().values.at(error.row), error.problem);
  } catch (const InputError&) {
  }
}

/// The columns of a CSV file.
std::vector<TableColumn> ColumnsOf(const std::string& path, bool is_motion) {
  const TableFile table(path);
  const std::vector<TextLine>& lines = table.Lines().values;
  std::vector<std::string_view> heads;
  std::vector<std::string> numbers;
  for (const TextLine& line : lines) {
    if (heads.empty()) {
      heads = Split(line.text, SeparatorOf(line.text));
      numbers.resize(heads.size());
      if (!FiniteNumber(heads[0])) continue;
      table.Fail(line, Text("'", line.text, "' is not a header; expected one such as time_s,x_mm"));
    }
    const std::vector<std::string_view> cells = table.Cells(line, heads.size());
    for (std::size_t k = 0; k < cells.size(); ++k) {
      if (!FiniteNumber(cells[k])) {
        const bool has_comma = cells[k].find(',') != std::string_view::npos;
        table.Fail(line, Text("'", cells[k], "' is not a number",
                              has_comma ? "; expected a decimal point" : ""));
      }
      numbers[k].append(" ").append(cells[k]);
    }
  }
  if (lines.size() < 2) table.Fail("has no rows after the header");
  std::vector<TableColumn> columns;
  for (std::size_t k = 0; k < heads.size(); ++k) {
    columns.push_back(ReadColumn(heads[k], numbers[k], lines.size() - 1));
  }
  if (is_motion) CheckMotion(table, columns);
  return columns;
}

/// Reads the datasets of a grid as columns: x, y, z of all points [N] and named values [N][3], all
/// in SI.
std::vector<TableColumn> ColumnsOfHdf5(const std::string& path) {
  const Hdf5Reader file(path);
  std::vector<TableColumn> columns;
  const auto add = [&](const std::string& head, std::span<const double> values, std::size_t first,
                       std::size_t stride) {
    std::vector<double> numbers;
    for (std::size_t k = first; k < values.size(); k += stride) {
      if (!std::isfinite(values[k])) {
        throw FileError(Text("'", path, "' has ", values[k], " in row ", k / stride, " of ", head,
                             "; expected finite numbers"));
      }
      numbers.push_back(values[k]);
    }
    columns.emplace_back(head, std::move(numbers));
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

/// Sends root's columns to all ranks, bit by bit.
void BroadcastColumns(const Communicator& communicator, std::vector<TableColumn>& columns) {
  const auto count = communicator.Max(static_cast<std::int64_t>(columns.size()));
  columns.resize(static_cast<std::size_t>(count), TableColumn("", {}));
  for (TableColumn& column : columns) {
    column.name = communicator.Broadcast(column.name);
    column.unit = communicator.Broadcast(column.unit);
    const auto* const begin = reinterpret_cast<const char*>(column.values.data());
    const std::string bytes =
        communicator.Broadcast(std::string(begin, column.values.size() * sizeof(double)));
    column.values.resize(bytes.size() / sizeof(double));
    if (!bytes.empty()) std::memcpy(column.values.data(), bytes.data(), bytes.size());
  }
}

bool IsMotionFile(const IniEntry& entry) {
  return entry.section.starts_with("wall.") && entry.key == "motion";
}

bool IsShapeFile(const IniEntry& entry) {
  return entry.section.starts_with("shape.") && entry.key == "file";
}

constexpr std::string_view kTableSuffix = ".csv";

/// @throws FileError if the name contains a digest that is not the digest of the file
void RequireStoredDigest(const std::string& name, const std::string& path) {
  const std::string expected = DigestInName(name);
  const std::string found = expected.empty() ? "" : DigestOf(ReadTextFile(path));
  if (found == expected) return;
  throw FileError(Text("'", path, "' is not the table that the run stored: its digest is ", found,
                       ", expected ", expected));
}

/// Loads a table. The value of a shape becomes a column with the name of its key.
std::vector<TableColumn> Load(const SceneFiles& files, const std::string& location,
                              const IniEntry& entry) {
  const std::string path = FindInSceneFolder(files.scene, entry.value);
  try {
    RequireStoredDigest(entry.value, path);
    if (!IsShapeFile(entry)) {
      return path.ends_with(".h5") ? ColumnsOfHdf5(path) : ColumnsOf(path, IsMotionFile(entry));
    }
    if (IsSolidName(entry.value)) return {{"vertices", VerticesOf(path, location, files.notes)}};
    return {{"spheres", SpheresOf(path)}};
  } catch (const FileError& error) {
    throw FileError(location + ": " + error.what());
  } catch (const InputError& error) {
    throw FileError(Text(location, ": '", path, "' ", error.what()));
  }
}

}  // namespace

std::string KeptTableName(const std::string& content) {
  return Text(kTableFolder, "/", DigestOf(content), kTableSuffix);
}

std::string DigestInName(const std::string& name) {
  constexpr std::size_t kDigits = 16;
  const std::filesystem::path path = name;
  const std::string digest = path.stem();
  const bool is_kept = path.parent_path().filename() == kTableFolder &&
                       path.extension() == kTableSuffix && digest.size() == kDigits &&
                       digest.find_first_not_of("0123456789abcdef") == digest.npos;
  return is_kept ? digest : "";
}

bool NamesTableFile(const IniEntry& entry) {
  if (entry.typed_value || entry.value.empty()) return false;
  if (IsShapeFile(entry)) return true;
  const bool is_force = entry.section.starts_with("field.") || entry.section == "fluid";
  const bool is_grid = is_force && entry.key == "grid";
  const bool is_joint = entry.section.starts_with("joint.") && entry.key == "table";
  const bool is_table =
      IsMotionFile(entry) || is_joint || is_grid || (is_force && entry.key == "table");
  return is_table && (entry.value.ends_with(".csv") || (is_grid && entry.value.ends_with(".h5")));
}

void LoadTableFile(const SceneFiles& files, const std::string& location, IniEntry& entry) {
  std::vector<TableColumn> columns;
  if (files.communicator) {
    CallOnRoot<FileError>(*files.communicator, [&] { columns = Load(files, location, entry); });
    BroadcastColumns(*files.communicator, columns);
  } else {
    columns = Load(files, location, entry);
  }
  if (!IsShapeFile(entry)) {
    entry.typed_value = Table(std::move(columns));
    return;
  }
  entry.key = columns.front().name;
  entry.typed_value = std::move(columns.front().values);
}

}  // namespace scree
