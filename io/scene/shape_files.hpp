/// \file  Solids from files of their surface.
#pragma once

#include <string>
#include <vector>

#include "solvers/base/types.hpp"

namespace scree {

struct SolidInFile {
  std::vector<Vec3> vertices;  // of the hull, in the file's unit
  double added_volume = 0.0;   // volume that the hull adds, relative to that of the solid
};

/// Reads a solid and checks its surface. Crossings of triangles are found, except for triangles
/// that fold back onto a neighbour.
/// @param path  .stl or .obj with a closed surface
/// @throws FileError  if the surface is open, crosses itself or lies in a plane, a number is
///                    not finite, there are more than 10 000 points, or the hull has more vertices
///                    than a shape may have
SolidInFile ReadSolid(const std::string& path);

}  // namespace scree
