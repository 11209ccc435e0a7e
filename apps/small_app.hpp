/// \file  What the small apps have in common: commands, their help, exit codes.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "io/command_line/app_options.hpp"

namespace scree {

/// One `program command ...` of a small app.
struct AppCommand {
  std::string name;
  std::string summary;  // one line for the program's --help
  /// @param arguments     what follows the command's name
  /// @param command_line  all of it, for the record in the output
  void (*run)(const std::vector<std::string>& arguments, const std::string& command_line);
};

/// @returns false if help was asked for and has been printed
/// @throws InputError as AppOptions::Parse
bool ParseOrHelp(const std::vector<std::string>& arguments, AppOptions& options);

/// An option that would have no effect is refused rather than ignored.
/// @param needed  what it goes with, such as "--motion"
/// @throws InputError if the option is given
void DemandUsed(const AppOptions& options, const std::string& name, const std::string& needed);

/// Finds and runs the command; prints help and, on stderr, errors.
/// @returns the exit code (apps/exit_codes.hpp)
int RunSmallApp(int argc, const char* const* argv, const std::string& description,
                std::span<const AppCommand> commands);

}  // namespace scree
