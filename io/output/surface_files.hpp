/// \file  The walls of the scene as triangles, to be displayed with the particles.
#pragma once

#include <string>

#include "engine/scene/scene.hpp"

namespace scree {

/// Number of sides of the polygons that replace circles in the drawn walls.
int CircleSides(const Scene& scene);

/// The walls at time zero as a legacy VTK file of triangles. Its cell data are `wall`, the row in
/// Scene::walls, and `part`, the row of the part in the shape of the wall. Planes are clipped to
/// the domain's box, and omitted if they miss it. All parts of a union are drawn completely,
/// including hidden faces. Write it with ReplaceFile.
std::string WallsAsVtk(const Scene& scene);

}  // namespace scree
