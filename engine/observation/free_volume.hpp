/// \file  How much of the cells of a grid is not inside walls.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "engine/observation/field_average.hpp"
#include "engine/ranks/communicator.hpp"
#include "engine/scene/scene.hpp"
#include "engine/scene/wall_motion.hpp"

namespace scree {

/// Share of each cell that lies outside of all solid walls, the mean over these steps, [cells]. By
/// bisection of what a surface may cross, and as if it were flat in what is left: the error is
/// below 1e-3 of a cell. Sheets take no space, whatever they enclose. Collective.
/// @param steps  at whose beginning the walls are looked at, at least one
/// @param free   where free walls are in all of them
std::vector<double> FreeShares(const Communicator& communicator, const FieldGrid& grid,
                               const Scene& scene, double dt, std::span<const std::int64_t> steps,
                               FreeWallStates free = {});

}  // namespace scree
