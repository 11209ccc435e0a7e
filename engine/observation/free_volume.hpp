/// \file  The fraction of each grid cell that is not inside walls.
#pragma once

#include <cstdint>
#include <vector>

#include "engine/observation/field_average.hpp"
#include "engine/ranks/communicator.hpp"
#include "engine/scene/scene.hpp"
#include "engine/scene/wall_motion.hpp"

namespace scree {

/// Frames at equal intervals.
struct FrameSequence {
  std::int64_t first = 0;     // step
  std::int64_t interval = 1;  // steps
  std::int64_t count = 1;     // ≥ 1
};

/// Fraction of each cell's volume that is outside all solid walls, averaged over these frames.
/// Sheets have no volume, even if they enclose a space. Collective.
///
/// Frames with nearly the same poses of walls are evaluated once, with their number as weight.
/// Boxes that a surface may cross are bisected, and the surface counts as flat in the smallest
/// boxes. The error is below 1e-3 for walls at rest or on a path of a few cells, and below 3e-3 on
/// longer paths and, if there are many poses and cells, in a cell that contains a whole thin wall.
/// Several walls with independent motions have more poses than are evaluated, so their error may be
/// larger.
/// @param frames      at the beginnings of these steps the walls are evaluated
/// @param free_walls  states of the free walls, used for all frames
std::vector<double> FreeCellFractions(const Communicator& communicator, const FieldGrid& grid,
                                      const Scene& scene, double dt, const FrameSequence& frames,
                                      FreeWallStates free_walls = {});

}  // namespace scree
