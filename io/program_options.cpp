#include "io/program_options.hpp"

#include <algorithm>
#include <boost/program_options.hpp>
#include <set>

#include "io/config_keys.hpp"
#include "io/config_reader.hpp"
#include "io/split_arguments.hpp"
#include "io/units.hpp"
#include "solvers/check.hpp"

namespace scree {
namespace {

namespace po = boost::program_options;

po::options_description Switches() {
  po::options_description switches("Options");
  switches.add_options()("help", "print this text")("list-keys", "print all keys of a scene")(
      "print-config", "print the effective configuration and stop")(
      "check", "build the scene, print its figures with advice, write its walls, and stop")(
      "version", "print the version and how it was built")("quiet", "no progress lines")(
      "overwrite", "short for --output.overwrite yes")(
      "restart", po::value<std::string>(),
      "go on from the last checkpoint of an output directory, or from a checkpoint")(
      "allow-changes", "let a restart change the physics")(
      "max-wall-time", po::value<std::string>(),
      "write a checkpoint and stop with exit code 75 after this time, such as \"3.5 h\"");
  return switches;
}

/// Boost must know each option to find its value; keys hold names that only the scene gives, so the
/// options are declared as they are met.
po::options_description DeclaredAsMet(const std::vector<std::string>& arguments) {
  po::options_description options;
  std::set<std::string> seen;
  for (const std::string& argument : arguments) {
    if (argument.starts_with("--") && argument.find('.') < argument.find('=')) {
      const std::string name = argument.substr(2, argument.find('=') - 2);
      if (seen.insert(name).second) {
        options.add_options()(name.c_str(), po::value<std::string>());
      }
    }
  }
  options.add_options()("scene-file", po::value<std::string>());
  return options.add(Switches());
}

std::vector<po::option> Split(const std::vector<std::string>& arguments) {
  const po::options_description options = DeclaredAsMet(arguments);
  po::positional_options_description positional;
  positional.add("scene-file", -1);
  return SplitArguments(arguments, options, "keys of the scene are given as --section.key value",
                        &positional);
}

/// "wall.piston.velocity" is the key "velocity" of [wall.piston].
IniEntry Override(const std::string& name, const std::string& value) {
  const std::size_t dot = name.rfind('.');
  return {name.substr(0, dot), name.substr(dot + 1), value, "--" + name};
}

void SetScene(const std::string& file, CommandLine& command) {
  if (file.starts_with("-")) throw InputError(Text(file, ": unknown option; see --help"));
  if (!command.scene_file.empty()) {
    throw InputError(Text("two scenes are given, ", command.scene_file, " and ", file,
                          "; expected one (values with blanks need quotes)"));
  }
  command.scene_file = file;
}

double WallTime(const std::string& text) {
  try {
    const double seconds = ReadQuantities(text, 1, kTime).front();
    if (seconds > 0.0) return seconds;
  } catch (const InputError&) {
    // told below
  }
  throw InputError(Text("--max-wall-time: \"", text, "\": expected a time > 0 such as \"3.5 h\""));
}

void CheckRestart(const CommandLine& command) {
  if (command.restart.empty()) {
    if (command.allow_changes) throw InputError("--allow-changes: is for --restart only");
    return;
  }
  if (command.action == Action::kCheck) {
    throw InputError("--check: looks at a scene before it runs, not at a --restart");
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
  for (const po::option& option : Split(arguments)) {
    const std::string& name = option.string_key;
    if (name == "scene-file") {
      SetScene(option.value.at(0), command);
      continue;
    }
    if (!seen.insert(name).second) throw InputError(Text("--", name, ": is given twice"));
    if (name == "help") command.action = Action::kHelp;
    if (name == "list-keys") command.action = Action::kListKeys;
    if (name == "print-config") command.action = Action::kPrintConfig;
    if (name == "check") command.action = Action::kCheck;
    if (name == "version") command.action = Action::kVersion;
    if (name == "quiet") command.quiet = true;
    if (name == "restart") command.restart = option.value.at(0);
    if (name == "allow-changes") command.allow_changes = true;
    if (name == "max-wall-time") command.most_wall = WallTime(option.value.at(0));
    if (name == "overwrite") {
      command.overrides.push_back({"output", "overwrite", "yes", "--overwrite"});
    }
    if (name.find('.') != name.npos) {
      command.overrides.push_back(Override(name, option.value.at(0)));
    }
  }
  const bool needs_scene = command.action == Action::kRun || command.action == Action::kCheck ||
                           command.action == Action::kPrintConfig;
  CheckRestart(command);
  if (needs_scene && command.scene_file.empty() && command.restart.empty()) {
    throw InputError(
        "no scene is given; expected scree-run SCENE.ini [--key value ...], see --help");
  }
  return command;
}

Invocation Configure(const CommandLine& command, std::string_view scene_text) {
  Invocation invocation{command, ReadRunConfig(scene_text, command.scene_file, command.overrides),
                        ""};
  invocation.effective_config = EffectiveIni(invocation.config);
  return invocation;
}

Invocation ConfigureRestart(const CommandLine& command, const std::string& stored,
                            const std::string& directory, const std::string& path) {
  std::vector<IniEntry> overrides = command.overrides;
  const bool is_given = std::any_of(overrides.begin(), overrides.end(), [](const IniEntry& entry) {
    return entry.section == "output" && entry.key == "directory";
  });
  if (!is_given && directory.empty()) {
    throw InputError(Text("'", path, "' lies in no output directory; expected --output.directory"));
  }
  if (!is_given) overrides.push_back({"output", "directory", directory, "--restart"});
  Invocation invocation{command, ReadRunConfig(stored, path, overrides), ""};
  invocation.effective_config = EffectiveIni(invocation.config);
  return invocation;
}

std::string HelpText() {
  std::string help =
      "scree-run SCENE.ini [--key value ...]\n"
      "scree-run --restart DIR_OR_FILE [--key value ...]\n\n"
      "Runs a scene of rigid spheres. Every key of the scene can be given on the command line by "
      "its\n"
      "full name and then wins over the file: --time.end \"20 ms\" --wall.piston.velocity=\"2 0 0 "
      "m/s\"\n\n";
  help += Text(Switches());
  help +=
      "\nKeys of a scene. Quantities are numbers with a unit (\"0.94 mm\", \"15 6.5 2 cm\"); "
      "without\n"
      "one they are in the SI unit shown.\n";
  return help + KeyHelp();
}

}  // namespace scree
