#include "io/state/text_state.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <vector>

#include "io/files/text_lines.hpp"
#include "io/scene/units.hpp"
#include "solvers/base/check.hpp"

namespace scree {
namespace {

struct RenamedColumn {
  std::string_view file, table;
};
constexpr std::array kLammpsColumns = {
    RenamedColumn{"x", "x"},           RenamedColumn{"y", "y"},
    RenamedColumn{"z", "z"},           RenamedColumn{"xu", "x"},
    RenamedColumn{"yu", "y"},          RenamedColumn{"zu", "z"},
    RenamedColumn{"radius", "radius"}, RenamedColumn{"diameter", "radius"},
    RenamedColumn{"vx", "vx"},         RenamedColumn{"vy", "vy"},
    RenamedColumn{"vz", "vz"},         RenamedColumn{"omegax", "wx"},
    RenamedColumn{"omegay", "wy"},     RenamedColumn{"omegaz", "wz"},
    RenamedColumn{"type", "material"}};
constexpr std::array kYadeColumns = {RenamedColumn{"x", "x"}, RenamedColumn{"y", "y"},
                                     RenamedColumn{"z", "z"}, RenamedColumn{"r", "radius"},
                                     RenamedColumn{"matId", "material"}};

std::vector<std::string_view> Words(std::string_view text, std::string_view separators = " \t") {
  std::vector<std::string_view> words;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find_first_of(separators), text.size());
    if (end > 0) words.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return words;
}

/// A cell of the table: the text in the file. A diameter is converted to a radius, and the number
/// of a material to its name.
std::string CellText(std::string_view name, std::string_view text,
                     std::span<const std::string> materials, const std::string& path) {
  const double first = name == "type" ? 1.0 : 0.0;  // number of the first material
  const bool is_material = name == "type" || name == "matId";
  if (!is_material && name != "diameter") return std::string(text);
  const std::optional<double> number = FiniteNumber(text);
  if (!is_material && number) return ShortestText(0.5 * *number);
  const double last = first + static_cast<double>(materials.size()) - 1.0;
  if (number && *number >= first && *number <= last) {
    return materials[static_cast<std::size_t>(*number - first)];
  }
  throw FileError(Text("'", path, "': ", name, " '", text, "'; expected ",
                       is_material ? Text(first, " to ", last, ", a material of the scene")
                                   : std::string("a number")));
}

/// The table of those columns of the file that our tables know.
/// @param known  columns of the program that wrote the file
std::string TableOf(std::span<const RenamedColumn> known, std::span<const std::string_view> names,
                    std::span<const TextLine> rows, const std::string& path,
                    std::span<const std::string> materials) {
  std::vector<const RenamedColumn*> columns;
  std::string table;
  for (const std::string_view name : names) {
    const auto found = std::ranges::find(known, name, &RenamedColumn::file);
    columns.push_back(found == known.end() ? nullptr : &*found);
    if (columns.back() != nullptr) table += Text(table.empty() ? "" : ",", found->table);
  }
  for (std::size_t row = 0; row < rows.size(); ++row) {
    const std::vector<std::string_view> cells = Words(rows[row].text);
    if (cells.size() != names.size()) {
      throw FileError(Text("'", path, "': particle ", row + 1, " of the last frame has ",
                           cells.size(), " columns, expected ", names.size()));
    }
    char separator = '\n';
    for (std::size_t k = 0; k < cells.size(); ++k) {
      if (columns[k] == nullptr) continue;
      table += separator + CellText(names[k], cells[k], materials, path);
      separator = ',';
    }
  }
  return table + "\n";
}

std::string TableOfYade(std::string_view text, const std::string& path,
                        std::span<const std::string> materials) {
  constexpr std::string_view kFormat = "format ";
  const TableLines lines = LinesOfTable(text);
  if (lines.comments.empty() || !lines.comments.front().text.starts_with(kFormat)) {
    throw FileError(Text("'", path, "' is not a text of Yade; expected a first line \"#", kFormat,
                         "x_y_z_r\", as yade.export.text writes it"));
  }
  const std::string_view format = lines.comments.front().text.substr(kFormat.size());
  const std::vector<std::string_view> names = Words(format, "_");
  if (std::ranges::find(names, "clumpId") != names.end()) {
    throw FileError(Text("'", path, "' has the format ", format,
                         ", with clumps; expected spheres, ", "as yade.export.text writes them"));
  }
  return TableOf(kYadeColumns, names, lines.values, path, materials);
}

/// The last number of atoms that a dump of LAMMPS announces in front of a frame.
std::optional<double> CountOfFrame(std::string_view text) {
  constexpr std::string_view kCount = "ITEM: NUMBER OF ATOMS";
  const std::size_t place = text.rfind(kCount);
  if (place == text.npos) return std::nullopt;
  const std::vector<std::string_view> words = Words(text.substr(place + kCount.size()), " \t\r\n");
  return words.empty() ? std::nullopt : FiniteNumber(words.front());
}

}  // namespace

bool IsTextStateName(std::string_view path) {
  return path.ends_with(".lammpstrj") || path.ends_with(".dump") || path.ends_with(".txt");
}

std::string TableOfTextState(std::string_view text, const std::string& path,
                             std::span<const std::string> materials) {
  if (path.ends_with(".txt")) return TableOfYade(text, path, materials);
  constexpr std::string_view kAtoms = "ITEM: ATOMS";
  const std::size_t frame = text.rfind(kAtoms);
  if (frame == text.npos) {
    throw FileError(Text("'", path, "' is not a text dump of LAMMPS; expected a line \"", kAtoms,
                         " id type x y z radius\""));
  }
  const TableLines lines = LinesOfTable(text.substr(frame + kAtoms.size()));
  if (lines.values.empty()) {
    throw FileError(Text("'", path, "' ends before the columns of its last frame"));
  }
  const std::vector<std::string_view> names = Words(lines.values.front().text);
  const std::span rows = std::span(lines.values).subspan(1);
  const std::optional<double> count = CountOfFrame(text.substr(0, frame));
  if (count && *count != static_cast<double>(rows.size())) {
    throw FileError(Text("'", path, "': the last frame has ", rows.size(), " particles, expected ",
                         ShortestText(*count), "; the file may be cut off"));
  }
  return TableOf(kLammpsColumns, names, rows, path, materials);
}

}  // namespace scree
