#include "io/configuration/scene_file.hpp"

#include "io/configuration/config_reader.hpp"
#include "io/configuration/ini_file.hpp"
#include "io/configuration/mesh_files.hpp"
#include "io/configuration/named_file.hpp"

namespace scree {

std::vector<std::string> FindFiles(const Communicator& communicator, const ConfigSource& source,
                                   RunConfig& config) {
  // Root's look at the file system counts for all.
  if (communicator.IsRoot())
    config.initial.file = FoundBeside(source.scene_file, config.initial.file);
  config.initial.file = communicator.Broadcast(config.initial.file);
  return LoadMeshes(communicator, source, config);
}

RunConfig ReadRunConfig(const Communicator& communicator, const std::string& path) {
  RunConfig config = ReadRunConfig(ReadSceneFile(communicator, path), path, {},
                                   ParticlesFrom::kScene, {communicator, path});
  FindFiles(communicator, {.scene_file = path}, config);
  return config;
}

}  // namespace scree
