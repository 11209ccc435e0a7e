/// \file  Fills the meshes of a scene from their files.
#pragma once

#include <string>

#include "engine/ranks/communicator.hpp"
#include "engine/scene/scene.hpp"

namespace scree {

/// Loads the surface of every Mesh; root reads, all build the same. A file that is not there is
/// looked for beside the scene too, and Mesh::file then tells where it was. Collective.
/// @param scene_file  "" for none
/// @throws FileError on all ranks if a file is missing or damaged, or its surface is none that
///         particles can touch
/// @throws InputError on all ranks if a mesh lies outside the domain
void LoadMeshes(const Communicator& communicator, const std::string& scene_file, Scene& scene);

}  // namespace scree
