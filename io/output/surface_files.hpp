/// \file  The scene's walls as triangles, for a look beside the particles.
#pragma once

#include <string>

#include "engine/scene/scene.hpp"

namespace scree {

/// Sides of the circles in all that shows these walls.
int CircleSides(const Scene& scene);

/// The walls at time zero as a legacy VTK file of triangles with the cell data `wall`, the row of
/// Scene::walls, and `part`, the row of its shape's parts. Planes are cut at the domain's box and
/// vanish where they miss it; of a union all parts are drawn whole, hidden faces included. To be
/// written by ReplaceFile.
std::string WallsAsVtk(const Scene& scene);

}  // namespace scree
