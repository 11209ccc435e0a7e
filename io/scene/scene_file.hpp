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

/// The source of a configuration.
struct ConfigSource {
  std::string scene_file = {};  // "" for none
  std::string checkpoint =
      {};  // path, instead of a scene; files may also be in its folder or in a folder above it
  std::vector<InputDigest> inputs = {};  // of the checkpoint; the files must not have changed
};

/// Loads the surface of every Mesh and the digest of its file, and sets the masses of links with a
/// density. Root reads the files, and all ranks build the same surfaces. A missing file is also
/// searched for in the folder of the scene; Mesh::file is then the path found. Collective.
/// @returns a sentence for each change of a mesh, such as removed degenerate triangles
/// @throws FileError on all ranks if a file is missing, damaged, or different from the one that the
/// checkpoint records, or if particles cannot touch its surface. The message has the line of the
/// scene that names the file
/// @throws InputError on all ranks if a mesh lies outside the domain, or if the mass of a link
/// cannot be computed from its density
std::vector<std::string> LoadMeshes(const Communicator& communicator, const ConfigSource& source,
                                    RunConfig& config);

/// Loads the meshes that a scene names, and finds the file of its initial particles, in the working
/// directory or in the folder of the scene. The configuration then holds the paths found.
/// Collective.
/// @returns, @throws  as LoadMeshes
std::vector<std::string> FindFiles(const Communicator& communicator, const ConfigSource& source,
                                   RunConfig& config);

/// Reads the configuration of a run with all files that the scene names. Collective.
/// @throws InputError on all ranks with all errors, one per line
/// @throws FileError on all ranks if a file is missing or damaged
RunConfig ReadRunConfig(const Communicator& communicator, const std::string& path);

}  // namespace scree
