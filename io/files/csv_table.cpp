#include "io/files/csv_table.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <filesystem>
#include <optional>
#include <sstream>

#include "io/files/atomic_file.hpp"
#include "io/files/collective_call.hpp"
#include "io/files/file_exists.hpp"
#include "io/files/text_file.hpp"
#include "io/files/text_lines.hpp"
#include "solvers/base/check.hpp"

namespace scree {
namespace {

std::string Header(const std::vector<std::string>& columns) {
  std::string header;
  for (const std::string& column : columns) {
    if (!header.empty()) header += ',';
    header += column;
  }
  return header;
}

/// @returns for each column its index in the old table, or none. The result is empty if the old
///          table has a column that is not in `columns`
std::vector<std::optional<std::size_t>> FindColumns(
    const std::vector<std::string_view>& old_columns, const std::vector<std::string>& columns) {
  std::vector<std::optional<std::size_t>> column_indices;
  std::size_t found_count = 0;
  for (const std::string& column : columns) {
    const auto position = std::ranges::find(old_columns, column);
    column_indices.emplace_back();
    if (position == old_columns.end()) continue;
    column_indices.back() = static_cast<std::size_t>(position - old_columns.begin());
    ++found_count;
  }
  if (found_count < old_columns.size()) column_indices.clear();
  return column_indices;
}

/// Adds missing columns to a table, such as the columns of a new wall. They are empty in existing
/// rows.
void Widen(const std::string& path, const std::vector<std::string>& columns) {
  std::istringstream lines(ReadTextFile(path));
  std::string line, text = Header(columns) + "\n";
  if (!std::getline(lines, line)) return;
  const auto column_indices = FindColumns(Split(line, ','), columns);
  if (column_indices.empty() || line == Header(columns)) return;
  while (std::getline(lines, line) && !lines.eof()) {  // without a partial last line
    const std::vector<std::string_view> cells = Split(line, ',');
    for (std::size_t k = 0; k < columns.size(); ++k) {
      if (k > 0) text += ',';
      if (column_indices[k] && *column_indices[k] < cells.size()) text += cells[*column_indices[k]];
    }
    text += '\n';
  }
  ReplaceFile(path, text);
}

/// The complete lines to keep at the beginning of a file.
struct KeptPart {
  std::uintmax_t bytes = 0;
  std::int64_t rows = 0;
};

/// The step in the first cell of a row; none if the cell is not a step.
std::optional<std::int64_t> StepOf(const std::string& line) {
  std::int64_t step = 0;
  const char* const end = line.data() + line.size();
  const auto [after, error] = std::from_chars(line.data(), end, step);
  if (error != std::errc() || after == end || *after != ',') return {};
  return step;
}

/// @returns whether the file has a complete first line
bool ReadHeader(std::ifstream& file, std::string& line) {
  return file && std::getline(file, line) && !file.eof();
}

void CheckHeader(const std::string& path, const std::string& header) {
  std::ifstream file(path, std::ios::binary);
  std::string line;
  if (!ReadHeader(file, line) || line == header) return;
  throw InputError(Text("'", path,
                        "' has other columns than this run would write (another version, ",
                        "or another output.wall_forces); give another output.directory"));
}

/// Finds the rows to keep. A last line without a line feed is incomplete.
KeptPart FindRows(const std::string& path, const ExistingRows& existing) {
  std::ifstream file(path, std::ios::binary);
  std::string line;
  if (!ReadHeader(file, line)) return {};
  KeptPart kept = {line.size() + 1, 0};
  while (std::getline(file, line) && !file.eof()) {
    const auto step = existing.step ? StepOf(line) : std::nullopt;
    if (step > existing.step) break;
    if (kept.rows == existing.rows) {
      if (!step || step == existing.step) break;
      throw FileError(Text("'", path, "' has a row of step ", *step, " after the ", existing.rows,
                           " rows that the checkpoint of step ", *existing.step,
                           " counts; expected only rows of later steps there"));
    }
    kept.bytes += line.size() + 1;
    ++kept.rows;
  }
  return kept;
}

}  // namespace

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
    : communicator_(communicator), path_(path), header_(Header(columns)), columns_(columns.size()) {
  CallOnRoot<OutputError>(communicator, [&] { Create(); });
}

CsvTable::CsvTable(const Communicator& communicator, const std::string& path,
                   std::vector<std::string> columns, const ExistingRows& existing)
    : communicator_(communicator), path_(path), header_(Header(columns)), columns_(columns.size()) {
  KeptPart kept;
  CallOnRoot<OutputError>(communicator, [&] {
    if (FileExists(path)) Widen(path, columns);
  });
  CallOnRoot<InputError>(communicator, [&] { CheckHeader(path, header_); });
  CallOnRoot<FileError>(communicator, [&] { kept = FindRows(path, existing); });
  CallOnRoot<OutputError>(communicator, [&] {
    if (kept.bytes == 0) return Create();
    std::filesystem::resize_file(path, kept.bytes);
    file_.open(path, std::ios::app);
    bytes_ = kept.bytes;
  });
  rows_ = communicator.Max(kept.rows);
}

void CsvTable::Append(std::span<const CsvValue> values) {
  SCREE_DEMAND(values.size() == columns_);
  std::string line;
  for (std::size_t k = 0; k < values.size(); ++k) {
    if (k > 0) line += ',';
    line += ToText(values[k]);
  }
  CallOnRoot<OutputError>(communicator_, [&] {
    if (!IsUnchanged()) Reopen();
    WriteLine(line);
    ++rows_;
  });
  rows_ = communicator_.Max(communicator_.IsRoot() ? rows_ : 0);
}

/// At root.
void CsvTable::Create() {
  std::ofstream(path_, std::ios::trunc);
  // Without O_APPEND the next row would follow a hole if another program has truncated the file.
  file_.open(path_, std::ios::app);
  WriteLine(header_);
}

/// At root: continues after the complete lines of a file that another program has changed, and
/// counts the rows again.
void CsvTable::Reopen() {
  file_.close();
  std::int64_t lines = 0;
  std::uintmax_t read = 0;
  bytes_ = 0;  // of complete lines
  std::ifstream remaining(path_, std::ios::binary);
  for (char c = 0; remaining.get(c);) {
    ++read;
    if (c != '\n') continue;
    ++lines;
    bytes_ = read;
  }
  remaining.close();
  if (bytes_ < read) std::filesystem::resize_file(path_, bytes_);
  file_.open(path_, std::ios::app);
  if (lines == 0) {
    WriteLine(header_);
    ++lines;
  }
  rows_ = lines - 1;
}

/// At root: whether no other program has changed the file. Devices, which have no size, count as
/// unchanged.
bool CsvTable::IsUnchanged() const {
  std::error_code failed;
  const std::uintmax_t bytes = std::filesystem::file_size(path_, failed);
  return failed ? std::filesystem::exists(path_, failed) : bytes == bytes_;
}

/// At root.
void CsvTable::WriteLine(const std::string& line) {
  file_ << line << '\n';
  file_.flush();
  if (!file_) throw OutputError(Text("cannot write '", path_, "': ", std::strerror(errno)));
  bytes_ += line.size() + 1;
}

}  // namespace scree
