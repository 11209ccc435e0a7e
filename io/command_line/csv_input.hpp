/// \file  Tables of numbers that the small apps read: CSV with a header row, `#` lines skipped.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace scree {

struct CsvInputRow {
  std::string where;  // "FILE:LINE", for errors about the values
  std::vector<double> numbers;
};

/// The rows of a file whose header row is exactly `header`, spaces aside.
/// @param header  names of the columns, separated by commas
/// @throws FileError if the file cannot be read, InputError naming file and line if it is not as
///         said
std::vector<CsvInputRow> ReadCsvInput(const std::string& path, std::string_view header);

}  // namespace scree
