#include "io/csv_table.hpp"

#include <array>
#include <cerrno>
#include <charconv>
#include <cstring>

#include "io/collective_call.hpp"
#include "solvers/check.hpp"

namespace scree {

std::string ToText(const CsvValue& value) {
  std::array<char, 32> text = {};
  char* end = text.data();
  if (const auto* integer = std::get_if<std::int64_t>(&value)) {
    end = std::to_chars(text.data(), text.data() + text.size(), *integer).ptr;
  } else if (const auto* real = std::get_if<double>(&value)) {
    end = std::to_chars(text.data(), text.data() + text.size(), *real).ptr;
  }
  return {text.data(), end};
}

CsvTable::CsvTable(const Communicator& communicator, const std::string& path,
                   std::vector<std::string> columns)
    : communicator_(communicator), path_(path), columns_(columns.size()) {
  std::string header;
  for (const std::string& column : columns) {
    if (!header.empty()) header += ',';
    header += column;
  }
  if (communicator.IsRoot()) file_.open(path, std::ios::trunc);
  WriteLine(header);
}

void CsvTable::Append(std::span<const CsvValue> values) {
  SCREE_DEMAND(values.size() == columns_);
  std::string line;
  for (std::size_t k = 0; k < values.size(); ++k) {
    if (k > 0) line += ',';
    line += ToText(values[k]);
  }
  WriteLine(line);
}

void CsvTable::WriteLine(const std::string& line) {
  CallOnRoot<OutputError>(communicator_, [&] {
    file_ << line << '\n';
    file_.flush();
    if (!file_) throw OutputError(Text("cannot write '", path_, "': ", std::strerror(errno)));
  });
}

}  // namespace scree
