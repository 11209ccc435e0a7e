/// \file  CSV tables to which a run appends rows.
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

/// One entry; std::monostate is an empty one.
using CsvValue = std::variant<std::monostate, std::int64_t, double>;

/// The shortest text that reads back as the same number; at most 17 significant digits.
std::string ToText(const CsvValue& value);

/// The rows of a table up to the checkpoint from which a run continues.
struct ExistingRows {
  std::int64_t rows = 0;                  // as the checkpoint counts them, without the header
  std::optional<std::int64_t> step = {};  // of the checkpoint; none: the first column has no steps
};

/// A CSV file written by root. Each row is written at once, so that all rows but the last are
/// complete after a killed run. Other programs may truncate or replace the file during the run. All
/// calls are collective.
class CsvTable {
 public:
  /// Creates a file with the header row and replaces an existing one.
  /// @throws OutputError on all ranks
  CsvTable(const Communicator& communicator, const std::string& path,
           std::vector<std::string> columns);

  /// Continues an existing file after its first rows, and removes the rest, such as the partial
  /// line of a killed run. A missing file is created. Missing columns, such as those of a new wall,
  /// are empty in the kept rows.
  /// @param existing  rows to keep, but only those before the first row of a step after the
  ///                  checkpoint
  /// @throws InputError on all ranks if the file has columns that are not in `columns`; FileError
  /// if the rest has a row of a step before the checkpoint; OutputError
  CsvTable(const Communicator& communicator, const std::string& path,
           std::vector<std::string> columns, const ExistingRows& existing);

  /// Adds a row.
  /// @param values  one per column; only root's are used
  /// @throws OutputError on all ranks
  void Append(std::span<const CsvValue> values);

  /// Number of rows in the file without the header.
  std::int64_t Rows() const { return rows_; }

 private:
  void Create();
  void Reopen();
  bool IsUnchanged() const;
  void WriteLine(const std::string& line);

  Communicator communicator_;
  std::string path_, header_;
  std::size_t columns_;
  std::int64_t rows_ = 0;
  std::uintmax_t bytes_ = 0;  // size of the file as written
  std::ofstream file_;        // open on root only, to append
};

}  // namespace scree
