/// \file  Points and triangles from PLY files.
#pragma once

#include <string_view>
#include <vector>

#include "engine/geometry/triangle_tree.hpp"

namespace scree {

inline bool IsPlyName(std::string_view path) {
  return path.ends_with(".ply") || path.ends_with(".PLY");
}

struct PlyContent {
  std::vector<Vec3> points;  // in the file's unit
  std::vector<Triangle>
      triangles;  // a face of more corners is cut into a fan; empty: there are none
};

/// ASCII or binary little endian, of which x, y, z of the vertices and the corners of the faces are
/// taken (G. Turk, The PLY Polygon File Format, 1994).
/// @throws InputError if the file is damaged: what and where
PlyContent ReadPly(std::string_view bytes);

}  // namespace scree
