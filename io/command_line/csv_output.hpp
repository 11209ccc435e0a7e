/// \file  Results of the small apps: a CSV table on stdout or in a file, with the
///        commit and the command line that made it.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <variant>
#include <vector>

namespace scree {

/// The table begins with `# ` lines (program, commit, command line and notes), followed by a header
/// row and the rows. Nothing is written before Write, so a failed computation leaves no partial
/// table.
class CsvOutput {
 public:
  using Cell = std::variant<std::int64_t, double, std::string>;

  /// Number of significant digits with which a double reads back unchanged.
  static constexpr int kAllDigits = 17;

  /// @param command_line  the whole command, written above the table
  /// @param digits        significant digits of numbers
  explicit CsvOutput(const std::string& command_line, int digits = kAllDigits);

  /// Adds a parameter or remark above the table: "# name: value", "# name [unit]: value".
  void AddComment(const std::string& name, const std::string& value);
  void AddComment(const std::string& name, double value);

  /// Sets the header row: names with their units, "time [s]". Call it once, before the first row.
  void Columns(std::vector<std::string> names);

  /// Adds a row. Text with commas, quotes or line breaks is quoted.
  /// @pre one cell per column
  void Row(std::initializer_list<Cell> cells);
  void Row(const std::vector<Cell>& cells);

  /// Writes to the file, which appears complete or not at all; to stdout if the path is empty.
  /// @throws OutputError
  void Write(const std::string& path) const;

  /// The text that Write writes.
  const std::string& AsText() const { return text_; }

 private:
  std::string text_;
  std::size_t columns_ = 0;
  int digits_;
};

}  // namespace scree
