/// \file  Triangles from STL files, binary or ASCII.
#pragma once

#include <string_view>
#include <vector>

#include "engine/geometry/triangle_tree.hpp"

namespace scree {

/// Reads the triangles in the file's unit. Normals in the file are ignored: the order of the
/// corners defines the side that a triangle faces.
/// @throws InputError naming the error and its position if the file is truncated or damaged
std::vector<Triangle> ReadStl(std::string_view bytes);

}  // namespace scree
