/// \file  The command line of scree-run.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "io/scene/ini_file.hpp"
#include "io/scene/run_config.hpp"
#include "io/scene/table_files.hpp"

namespace scree {

enum class Action { kRun, kHelp, kListKeys, kPrintConfig, kCheck, kVersion, kSelfTest };

struct CommandLine {
  Action action = Action::kRun;
  std::string scene_file;           // empty: a restart, or the action needs none
  std::vector<IniEntry> overrides;  // --section.key value
  int check_ranks = 0;              // number of ranks for --check; 0: the current number
  bool quiet = false;
  std::string restart;                  // output directory or checkpoint; empty: a new run
  bool allow_changes = false;           // whether a restart may change the physics
  std::optional<double> max_wall_time;  // wall-clock time after which to stop [s]
};

/// @throws InputError that names the wrong option
CommandLine ParseCommandLine(int argc, const char* const* argv);

/// The configuration of a restart, changed by the options of the command line.
/// @param before     configuration in the checkpoint
/// @param directory  output directory of the checkpoint; empty: unknown, so an option must give it
/// @param path       path of the checkpoint, for messages
/// @param step       step of the checkpoint
/// @throws InputError with all errors in the options, including forbidden changes
RunConfig ConfigureRestart(const CommandLine& command, const RunConfig& before,
                           const std::string& directory, const std::string& path, std::int64_t step,
                           const SceneFiles& files = {});

/// The text of --help.
std::string HelpText();

}  // namespace scree
