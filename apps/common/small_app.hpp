/// \file  Common code of the small apps: commands, their help, exit codes.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "io/command_line/app_options.hpp"
#include "io/command_line/csv_output.hpp"

namespace scree {

/// @returns false if the user asked for help, which was then printed
/// @throws InputError as AppOptions::Parse
bool ParseOrHelp(const std::vector<std::string>& arguments, AppOptions& options);

/// The arguments of a command. Adds the options of every command: --output, the destination of its
/// table, and --digits.
class AppRun {
 public:
  /// @param arguments     the arguments after the command's name
  /// @param command_line  the whole command line, recorded in the output
  /// @param source        the paper whose equations the output cites; empty: none
  AppRun(std::vector<std::string> arguments, std::string command_line, std::string source = "")
      : arguments_(std::move(arguments)),
        command_line_(std::move(command_line)),
        source_(std::move(source)) {}

  /// Adds --output and --digits, and reads all options like ParseOrHelp.
  bool Parse(AppOptions& options);

  /// Requires that the files of --output and of these options differ.
  /// @param outputs  options without dashes, and their files; "" or "-": no file
  /// @throws InputError
  void RequireDifferentFiles(std::vector<std::pair<std::string, std::string>> outputs) const;

  /// An empty table whose header records the command and the paper.
  CsvOutput Table() const;

  /// Writes to the file of --output, else to standard output. @throws OutputError
  void Write(const CsvOutput& csv) const { csv.Write(output_); }

  const std::string& output() const { return output_; }

 private:
  std::vector<std::string> arguments_;
  std::string command_line_, source_, output_;
  int digits_ = 9;
};

/// One `program command ...` of a small app.
struct AppCommand {
  std::string name;
  std::string summary;  // one line for the program's --help
  void (*run)(AppRun& app);
  std::string source;  // the paper whose equations the output cites; empty: none
};

/// Adds a row of numbers and texts.
template <class... Values>
void AddRow(CsvOutput& csv, const Values&... values) {
  const auto cell = [](const auto& value) -> CsvOutput::Cell {
    using Value = std::decay_t<decltype(value)>;
    if constexpr (std::is_same_v<Value, CsvOutput::Cell>)
      return value;
    else if constexpr (std::is_integral_v<Value>)
      return static_cast<std::int64_t>(value);
    else if constexpr (std::is_floating_point_v<Value>)
      return value;
    else
      return std::string(value);
  };
  csv.Row({cell(values)...});
}

/// Splits a text such as "impact, time [s], speed [m/s]" into names of columns.
std::vector<std::string> ColumnNames(const std::string& text);

/// @throws InputError if the value of an option is not above 0
void RequireAbove0(const std::string& option, double value);

/// Rejects an option that has no effect in this call.
/// @param needed  what it would require, such as "--motion"
/// @throws InputError if the option is given
void RejectUnused(const AppOptions& options, const std::string& name, const std::string& needed);

/// Finds and runs the command; prints help and, on stderr, errors.
/// @returns the exit code (apps/common/exit_codes.hpp)
int RunSmallApp(int argc, const char* const* argv, const std::string& description,
                std::span<const AppCommand> commands);

}  // namespace scree
