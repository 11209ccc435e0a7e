#include "io/state/lammps_dump.hpp"

#include <algorithm>
#include <array>
#include <vector>

#include "io/files/text_lines.hpp"
#include "io/scene/units.hpp"
#include "solvers/base/check.hpp"

namespace scree {
namespace {

struct Renamed {
  std::string_view dump, table;
};
constexpr std::array kColumns = {Renamed{"x", "x"},           Renamed{"y", "y"},
                                 Renamed{"z", "z"},           Renamed{"xu", "x"},
                                 Renamed{"yu", "y"},          Renamed{"zu", "z"},
                                 Renamed{"radius", "radius"}, Renamed{"diameter", "radius"},
                                 Renamed{"vx", "vx"},         Renamed{"vy", "vy"},
                                 Renamed{"vz", "vz"},         Renamed{"omegax", "wx"},
                                 Renamed{"omegay", "wy"},     Renamed{"omegaz", "wz"},
                                 Renamed{"type", "material"}};

std::vector<std::string_view> Words(std::string_view text) {
  std::vector<std::string_view> words;
  ForEachPiece(text, ' ', [&](std::string_view word) {
    if (!word.empty()) words.push_back(word);
  });
  return words;
}

/// A cell of the table: the text of the dump, except for diameters and types.
std::string Cell(std::string_view name, std::string_view text,
                 std::span<const std::string> materials, const std::string& path) {
  if (name != "type" && name != "diameter") return std::string(text);
  const std::optional<double> number = FiniteNumber(text);
  if (name == "diameter" && number) return ShortestText(0.5 * *number);
  if (number && *number >= 1.0 && *number <= static_cast<double>(materials.size())) {
    return materials[static_cast<std::size_t>(*number) - 1];
  }
  throw FileError(Text("'", path, "': ", name, " '", text, "'; expected ",
                       name == "type" ? Text("1 to ", materials.size(), ", a material of the scene")
                                      : std::string("a number")));
}

}  // namespace

bool IsDumpName(std::string_view path) {
  return path.ends_with(".lammpstrj") || path.ends_with(".dump");
}

std::string TableOfDump(std::string_view text, const std::string& path,
                        std::span<const std::string> materials) {
  constexpr std::string_view kAtoms = "ITEM: ATOMS";
  const std::size_t frame = text.rfind(kAtoms);
  if (frame == text.npos) {
    throw FileError(Text("'", path, "' is no text dump of LAMMPS; expected a line \"", kAtoms,
                         " id type x y z radius\""));
  }
  const TableLines lines = LinesOfTable(text.substr(frame + kAtoms.size()));
  const std::vector<std::string_view> names = Words(lines.values.front().text);
  std::vector<const Renamed*> columns;
  std::string table;
  for (const std::string_view name : names) {
    const auto* const found = std::ranges::find(kColumns, name, &Renamed::dump);
    columns.push_back(found == kColumns.end() ? nullptr : found);
    if (columns.back() != nullptr) table += Text(table.empty() ? "" : ",", found->table);
  }
  for (std::size_t row = 1; row < lines.values.size(); ++row) {
    const std::vector<std::string_view> cells = Words(lines.values[row].text);
    if (cells.size() != names.size()) {
      throw FileError(Text("'", path, "': particle ", row, " of the last frame has ", cells.size(),
                           " columns, expected ", names.size()));
    }
    char separator = '\n';
    for (std::size_t k = 0; k < cells.size(); ++k) {
      if (columns[k] == nullptr) continue;
      table += separator + Cell(names[k], cells[k], materials, path);
      separator = ',';
    }
  }
  return table + "\n";
}

}  // namespace scree
