/// \file  The command line of scree-run. The only place that knows Boost.Program_options.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "io/ini_file.hpp"
#include "io/run_config.hpp"

namespace scree {

enum class Action { kRun, kHelp, kListKeys, kPrintConfig, kCheck, kVersion };

struct CommandLine {
  Action action = Action::kRun;
  std::string scene_file;           // empty if the action needs none
  std::vector<IniEntry> overrides;  // --section.key value
  bool quiet = false;
};

/// What to do, with all that it takes.
struct Invocation {
  CommandLine command;
  RunConfig config;
  std::string effective_config;  // EffectiveIni of config
};

/// @throws InputError naming the option that is wrong.
CommandLine ParseCommandLine(int argc, const char* const* argv);

/// @param scene_text  of command.scene_file, as ReadSceneFile gave it on one rank
/// @throws InputError with everything wrong in the scene and the options.
Invocation Configure(const CommandLine& command, std::string_view scene_text);

/// What --help prints.
std::string HelpText();

}  // namespace scree
