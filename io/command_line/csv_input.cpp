#include "io/command_line/csv_input.hpp"

#include <algorithm>
#include <fstream>

#include "io/command_line/app_options.hpp"
#include "solvers/base/check.hpp"

namespace scree {
namespace {

std::string WithoutSpaces(std::string text) {
  std::erase_if(text, [](char c) { return c == ' ' || c == '\t' || c == '\r'; });
  return text;
}

}  // namespace

std::vector<CsvInputRow> ReadCsvInput(const std::string& path, std::string_view header) {
  std::ifstream file(path);
  if (!file) throw FileError("cannot read '" + path + "'");
  const auto columns = static_cast<std::size_t>(std::count(header.begin(), header.end(), ',') + 1);
  std::vector<CsvInputRow> rows;
  bool has_header = false;
  int number = 0;
  for (std::string line; std::getline(file, line);) {
    ++number;
    const std::string plain = WithoutSpaces(line);
    if (plain.empty() || plain.front() == '#') continue;
    const std::string location = Text(path, ":", number);
    if (has_header) {
      rows.push_back({location, ReadNumbers(location, plain, columns)});
      continue;
    }
    if (plain != header) {
      throw InputError(
          Text(location, ": the header row must be '", header, "', not '", plain, "'"));
    }
    has_header = true;
  }
  if (file.bad()) throw FileError("reading '" + path + "' failed");
  if (!has_header) throw InputError(Text(path, ": the header row '", header, "' is missing"));
  return rows;
}

}  // namespace scree
