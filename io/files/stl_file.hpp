/// \file  Triangles from STL files, binary or ASCII.
#pragma once

#include <string_view>
#include <vector>

#include "engine/geometry/triangle_tree.hpp"

namespace scree {

/// The triangles in the file's unit. Normals in the file are not used: the order of the corners
/// says where a triangle faces.
/// @throws InputError if the file is truncated or damaged: what and where
std::vector<Triangle> ReadStl(std::string_view bytes);

}  // namespace scree
