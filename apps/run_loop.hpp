/// \file  A run from its first state to its end: steps, output, messages.
#pragma once

#include "engine/communicator.hpp"
#include "io/run_config.hpp"
#include "io/run_log.hpp"

namespace scree {

/// Runs the scene and writes its output directory. Collective.
/// @throws InputError, FileError, SimulationError, OutputError on all ranks alike; when the
///         simulation became invalid, its last state is written first
void RunScene(const Communicator& communicator, const RunConfig& config, RunLog::Echo echo);

}  // namespace scree
