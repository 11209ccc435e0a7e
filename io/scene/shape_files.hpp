/// \file  Solids from files of their surface.
#pragma once

#include <string>
#include <vector>

#include "solvers/base/types.hpp"

namespace scree {

struct SolidInFile {
  std::vector<Vec3> vertices;  // of the hull, in the file's unit
  double added = 0.0;          // by the hull to the volume of the surface, as a share of that
};

/// Triangles that fold back onto their neighbours are not found; other crossings are.
/// @param path  .stl or .obj of a closed surface
/// @throws FileError  if the surface is open, crosses itself or lies in a plane, if a number is not
///                    finite, if there are more than 10 000 points, or more vertices of the hull
///                    than a shape may have
SolidInFile ReadSolid(const std::string& path);

}  // namespace scree
