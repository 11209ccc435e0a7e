#include "io/configuration/shape_files.hpp"

#include <filesystem>
#include <sstream>
#include <string_view>
#include <vector>

#include "io/files/file_exists.hpp"
#include "io/files/text_file.hpp"
#include "solvers/check.hpp"

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

std::string Found(const std::string& file, const std::string& scene_path) {
  const std::filesystem::path path = file;
  if (path.is_absolute() || FileExists(file)) return file;
  const std::string beside = (std::filesystem::path(scene_path).parent_path() / path).string();
  return FileExists(beside) ? beside : file;
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

}  // namespace

std::string WithShapeFiles(const std::string& scene_text, const std::string& scene_path) {
  if (scene_text.find("[shape.") == scene_text.npos) return scene_text;
  std::string whole, section;
  std::istringstream lines(scene_text);
  for (std::string line; std::getline(lines, line);) {
    const std::string text = Trim(line.substr(0, line.find('#')));
    if (text.starts_with('[')) section = text;
    const std::size_t equals = text.find('=');
    const bool names_file = section.starts_with("[shape.") && equals != text.npos &&
                            Trim(text.substr(0, equals)) == "file";
    const std::string file = names_file ? Trim(text.substr(equals + 1)) : "";
    whole += (file.empty() ? line : "spheres = " + SpheresOf(Found(file, scene_path))) + "\n";
  }
  return whole;
}

}  // namespace scree
