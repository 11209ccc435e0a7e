#include "io/configuration/scene_file.hpp"

#include "io/configuration/config_reader.hpp"
#include "io/configuration/ini_file.hpp"
#include "io/configuration/mesh_files.hpp"

namespace scree {

RunConfig ReadRunConfig(const Communicator& communicator, const std::string& path) {
  RunConfig config = ReadRunConfig(ReadSceneFile(communicator, path), path, {});
  LoadMeshes(communicator, path, config.scene);
  return config;
}

}  // namespace scree
