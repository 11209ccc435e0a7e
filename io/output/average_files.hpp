/// \file  Writes the averages of a run as CSV tables.
#pragma once

#include <string>

#include "engine/observation/averages.hpp"
#include "engine/ranks/communicator.hpp"
#include "engine/scene/wall_motion.hpp"

namespace scree {

/// Whether the run is long enough for the average to have a frame (fields) or a step (flows).
bool HasSamples(const AverageSpec& spec);

/// The table of one average: `# ` lines with quantity, region and times, then a row of names, then
/// the data. A grid has one row per cell (and kind and time interval, if the average has these). A
/// plane has one row (per time interval, if the average has these). Means over no particles are
/// empty. Collective.
/// @param sums        of all ranks, with at least one frame or step
/// @param free_walls  the current states; also used for earlier frames
std::string AverageText(const Communicator& communicator, const AverageSpec& spec,
                        const AverageSums& sums, const Scene& scene, double dt,
                        FreeWallStates free_walls = {});

/// Writes a file for each average that has data, and replaces an older one. Collective.
/// @param directory   of the output
/// @param free_walls  as in AverageText
/// @throws OutputError on all ranks
void WriteAverages(const Communicator& communicator, const std::string& directory,
                   const Averages& averages, double dt, FreeWallStates free_walls = {});

}  // namespace scree
