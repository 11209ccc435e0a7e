/// \file  Runs a scene from its first state, or from a checkpoint, to its end.
#pragma once

#include <chrono>
#include <optional>

#include "apps/run/restart.hpp"
#include "engine/ranks/communicator.hpp"
#include "io/output/run_log.hpp"
#include "io/scene/run_config.hpp"

namespace scree {

/// Options of a run besides the configuration.
struct RunOptions {
  using Clock = std::chrono::steady_clock;

  RunLog::Echo echo = RunLog::Echo::kLines;
  Clock::time_point started = Clock::now();  // when the program began
  std::optional<double> max_wall_time;  // wall-clock time since `started` after which to stop [s]
  std::optional<Restart> restart;       // none: start from the first state
};

enum class RunEnd {
  kDone,
  kStopped  // stopped early on request, after it wrote a checkpoint
};

/// Runs the scene and writes its output directory. Collective.
/// @throws InputError, FileError, SimulationError, OutputError on all ranks; if the simulation
///         became invalid, its last state is written first
RunEnd RunScene(const Communicator& communicator, const RunConfig& config,
                const RunOptions& options);

}  // namespace scree
