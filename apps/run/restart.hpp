/// \file  Finds the checkpoint from which --restart continues, and its configuration.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "engine/ranks/communicator.hpp"
#include "io/command_line/program_options.hpp"
#include "io/scene/run_config.hpp"

namespace scree {

struct Restart {
  std::string path;                   // path of the checkpoint
  bool in_place = true;               // whether the run continues in the checkpoint's directory
  bool is_at_end = false;             // the run is complete: there is nothing to do
  std::size_t walls = 0, rains = 0;   // counts in the checkpoint's scene; new ones follow them
  std::vector<InputDigest> inputs;    // digests of the files of the checkpoint's scene
  std::vector<std::string> messages;  // messages for the user; the same on all ranks
};

/// Finds and checks the checkpoint, and makes the configuration of the continued run. Collective.
/// @param restart  set by this function
/// @throws FileError on all ranks if there is no valid checkpoint, or if the last run in its
///         directory had another scene
/// @throws InputError on all ranks if the configuration is wrong or changes a key that a restart
///         cannot change
RunConfig PlanRestart(const Communicator& communicator, const CommandLine& command,
                      Restart& restart);

}  // namespace scree
