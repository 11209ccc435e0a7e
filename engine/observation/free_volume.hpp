/// \file  The fraction of each grid cell that is not inside walls.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "engine/observation/field_average.hpp"
#include "engine/ranks/communicator.hpp"
#include "engine/scene/scene.hpp"
#include "engine/scene/wall_motion.hpp"

namespace scree {

/// Fraction of each cell's volume that is outside all solid walls, averaged over these steps. Boxes
/// that a surface may cross are bisected, and the surface counts as flat in the smallest boxes. The
/// error is below 1e-3. Sheets have no volume, even if they enclose a space. Collective.
/// @param steps       steps at whose beginning the walls are evaluated, at least one
/// @param free_walls  states of the free walls, used for all steps
std::vector<double> FreeCellFractions(const Communicator& communicator, const FieldGrid& grid,
                                      const Scene& scene, double dt,
                                      std::span<const std::int64_t> steps,
                                      FreeWallStates free_walls = {});

}  // namespace scree
