/// \file  A grid of vectors as the value of a key: x_mm 0 1 ..., y_mm ..., z_mm ..., vx_m/s 0 1 ...
#pragma once

#include <string>

#include "engine/scene/vector_grid.hpp"
#include "io/configuration/units.hpp"

namespace scree {

/// Columns x, y, z of the places and any of three of the values: of "v" these are vx, vy, vz. A row
/// for each point, in any order.
/// @throws InputError if the text is no such grid
VectorGrid VectorGridOf(const std::string& text, const std::string& name,
                        const Dimension& of_values);

/// The text that VectorGridOf takes, in SI; empty for an empty grid.
std::string TextOf(const VectorGrid& grid, const std::string& name, const Dimension& of_values);

/// Whether a column of the text is a component of this name.
bool HasComponent(const std::string& text, const std::string& name);

}  // namespace scree
