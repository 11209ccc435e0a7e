/// \file  Tables as values of keys, such as "time_s 0 0.1, z_mm 0 -1", and their conversion to
///        motions, vectors and grids.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "engine/scene/motion_table.hpp"
#include "engine/scene/vector_grid.hpp"
#include "engine/scene/vector_table.hpp"
#include "io/scene/units.hpp"

namespace scree {

/// The name of a column: "z_mm" is z in mm; "z" has no unit.
struct ColumnName {
  std::string name, unit;

  explicit ColumnName(std::string_view head = {});
  friend bool operator==(const ColumnName&, const ColumnName&) = default;
};

struct TableColumn : ColumnName {
  std::vector<double> values;  // in SI; unconverted if the name has no unit

  TableColumn(std::string_view head, std::vector<double> in_si)
      : ColumnName(head), values(std::move(in_si)) {}

  /// @throws InputError if the unit is unknown or has another dimension
  const std::vector<double>& ValuesIn(const Dimension& dimension) const;
  friend bool operator==(const TableColumn&, const TableColumn&) = default;
};

/// Columns of numbers. Copies share them.
class Table {
 public:
  Table() = default;
  explicit Table(std::vector<TableColumn> columns)
      : columns_(std::make_shared<const std::vector<TableColumn>>(std::move(columns))) {}

  bool IsEmpty() const { return columns_ == nullptr || columns_->empty(); }
  const std::vector<TableColumn>& Columns() const;
  friend bool operator==(const Table& a, const Table& b) {
    return a.columns_ == b.columns_ || a.Columns() == b.Columns();
  }

 private:
  std::shared_ptr<const std::vector<TableColumn>> columns_;
};

/// Reads one column from its name and its `count` numbers, separated by blanks.
/// @throws InputError if they are not numbers
TableColumn ReadColumn(std::string_view head, const std::string& numbers, std::size_t count);

/// Reads columns separated by commas. @throws InputError if one is not a column
Table ReadTable(const std::string& text);
/// The text that ReadTable reads.
std::string WriteTable(const Table& table);

/// The columns as a CSV file: a header, then a row for each index.
/// @pre all columns have the same length
std::string CsvOf(const Table& table);

/// Converts a table to the motion of a wall and back. An empty table is no motion.
/// @throws InputError if it is not such a table
MotionTable MotionOf(const Table& table);
Table TableOf(const MotionTable& motion);

/// Description of a table: the first column is the argument, the others are components of vectors.
struct VectorColumns {
  std::string argument;  // name of the first column
  Dimension argument_dimension = kTime;
  Dimension value_dimension;
  std::vector<const char*> names = {"x", "y", "z"};  // possible components, at most three
};
/// @throws InputError if it is not such a table
VectorTable VectorsOf(const Table& table, const VectorColumns& description);
Table TableOf(const VectorTable& vectors, const VectorColumns& description);

/// A grid: columns x, y, z of the positions, and any of three components of the values, such as vx,
/// vy, vz for "v". There is a row for each point, in any order.
/// @throws InputError if it is not such a grid
VectorGrid GridOf(const Table& table, const std::string& name, const Dimension& value_dimension);
Table TableOf(const VectorGrid& grid, const std::string& name, const Dimension& value_dimension);

/// Whether the first column has this name.
bool HasFirstColumn(const Table& table, const std::string& name);

/// Whether a column is a component of the quantity `name`, such as vx of v.
bool HasComponent(const Table& table, const std::string& name);

}  // namespace scree
