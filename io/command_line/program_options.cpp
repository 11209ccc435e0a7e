#include "io/command_line/program_options.hpp"

#include <algorithm>
#include <charconv>
#include <set>
#include <system_error>

#include "io/command_line/split_arguments.hpp"
#include "io/scene/config_changes.hpp"
#include "io/scene/config_keys.hpp"
#include "io/scene/config_reader.hpp"
#include "io/scene/units.hpp"
#include "solvers/base/check.hpp"

namespace scree {
namespace {

struct ProgramOption {
  std::string name;
  std::string value_name;  // empty: no value
  std::string help;
  std::optional<Action> action = {};  // what to do instead of a run; none: run
};

const std::vector<ProgramOption>& ProgramOptions() {
  static const std::vector<ProgramOption> options = {
      {"help", "", "print this text", Action::kHelp},
      {"list-keys", "", "print all keys of a scene", Action::kListKeys},
      {"print-config", "", "print the effective configuration and stop", Action::kPrintConfig},
      {"check", "", "build the scene, print its size, cost and advice, write its walls, and stop",
       Action::kCheck},
      {"ranks", "N", "with --check: how N ranks would divide the scene, without starting them"},
      {"version", "", "print the version and how it was built", Action::kVersion},
      {"self-test", "",
       "test this installation, on one rank or under mpirun: MPI, HDF5 in the current directory, "
       "and a run whose result is known exactly",
       Action::kSelfTest},
      {"quiet", "", "no progress and no summary; warnings and errors are still printed"},
      {"overwrite", "", "short for --output.overwrite yes"},
      {"restart", "DIR_OR_FILE",
       "continue from a checkpoint, or from the last one in an output directory"},
      {"allow-changes", "",
       "allow a restart to change physical parameters and to add walls and rains"},
      {"max-wall-time", "TIME",
       "write a checkpoint and stop with exit code 75 after this time, such as \"3.5 h\""},
  };
  return options;
}

std::string OptionHelp() {
  std::string help;
  for (const ProgramOption& option : ProgramOptions()) {
    std::string usage = "  --" + option.name;
    if (!option.value_name.empty()) usage += " " + option.value_name;
    usage.resize(std::max<std::size_t>(usage.size() + 1, 24), ' ');
    help += usage + option.help + "\n";
  }
  return help;
}

/// Declares all options, because the parser must know which of them take a value. Keys contain
/// names that only the scene defines, so a key is declared if it appears on the command line.
std::vector<KnownOption> DeclareOptions(const std::vector<std::string>& arguments) {
  std::vector<KnownOption> options;
  std::set<std::string> seen;
  for (const std::string& argument : arguments) {
    if (argument.starts_with("--") && argument.find('.') < argument.find('=')) {
      const std::string name = argument.substr(2, argument.find('=') - 2);
      if (seen.insert(name).second) options.push_back({name});
    }
  }
  for (const ProgramOption& option : ProgramOptions()) {
    options.push_back({option.name, !option.value_name.empty()});
  }
  return options;
}

/// "wall.piston.velocity" is the key "velocity" of [wall.piston].
IniEntry MakeOverride(const std::string& name, const std::string& value) {
  const std::size_t dot = name.rfind('.');
  return {name.substr(0, dot), name.substr(dot + 1), value, "--" + name};
}

void SetScene(const std::string& file, CommandLine& command) {
  if (file.starts_with("-")) throw InputError(Text(file, ": unknown option; see --help"));
  if (!command.scene_file.empty()) {
    throw InputError(Text("two scenes are given, ", command.scene_file, " and ", file,
                          "; expected one (values with spaces need quotes)"));
  }
  command.scene_file = file;
}

double ReadWallTime(const std::string& text) {
  try {
    const double seconds = ReadQuantities(text, 1, kTime).front();
    if (seconds > 0.0) return seconds;
  } catch (const InputError&) {
    // reported below
  }
  throw InputError(Text("--max-wall-time: \"", text, "\": expected a time > 0 such as \"3.5 h\""));
}

int ReadRanks(const std::string& text) {
  constexpr int kMax = 10'000'000;  // more than any machine has
  int ranks = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), ranks);
  if (error == std::errc() && end == text.data() + text.size() && ranks >= 1 && ranks <= kMax) {
    return ranks;
  }
  throw InputError(Text("--ranks: \"", text, "\": expected a whole number from 1 to ", kMax));
}

