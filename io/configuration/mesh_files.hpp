/// \file  Fills the meshes of a scene from their files.
#pragma once

#include <string>
#include <vector>

#include "engine/ranks/communicator.hpp"
#include "engine/scene/scene.hpp"

namespace scree {

/// Loads the surface of every Mesh; root reads, all build the same. A file that is not there is
/// looked for beside the scene too, and Mesh::file then tells where it was. Collective.
/// @param scene_file  "" for none
/// @returns what was changed about meshes, a sentence each, such as degenerate triangles left out
/// @throws FileError on all ranks if a file is missing or damaged, or its surface is none that
///         particles can touch, with the line of the scene that names it
/// @throws InputError on all ranks if a mesh lies outside the domain
std::vector<std::string> LoadMeshes(const Communicator& communicator, const std::string& scene_file,
                                    Scene& scene);

}  // namespace scree
