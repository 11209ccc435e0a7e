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
  std::string scene_file;           // empty if the action needs none
  std::vector<IniEntry> overrides;  // --section.key value
  int check_ranks = 0;              // number for which --check reports; 0: the current ranks
  bool quiet = false;
  std::string restart;                  // output directory or checkpoint; empty: a new run
  bool allow_changes = false;           // a restart may change the physics
  std::optional<double> max_wall_time;  // wall-clock time after which to stop [s]
};

/// @throws InputError that names the wrong option
CommandLine ParseCommandLine(int argc, const char* const* argv);

/// The configuration of a restart, changed by the options of the command line.
/// @param before     configuration in the checkpoint
/// @param directory  of the output that the checkpoint belongs to; empty: unknown, an option must
/// give it
/// @param path       of the checkpoint, for messages
/// @param step       steps done there
/// @throws InputError with all errors in the options, including changes that a restart must not
/// make
RunConfig ConfigureRestart(const CommandLine& command, const RunConfig& before,
                           const std::string& directory, const std::string& path, std::int64_t step,
                           const SceneFiles& files = {});

/// The text of --help.
std::string HelpText();

}  // namespace scree