void CheckRanks(const CommandLine& command) {
  if (command.check_ranks == 0 || command.action == Action::kCheck) return;
  throw InputError("--ranks: is for --check only; a run has the ranks that mpirun -n starts");
}

void CheckRestart(const CommandLine& command) {
  if (command.restart.empty()) {
    if (command.allow_changes) throw InputError("--allow-changes: is for --restart only");
    return;
  }
  if (command.action == Action::kCheck) {
    throw InputError("--check: checks a scene before its run, so --restart cannot be given");
  }
  if (!command.scene_file.empty()) {
    throw InputError(Text("--restart: the scene comes from the checkpoint, but ",
                          command.scene_file, " is given too; expected changes as --key value"));
  }
}

}  // namespace

CommandLine ParseCommandLine(int argc, const char* const* argv) {
  const std::vector<std::string> arguments(argv + (argc > 0 ? 1 : 0), argv + argc);
  CommandLine command;
  std::set<std::string> seen;
  for (const auto& [name, value] :
       SplitArguments(arguments, DeclareOptions(arguments),
                      "keys of the scene are given as --section.key value")) {
    if (name.empty()) {
      SetScene(value, command);
      continue;
    }
    if (!seen.insert(name).second) throw InputError(Text("--", name, ": is given twice"));
    for (const ProgramOption& option : ProgramOptions()) {
      if (option.name == name && option.action) command.action = *option.action;
    }
    if (name == "ranks") command.check_ranks = ReadRanks(value);
    if (name == "quiet") command.quiet = true;
    if (name == "restart") command.restart = value;
    if (name == "allow-changes") command.allow_changes = true;
    if (name == "max-wall-time") command.max_wall_time = ReadWallTime(value);
    if (name == "overwrite") {
      command.overrides.push_back({"output", "overwrite", "yes", "--overwrite"});
    }
    if (name.find('.') != name.npos) {
      command.overrides.push_back(MakeOverride(name, value));
    }
  }
  const bool needs_scene = command.action == Action::kRun || command.action == Action::kCheck ||
                           command.action == Action::kPrintConfig;
  CheckRanks(command);
  CheckRestart(command);
  if (needs_scene && command.scene_file.empty() && command.restart.empty()) {
    throw InputError(
        "no scene is given; expected scree-run SCENE.ini [--key value ...], see --help");
  }
  return command;
}

RunConfig ConfigureRestart(const CommandLine& command, const RunConfig& before,
                           const std::string& directory, const std::string& path, std::int64_t step,
                           const SceneFiles& files) {
  std::vector<IniEntry> overrides = command.overrides;
  const bool has_directory = std::any_of(
      overrides.begin(), overrides.end(),
      [](const IniEntry& entry) { return entry.section == "output" && entry.key == "directory"; });
  if (!has_directory && directory.empty()) {
    throw InputError(
        Text("'", path, "' is not in an output directory; expected --output.directory"));
  }
  if (!has_directory) overrides.push_back({"output", "directory", directory, "--restart"});
  return ApplyRestartChanges(before, overrides, path, step, command.allow_changes, files);
}

std::string HelpText() {
  std::string help =
      "scree-run SCENE.ini [--key value ...]\n"
      "scree-run --restart DIR_OR_FILE [--key value ...]\n\n"
      "Runs a scene of spheres, clumps or polyhedra. Every key of the scene can be given on\n"
      "the command line by its full name and then overrides the file: --time.end \"20 ms\"\n"
      "--wall.piston.velocity=\"2 0 0 m/s\"\n"
      "--SECTION.KEY unset removes a key of the file; --wall.NEW.shape adds a wall.\n\n";
  help += "Options:\n" + OptionHelp();
  help +=
      "\nTo stop a run after its current step with a checkpoint (exit code 75), send a rank\n"
      "SIGUSR1, SIGUSR2, SIGXCPU, SIGTERM, SIGINT or SIGHUP, or send mpirun SIGUSR1 or SIGUSR2.\n";
  help +=
      "\nKeys of a scene. Quantities are numbers with a unit (\"0.94 mm\", \"15 6.5 2 cm\");\n"
      "without one they are in the SI unit shown.\n";
  return help + KeyHelp();
}

}  // namespace scree
