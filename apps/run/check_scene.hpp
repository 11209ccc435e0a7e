/// \file  scree-run --check: describes a scene and its cost and gives advice, without running it.
#pragma once

#include <string>
#include <vector>

#include "apps/run/scene_statistics.hpp"
#include "engine/ranks/communicator.hpp"
#include "io/scene/run_config.hpp"

namespace scree {

/// One sentence for each quantity that the user should reconsider; empty if there is none.
std::vector<std::string> AdviceOn(const RunConfig& config, const SceneStatistics& statistics);

/// One sentence for each of the first few pairs of a link and the wall or link that it starts in.
std::vector<std::string> AdviceOnLinks(const Scene& scene);

/// The quantities and the advice, as lines that begin with "# ".
std::string StatisticsLines(const RunConfig& config, const SceneStatistics& statistics);

/// Builds the scene without running it. Writes only `check_walls.vtk`, the walls, to the output
/// directory. Collective.
/// @param ranks  number of ranks to estimate for, which may differ from the running ones; 0: the
///               running ones
/// @returns the quantities and the advice
/// @throws InputError, FileError, SimulationError, OutputError on all ranks, as a run would
std::string CheckScene(const Communicator& communicator, const RunConfig& config, int ranks = 0);

}  // namespace scree
