/// \file  Averages taken during a run, as CSV tables.
#pragma once

#include <string>

#include "engine/observation/averages.hpp"
#include "engine/ranks/communicator.hpp"
#include "engine/scene/wall_motion.hpp"

namespace scree {

/// True if the run's length lets the average have a frame (fields) or a step (flows).
bool HasWindow(const AverageSpec& spec);

/// The table of one average: what, where and when as `# ` lines, a row of names, then a row per
/// cell, for each kind and each interval of time if asked for, or the one row of a plane. Means
/// over no particles are left empty. Collective.
/// @param sums        of all ranks, with at least one frame or step
/// @param free_walls  now; frames before are taken as if they had been there
std::string AverageText(const Communicator& communicator, const AverageSpec& spec,
                        const AverageSums& sums, const Scene& scene, double dt,
                        FreeWallStates free_walls = {});

/// Writes a file for each average that has anything to tell, in place of an older one. Collective.
/// @param directory   of the output
/// @param free_walls  as above
/// @throws OutputError on all ranks
void WriteAverages(const Communicator& communicator, const std::string& directory,
                   const Averages& averages, double dt, FreeWallStates free_walls = {});

}  // namespace scree
