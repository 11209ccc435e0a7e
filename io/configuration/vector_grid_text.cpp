#include "io/configuration/vector_grid_text.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <sstream>
#include <utility>
#include <vector>

#include "io/configuration/named_column.hpp"
#include "solvers/base/check.hpp"

namespace scree {
namespace {

constexpr std::array<const char*, 3> kAxisLetters = {"x", "y", "z"};
constexpr std::size_t kMostPoints = 1000000;

using Columns = std::map<std::string, std::vector<double>>;  // all of one length, in SI

Columns ColumnsOf(const std::string& text, const std::string& name, const Dimension& of_values) {
  Columns columns;
  std::istringstream in(text);
  for (std::string word; std::getline(in, word, ',');) {
    const NamedColumn column(word);
    const bool is_place = std::ranges::find(kAxisLetters, column.name) != kAxisLetters.end();
    const bool is_value = std::ranges::any_of(
        kAxisLetters, [&](const char* axis) { return column.name == name + axis; });
    if (!is_place && !is_value) {
      throw InputError(Text("has a column \"", column.name, "\"; expected x, y, z and ", name,
                            "x, ", name, "y, ", name, "z, each with _ and a unit"));
    }
    columns[column.name] = column.Values(is_place ? kLength : of_values);
  }
  for (const char* axis : kAxisLetters) {
    if (!columns.contains(axis)) throw InputError(Text("lacks a column ", axis));
  }
  const std::size_t rows = columns["x"].size();
  for (const auto& [each, values] : columns) {
    if (values.size() == rows) continue;
    throw InputError(Text("has ", values.size(), " values of ", each, " for ", rows,
                          " points; expected as many"));
  }
  return columns;
}

VectorGrid::Axes AxesOf(const Columns& columns) {
  VectorGrid::Axes axes;
  for (std::size_t k = 0; k < 3; ++k) {
    std::vector<double>& axis = axes[k];
    axis = columns.at(kAxisLetters[k]);
    std::ranges::sort(axis);
    axis.erase(std::ranges::unique(axis).begin(), axis.end());
    if (axis.size() >= 2) continue;
    throw InputError(
        Text("has ", axis.size(), " places along ", kAxisLetters[k], "; expected at least 2"));
  }
  return axes;
}

}  // namespace

VectorGrid VectorGridOf(const std::string& text, const std::string& name,
                        const Dimension& of_values) {
  const Columns columns = ColumnsOf(text, name, of_values);
  const VectorGrid::Axes axes = AxesOf(columns);
  const std::size_t rows = columns.at("x").size();
  const std::size_t points = axes[0].size() * axes[1].size() * axes[2].size();
  if (rows > kMostPoints) throw InputError(Text("has ", rows, " points; expected at most 1e6"));
  if (rows != points) {
    throw InputError(Text("has ", rows, " rows; expected ", points, ", one for each of ",
                          axes[0].size(), " x ", axes[1].size(), " x ", axes[2].size(), " points"));
  }
  std::vector<Vec3> values(points, Vec3::Zero());
  std::vector<bool> is_there(points, false);
  for (std::size_t row = 0; row < rows; ++row) {
    std::size_t number = 0;
    for (std::size_t k = 0; k < 3; ++k) {
      const auto place = std::ranges::lower_bound(axes[k], columns.at(kAxisLetters[k])[row]);
      number = number * axes[k].size() + static_cast<std::size_t>(place - axes[k].begin());
    }
    if (is_there[number]) throw InputError(Text("has a point twice, in row ", row + 1));
    is_there[number] = true;
    for (std::size_t k = 0; k < 3; ++k) {
      const auto column = columns.find(name + kAxisLetters[k]);
      if (column == columns.end()) continue;
      values[number][static_cast<Eigen::Index>(k)] = column->second[row];
    }
  }
  return {axes, std::move(values)};
}

std::string TextOf(const VectorGrid& grid, const std::string& name, const Dimension& of_values) {
  if (grid.IsEmpty()) return {};
  std::array<std::string, 6> columns;
  for (std::size_t k = 0; k < 3; ++k) {
    columns[k] = Text(kAxisLetters[k], "_", SiUnit(kLength));
    columns[3 + k] = Text(name, kAxisLetters[k], "_", SiUnit(of_values));
  }
  const auto& [xs, ys, zs] = grid.Places();
  std::size_t number = 0;
  for (const double x : xs) {
    for (const double y : ys) {
      for (const double z : zs) {
        const Vec3 place(x, y, z), value = grid.Values()[number++];
        for (std::size_t k = 0; k < 3; ++k) {
          columns[k] += " " + ShortestText(place[static_cast<Eigen::Index>(k)]);
          columns[3 + k] += " " + ShortestText(value[static_cast<Eigen::Index>(k)]);
        }
      }
    }
  }
  std::string text;
  for (const std::string& column : columns) text += (text.empty() ? "" : ", ") + column;
  return text;
}

bool HasComponent(const std::string& text, const std::string& name) {
  std::istringstream in(text);
  for (std::string word; std::getline(in, word, ',');) {
    const NamedColumn column(word.substr(0, word.find(' ', word.find_first_not_of(' '))));
    for (const char* axis : kAxisLetters) {
      if (column.name == name + axis) return true;
    }
  }
  return false;
}

}  // namespace scree
