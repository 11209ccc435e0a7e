#include "io/command_line/csv_output.hpp"

#include <cstdio>

#include "io/files/atomic_file.hpp"
#include "io/files/build_info.hpp"
#include "io/files/standard_output.hpp"
#include "solvers/base/check.hpp"

namespace scree {
namespace {

std::string FormatNumber(double value, int digits) {
  char text[40];
  std::snprintf(text, sizeof text, "%.*g", digits, value);
  return text;
}

std::string Quoted(const std::string& text) {
  if (text.find_first_of(",\"\n") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + '"';
}

std::string CellText(const CsvOutput::Cell& cell, int digits) {
  if (const auto* integer = std::get_if<std::int64_t>(&cell)) return std::to_string(*integer);
  if (const auto* number = std::get_if<double>(&cell)) return FormatNumber(*number, digits);
  return Quoted(std::get<std::string>(cell));
}

}  // namespace

CsvOutput::CsvOutput(const std::string& command_line, int digits) : digits_(digits) {
  AddComment("program", "Scree " + ProgramVersion() + ", commit " + GitHash());
  AddComment("command", command_line);
}

void CsvOutput::AddComment(const std::string& name, const std::string& value) {
  SCREE_DEMAND(columns_ == 0);
  text_ += "# " + name + ": " + value + "\n";
}

void CsvOutput::AddComment(const std::string& name, double value) {
  AddComment(name, FormatNumber(value, digits_));
}

void CsvOutput::Columns(std::vector<std::string> names) {
  SCREE_DEMAND(columns_ == 0 && !names.empty());
  columns_ = names.size();
  for (std::size_t i = 0; i < names.size(); ++i) text_ += (i == 0 ? "" : ",") + names[i];
  text_ += '\n';
}

void CsvOutput::Row(std::initializer_list<Cell> cells) { Row(std::vector<Cell>(cells)); }

void CsvOutput::Row(const std::vector<Cell>& cells) {
  SCREE_DEMAND(cells.size() == columns_);
  for (std::size_t i = 0; i < cells.size(); ++i) {
    text_ += (i == 0 ? "" : ",") + CellText(cells[i], digits_);
  }
  text_ += '\n';
}

void CsvOutput::Write(const std::string& path) const {
  if (!path.empty()) return WriteWholeFile(path, text_);
  PrintResult(text_);
}

}  // namespace scree
