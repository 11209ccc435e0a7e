/// \file  The checkpoint that --restart continues from, and how.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "engine/ranks/communicator.hpp"
#include "io/command_line/program_options.hpp"
#include "io/scene/run_config.hpp"

namespace scree {

struct Restart {
  std::string path;                   // of the checkpoint
  bool in_place = true;               // its output directory is continued, not a new one begun
  bool is_at_end = false;             // the run is complete: there is nothing to do
  std::size_t walls = 0, rains = 0;   // of the checkpoint's scene: new ones come after these
  std::vector<InputDigest> inputs;    // of the files of this scene
  std::vector<std::string> messages;  // what the user should know; the same on all ranks
};

/// Finds and checks the checkpoint and makes the configuration to go on with. Collective.
/// @param restart  filled in
/// @throws FileError on all ranks if there is no good checkpoint, or it is of another
///         scene than the last run in its directory
/// @throws InputError on all ranks if the configuration is wrong or changes what it may not
RunConfig PlanRestart(const Communicator& communicator, const CommandLine& command,
                      Restart& restart);

}  // namespace scree
