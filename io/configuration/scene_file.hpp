/// \file  A scene file as a whole: text, tables and meshes.
#pragma once

#include <string>
#include <vector>

#include "engine/ranks/communicator.hpp"
#include "io/configuration/mesh_files.hpp"
#include "io/configuration/run_config.hpp"

namespace scree {

/// Loads the meshes that a scene names, and finds the file with its first particles: from the
/// working directory, or beside the scene. The configuration then tells where they were.
/// Collective.
/// @returns, @throws  as LoadMeshes (mesh_files)
std::vector<std::string> FindFiles(const Communicator& communicator, const ConfigSource& source,
                                   RunConfig& config);

/// The configuration of a run with everything that its scene names. Collective.
/// @throws InputError on all ranks with everything found wrong, a line each
/// @throws FileError on all ranks if a file is missing or damaged
RunConfig ReadRunConfig(const Communicator& communicator, const std::string& path);

}  // namespace scree
