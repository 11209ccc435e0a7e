#include "apps/common/small_app.hpp"

#include <cstdio>
#include <filesystem>
#include <map>
#include <sstream>

#include "apps/common/exit_codes.hpp"
#include "io/files/build_info.hpp"
#include "io/files/standard_output.hpp"
#include "solvers/base/check.hpp"

namespace scree {
namespace {

std::string Help(const std::string& program, const std::string& description,
                 std::span<const AppCommand> commands) {
  std::string help = "usage: " + program + " COMMAND [options]\n\n" + description + "\n\n";
  for (const AppCommand& command : commands) {
    help += "  " + command.name + "\n      " + command.summary + "\n";
  }
  return help + "  --version\n      print the version and how it was built\n\n" + program +
         " COMMAND --help lists the options of a command.\n";
}

void Run(const std::string& program, const std::vector<std::string>& arguments,
         const std::string& description, std::span<const AppCommand> commands) {
  if (arguments.empty() || arguments[0] == "--help") {
    PrintResult(Help(program, description, commands));
    return;
  }
  if (arguments[0] == "--version") {
    PrintResult(BuildDescription());
    return;
  }
  std::string command_line = program;
  for (const std::string& argument : arguments) {
    const bool is_plain = argument.find_first_of(" \t\"") == std::string::npos && !argument.empty();
    command_line += is_plain ? " " + argument : " \"" + argument + "\"";
  }
  std::string names;
  for (const AppCommand& command : commands) {
    if (command.name == arguments[0]) {
      AppRun app({arguments.begin() + 1, arguments.end()}, command_line, command.source);
      return command.run(app);
    }
    names += (names.empty() ? "" : ", ") + command.name;
  }
  throw InputError(Text("'", arguments[0], "' is not a command; choose one of ", names));
}

}  // namespace

bool ParseOrHelp(const std::vector<std::string>& arguments, AppOptions& options) {
  if (options.Parse(arguments)) return true;
  PrintResult(options.Help());
  return false;
}

bool AppRun::Parse(AppOptions& options) {
  options.Add("output", output_, "file for the table instead of standard output");
  options.Add("digits", digits_, "significant digits of numbers, 2 to 17");
  if (!ParseOrHelp(arguments_, options)) return false;
  RequireRange("--digits", digits_, 2, CsvOutput::kAllDigits);
  return true;
}

void AppRun::RequireDifferentFiles(std::vector<std::pair<std::string, std::string>> outputs) const {
  outputs.emplace_back("output", output_);
  std::map<std::filesystem::path, std::string> option_of;
  for (const auto& [option, path] : outputs) {
    if (path.empty() || path == "-") continue;
    const auto [other, is_new] =
        option_of.emplace(std::filesystem::absolute(path).lexically_normal(), option);
    if (!is_new) {
      throw InputError(Text("--", other->second, " and --", option, " both write '", path,
                            "'; expected different files"));
    }
  }
}

CsvOutput AppRun::Table() const {
  CsvOutput csv(command_line_, digits_);
  if (!source_.empty())
    csv.AddComment("source", source_ + "; numbers in parentheses are its equations");
  return csv;
}

void RejectUnused(const AppOptions& options, const std::string& name, const std::string& needed) {
  if (!options.IsGiven(name.c_str())) return;
  throw InputError(Text("--", name, " has no effect without ", needed));
}

std::vector<std::string> ColumnNames(const std::string& text) {
  std::vector<std::string> names;
  std::istringstream stream(text);
  for (std::string name; std::getline(stream >> std::ws, name, ',');) names.push_back(name);
  return names;
}

void RequireAbove0(const std::string& option, double value) {
  if (!(value > 0.0)) throw InputError(Text(option, " = ", value, " must be above 0"));
}

int RunSmallApp(int argc, const char* const* argv, const std::string& description,
                std::span<const AppCommand> commands) {
  IgnoreFileSizeSignal();
  const std::string program = std::filesystem::path(argv[0]).filename();
  try {
    Run(program, {argv + 1, argv + argc}, description, commands);
    return kDone;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s: %s\n", program.c_str(), MessageFor(error).c_str());
    return ExitCodeOf(error);
  }
}

}  // namespace scree
