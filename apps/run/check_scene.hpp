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

/// One sentence for each pair of a link and a wall, or of two links, that overlap at the start; the
/// first few pairs only.
std::vector<std::string> AdviceOnLinks(const Scene& scene);

/// The quantities and the advice, as lines that begin with "# ".
std::string StatisticsLines(const RunConfig& config, const SceneStatistics& statistics);

/// Builds the scene without running it. To the output directory it writes only `check_walls.vtk`
/// and, if there are shapes, `check_shapes.vtk`. Collective.
/// @param ranks  number of ranks for which to estimate; 0: the ranks of this program
/// @returns the quantities and the advice
/// @throws InputError, FileError, SimulationError, OutputError on all ranks, as a run would
std::string CheckScene(const Communicator& communicator, const RunConfig& config, int ranks = 0);

}  // namespace scree
