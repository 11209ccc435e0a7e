/// \file  Tables that grow by a row at a time during a run, as CSV.
#pragma once

#include <cstdint>
#include <fstream>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "engine/ranks/communicator.hpp"

namespace scree {

/// One entry; std::monostate is left empty.
using CsvValue = std::variant<std::monostate, std::int64_t, double>;

/// The shortest text that reads back as the same number; 17 significant digits at most.
std::string ToText(const CsvValue& value);

/// What a run has written of a table before it goes on.
struct RowsSoFar {
  std::int64_t rows = 0;                  // without the header
  std::optional<std::int64_t> step = {};  // done then, where the first column has steps
};

/// A CSV file written by root. Each row is handed to the system at once, so that a killed run
/// leaves all rows but the last whole. Others may cut the file meanwhile, or put another in its
/// place. All calls are collective.
class CsvTable {
 public:
  /// Replaces an existing file by one with the header row.
  /// @throws OutputError on all ranks
  CsvTable(const Communicator& communicator, const std::string& path,
           std::vector<std::string> columns);

  /// Continues an existing file behind its first rows; all after them is cut off, such as the half
  /// line of a run that was killed. A missing file begins anew. Columns that it lacks, as of a wall
  /// that is new, are empty in these rows.
  /// @param so_far  rows to keep, but for those of later steps
  /// @throws InputError on all ranks if the file has columns that are not among these; FileError if
  ///         rows of earlier steps are not among those to keep; OutputError
  CsvTable(const Communicator& communicator, const std::string& path,
           std::vector<std::string> columns, const RowsSoFar& so_far);

  /// Adds a row.
  /// @param values  one per column; those of root count
  /// @throws OutputError on all ranks
  void Append(std::span<const CsvValue> values);

  /// Rows in the file, the header not counted.
  std::int64_t Rows() const { return rows_; }

 private:
  void Create();
  void Reopen();
  bool IsAsWritten() const;
  void WriteLine(const std::string& line);

  Communicator communicator_;
  std::string path_, header_;
  std::size_t columns_;
  std::int64_t rows_ = 0;
  std::uintmax_t bytes_ = 0;  // of the file as written
  std::ofstream file_;        // open on root only, to append
};

}  // namespace scree
