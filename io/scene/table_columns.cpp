#include "io/scene/table_columns.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <sstream>

#include "solvers/base/check.hpp"

namespace scree {
namespace {

constexpr std::array<const char*, 3> kAxisLetters = {"x", "y", "z"};

/// "a, b, c"
std::string ListOf(const auto& names) {
  std::string list;
  for (const char* name : names) list += (list.empty() ? "" : ", ") + std::string(name);
  return list;
}

/// The name of a column in SI: "x_m", "torque_N*m".
std::string SiHead(const std::string& name, const Dimension& dimension) {
  std::string unit = SiUnit(dimension);
  std::ranges::replace(unit, ' ', '*');
  return unit.empty() ? name : name + "_" + unit;
}

std::string HeadOf(const ColumnName& column) {
  return column.unit.empty() ? column.name : column.name + "_" + column.unit;
}

/// Whether a text is a unit that scenes accept.
bool IsUnit(const std::string& unit) {
  try {
    DimensionOf(unit);
    return true;
  } catch (const InputError&) {
    return false;
  }
}

Dimension DimensionOfMotion(int column) {
  if (column == MotionTable::kAngle || column >= MotionTable::kRoll) return kAngle;
  if (column >= MotionTable::kQw) return kPlain;
  if (column == MotionTable::kRate) return kAngularRate;
  return column < MotionTable::kAngle ? kLength : kSpeed;
}

void RequireIncreasing(const std::string& argument, const std::vector<double>& points) {
  if (points.size() < 2)
    throw InputError(Text("has ", points.size(), " rows; expected at least 2"));
  for (std::size_t k = 1; k < points.size(); ++k) {
    if (points[k] > points[k - 1]) continue;
    throw InputError(Text("row ", k + 1, " has ", argument, " ", points[k], " after ",
                          points[k - 1], "; expected increasing values"));
  }
}

[[noreturn]] void FailRepeated(const std::string& column) {
  throw InputError(Text("has the column \"", column, "\" twice"));
}

void CheckLength(const TableColumn& column, std::size_t rows, const char* noun) {
  if (column.values.size() == rows) return;
  throw InputError(Text("has ", column.values.size(), " values of ", column.name, " for ", rows,
                        " ", noun, "; expected one for each"));
}

using GridColumns = std::map<std::string, const std::vector<double>*>;  // all of one length, in SI

GridColumns ColumnsOfGrid(const Table& table, const std::string& name,
                          const Dimension& value_dimension) {
  GridColumns columns;
  for (const TableColumn& column : table.Columns()) {
    const bool is_position = std::ranges::find(kAxisLetters, column.name) != kAxisLetters.end();
    const bool is_value = std::ranges::any_of(
        kAxisLetters, [&](const char* axis) { return column.name == name + axis; });
    if (!is_position && !is_value) {
      throw InputError(Text("has a column \"", column.name, "\"; expected x, y, z and ", name,
                            "x, ", name, "y, ", name, "z, each with _ and a unit"));
    }
    const auto* values = &column.ValuesIn(is_position ? kLength : value_dimension);
    if (!columns.emplace(column.name, values).second) FailRepeated(column.name);
  }
  for (const char* axis : kAxisLetters) {
    if (!columns.contains(axis)) throw InputError(Text("lacks a column ", axis));
  }
  for (const TableColumn& column : table.Columns()) {
    CheckLength(column, columns["x"]->size(), "points");
  }
  return columns;
}

VectorGrid::Axes AxesOf(const GridColumns& columns) {
  VectorGrid::Axes axes;
  for (std::size_t k = 0; k < 3; ++k) {
    std::vector<double>& axis = axes[k];
    axis = *columns.at(kAxisLetters[k]);
    std::ranges::sort(axis);
    axis.erase(std::ranges::unique(axis).begin(), axis.end());
    if (axis.size() >= 2) continue;
    throw InputError(
        Text("has ", axis.size(), " positions along ", kAxisLetters[k], "; expected at least 2"));
  }
  return axes;
}

}  // namespace

ColumnName::ColumnName(std::string_view head) : name(head.substr(0, head.find('_'))) {
  if (name.size() < head.size()) unit = head.substr(name.size() + 1);
  if (name == "r") name = "radius";
}

const std::vector<double>& TableColumn::ValuesIn(const Dimension& dimension) const {
  if (unit.empty()) return values;
  try {
    ReadQuantities("1 " + unit, 1, dimension);
  } catch (const InputError& error) {
    throw InputError(Text("column \"", HeadOf(*this), "\" ", error.what()));
  }
  return values;
}

const std::vector<TableColumn>& Table::Columns() const {
  static const std::vector<TableColumn> no_columns;
  return columns_ == nullptr ? no_columns : *columns_;
}

TableColumn ReadColumn(std::string_view head, const std::string& numbers, std::size_t count) {
  const ColumnName name(head);
  const bool has_unit = !name.unit.empty() && IsUnit(name.unit);
  try {
    return {head, has_unit
                      ? ReadQuantities(numbers + " " + name.unit, count, DimensionOf(name.unit))
                      : ReadQuantities(numbers, count, kPlain)};
  } catch (const InputError& error) {
    throw InputError(Text("column \"", HeadOf(name), "\" ", error.what()));
  }
}

Table ReadTable(const std::string& text) {
  std::vector<TableColumn> columns;
  std::istringstream in(text);
  for (std::string column; std::getline(in, column, ',');) {
    std::istringstream words(column);
    std::string head, numbers;
    words >> head;
    std::size_t count = 0;
    for (std::string word; words >> word; ++count) numbers += (count > 0 ? " " : "") + word;
    columns.push_back(ReadColumn(head, numbers, count));
  }
  return Table(std::move(columns));
}

std::string WriteTable(const Table& table) {
  std::string text;
  for (const TableColumn& column : table.Columns()) {
    text += (text.empty() ? "" : ", ") + HeadOf(column);
    for (const double value : column.values) text += " " + ShortestText(value);
  }
  return text;
}

std::string CsvOf(const Table& table) {
  std::string text;
  const std::vector<TableColumn>& columns = table.Columns();
  for (const TableColumn& column : columns) text += (text.empty() ? "" : ",") + HeadOf(column);
  text += "\n";
  for (std::size_t row = 0; !table.IsEmpty() && row < columns.front().values.size(); ++row) {
    for (const TableColumn& column : columns) {
      if (&column != &columns.front()) text += ",";
      text += ShortestText(column.values[row]);
    }
    text += "\n";
  }
  return text;
}

MotionTable MotionOf(const Table& table) {
  std::vector<double> times;
  MotionTable::Columns columns;
  for (const TableColumn& column : table.Columns()) {
    const auto known = std::ranges::find(MotionTable::kNames, column.name);
    const bool is_time = column.name == "time";
    if (!is_time && known == MotionTable::kNames.end()) {
      throw InputError(Text("has a column \"", column.name, "\"; expected time and any of ",
                            ListOf(MotionTable::kNames), ", each with _ and a unit"));
    }
    if (column.values.empty()) throw InputError("has no values in column \"" + column.name + "\"");
    const auto index = static_cast<int>(known - MotionTable::kNames.begin());
    std::vector<double>& values = is_time ? times : columns[static_cast<std::size_t>(index)];
    if (!values.empty()) FailRepeated(column.name);
    values = column.ValuesIn(is_time ? kTime : DimensionOfMotion(index));
  }
  if (times.empty()) throw InputError("has no column of times; expected one such as time_s 0 0.1");
  return {std::move(times), std::move(columns)};
}

Table TableOf(const MotionTable& motion) {
  if (motion.IsEmpty()) return {};
  std::vector<TableColumn> columns = {{"time_s", motion.Times()}};
  for (int c = 0; c < MotionTable::kColumns; ++c) {
    const auto& values = motion.Values(static_cast<MotionTable::Column>(c));
    if (values.empty()) continue;
    const char* const name = MotionTable::kNames[static_cast<std::size_t>(c)];
    const bool is_quaternion = c >= MotionTable::kQw && c <= MotionTable::kQz;
    columns.emplace_back(is_quaternion ? name : SiHead(name, DimensionOfMotion(c)), values);
  }
  return Table(std::move(columns));
}

VectorTable VectorsOf(const Table& table, const VectorColumns& description) {
  VectorTable vectors;
  std::set<std::string> found;
  for (const TableColumn& column : table.Columns()) {
    if (vectors.arguments.empty()) {
      if (column.name != description.argument) {
        throw InputError(Text("begins with the column \"", column.name, "\"; expected ",
                              description.argument, " with _ and a unit, then ",
                              ListOf(description.names)));
      }
      vectors.arguments = column.ValuesIn(description.argument_dimension);
      RequireIncreasing(description.argument, vectors.arguments);
      vectors.values.assign(vectors.arguments.size(), Vec3::Zero());
      continue;
    }
    const auto axis = std::ranges::find(description.names, column.name);
    if (axis == description.names.end()) {
      throw InputError(Text("has a column \"", column.name, "\"; expected ",
                            ListOf(description.names), ", each with _ and a unit"));
    }
    if (!found.insert(column.name).second) FailRepeated(column.name);
    const std::vector<double>& values = column.ValuesIn(description.value_dimension);
    CheckLength(column, vectors.arguments.size(), "rows");
    for (std::size_t k = 0; k < values.size(); ++k) {
      vectors.values[k][axis - description.names.begin()] = values[k];
    }
  }
  return vectors;
}

Table TableOf(const VectorTable& vectors, const VectorColumns& description) {
  if (vectors.IsEmpty()) return {};
  std::vector<TableColumn> columns = {
      {SiHead(description.argument, description.argument_dimension), vectors.arguments}};
  for (std::size_t axis = 0; axis < description.names.size(); ++axis) {
    std::vector<double> values;
    for (const Vec3& value : vectors.values)
      values.push_back(value[static_cast<Eigen::Index>(axis)]);
    columns.emplace_back(SiHead(description.names[axis], description.value_dimension),
                         std::move(values));
  }
  return Table(std::move(columns));
}

VectorGrid GridOf(const Table& table, const std::string& name, const Dimension& value_dimension) {
  constexpr std::size_t kMaxPoints = 1000000;
  const GridColumns columns = ColumnsOfGrid(table, name, value_dimension);
  const VectorGrid::Axes axes = AxesOf(columns);
  const std::size_t rows = columns.at("x")->size();
  const std::size_t points = axes[0].size() * axes[1].size() * axes[2].size();
  if (rows > kMaxPoints) throw InputError(Text("has ", rows, " points; expected at most 1e6"));
  if (rows != points) {
    throw InputError(Text("has ", rows, " rows; expected ", points, ", one for each of ",
                          axes[0].size(), " x ", axes[1].size(), " x ", axes[2].size(), " points"));
  }
  std::vector<Vec3> values(points, Vec3::Zero());
  std::vector<bool> is_set(points, false);
  for (std::size_t row = 0; row < rows; ++row) {
    std::size_t number = 0;
    for (std::size_t k = 0; k < 3; ++k) {
      const auto found = std::ranges::lower_bound(axes[k], (*columns.at(kAxisLetters[k]))[row]);
      number = number * axes[k].size() + static_cast<std::size_t>(found - axes[k].begin());
    }
    if (is_set[number]) throw InputError(Text("has a point twice, in row ", row + 1));
    is_set[number] = true;
    for (std::size_t k = 0; k < 3; ++k) {
      const auto column = columns.find(name + kAxisLetters[k]);
      if (column == columns.end()) continue;
      values[number][static_cast<Eigen::Index>(k)] = (*column->second)[row];
    }
  }
  return {axes, std::move(values)};
}

Table TableOf(const VectorGrid& grid, const std::string& name, const Dimension& value_dimension) {
  if (grid.IsEmpty()) return {};
  std::array<std::vector<double>, 6> values;
  const auto& [xs, ys, zs] = grid.Coordinates();
  std::size_t number = 0;
  for (const double x : xs) {
    for (const double y : ys) {
      for (const double z : zs) {
        const Vec3& value = grid.Values()[number++];
        const std::array<double, 6> row = {x, y, z, value.x(), value.y(), value.z()};
        for (std::size_t k = 0; k < row.size(); ++k) values[k].push_back(row[k]);
      }
    }
  }
  std::vector<TableColumn> columns;
  for (std::size_t k = 0; k < values.size(); ++k) {
    const std::string head = k < 3 ? kAxisLetters[k] : name + kAxisLetters[k - 3];
    columns.emplace_back(SiHead(head, k < 3 ? kLength : value_dimension), std::move(values[k]));
  }
  return Table(std::move(columns));
}

bool HasFirstColumn(const Table& table, const std::string& name) {
  return !table.IsEmpty() && table.Columns().front().name == name;
}

bool HasComponent(const Table& table, const std::string& name) {
  return std::ranges::any_of(table.Columns(), [&](const TableColumn& column) {
    return std::ranges::any_of(kAxisLetters,
                               [&](const char* axis) { return column.name == name + axis; });
  });
}

}  // namespace scree
