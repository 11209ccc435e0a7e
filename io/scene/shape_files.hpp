/// \file  Solids from files of their surface or of points on it.
#pragma once

#include <string>
#include <vector>

#include "solvers/base/types.hpp"

namespace scree {

struct SolidInFile {
  std::vector<Vec3> vertices;  // of the hull, in the file's unit
  double added = 0.0;          // by the hull to the volume of the surface, as a share of that
};

/// Triangles that fold back onto their neighbours are not looked for; other crossings are.
/// @param path  .stl or .obj, whose surface is to be closed, or .ply, whose surface, if it has one
/// @throws FileError  a surface that is open, or crosses itself, points in a plane, numbers that
/// are
///                    not finite, more points than 10 000 or more vertices of the hull than a shape
///                    may have
SolidInFile ReadSolid(const std::string& path);

}  // namespace scree
