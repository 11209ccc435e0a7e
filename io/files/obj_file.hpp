/// \file  Triangles from Wavefront OBJ files.
#pragma once

#include <string_view>
#include <vector>

#include "engine/geometry/triangle_tree.hpp"

namespace scree {

inline bool IsObjName(std::string_view path) {
  return path.ends_with(".obj") || path.ends_with(".OBJ");
}

/// Reads the triangles, in the file's unit, from vertices `v` and faces `f`. A face with more than
/// three corners is cut into a fan about one of them. Everything else (normals, textures, groups)
/// is ignored.
/// @throws InputError naming the error and its position if the file is damaged
std::vector<Triangle> ReadObj(std::string_view text);

}  // namespace scree
