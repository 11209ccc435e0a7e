/// \file  A scene file as a whole: text, tables and meshes.
#pragma once

#include <string>
#include <vector>

#include "engine/ranks/communicator.hpp"
#include "engine/scene/scene.hpp"
#include "io/scene/run_config.hpp"

namespace scree {

/// The key that names the file of a wall's mesh.
std::string MeshKey(const Wall& wall);

/// Where a configuration is from.
struct ConfigSource {
  std::string scene_file = {};  // "" for none
  std::string checkpoint = {};  // instead: files are looked for in its folder and those above, too
  std::vector<InputDigest> inputs = {};  // of the checkpoint, which must not have changed
};

/// Loads the surface of every Mesh and finds the digests of the files; root reads, all build the
/// same. A file that is not there is looked for beside the scene too, and Mesh::file then tells
/// where it was. Collective.
/// @returns what was changed about meshes, a sentence each, such as degenerate triangles left out
/// @throws FileError on all ranks if a file is missing or damaged, holds something else than the
///         checkpoint says, or its surface is none that particles can touch, with the line of the
///         scene that names it
/// @throws InputError on all ranks if a mesh lies outside the domain
std::vector<std::string> LoadMeshes(const Communicator& communicator, const ConfigSource& source,
                                    RunConfig& config);

/// Loads the meshes that a scene names, and finds the file with its first particles: from the
/// working directory, or beside the scene. The configuration then tells where they were.
/// Collective.
/// @returns, @throws  as LoadMeshes
std::vector<std::string> FindFiles(const Communicator& communicator, const ConfigSource& source,
                                   RunConfig& config);

/// The configuration of a run with everything that its scene names. Collective.
/// @throws InputError on all ranks with everything found wrong, a line each
/// @throws FileError on all ranks if a file is missing or damaged
RunConfig ReadRunConfig(const Communicator& communicator, const std::string& path);

}  // namespace scree
