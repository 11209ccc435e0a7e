/// \file  Triangles from Wavefront OBJ files.
#pragma once

#include <string_view>
#include <vector>

#include "engine/geometry/triangle_tree.hpp"

namespace scree {

inline bool IsObjName(std::string_view path) {
  return path.ends_with(".obj") || path.ends_with(".OBJ");
}

/// The triangles in the file's unit, of its vertices `v` and faces `f`; a face of more corners is
/// cut into a fan. All else, as normals, textures and groups, is left out.
/// @throws InputError if the file is damaged: what and where
std::vector<Triangle> ReadObj(std::string_view text);

}  // namespace scree
