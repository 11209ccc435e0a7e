/// \file  Tables of numbers that the small apps read: CSV with a header row. Lines that begin
///        with # are skipped.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace scree {

struct CsvInputRow {
  std::string location;  // "FILE:LINE", for errors
  std::vector<double> numbers;
};

/// Reads the rows of a file. Its header row must equal `header` except for spaces.
/// @param header  names of the columns, separated by commas
/// @throws FileError if the file cannot be read, InputError naming file and line if the format is
/// wrong
std::vector<CsvInputRow> ReadCsvInput(const std::string& path, std::string_view header);

}  // namespace scree
