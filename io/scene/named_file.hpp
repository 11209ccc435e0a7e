/// \file  Finds the files that a scene names.
#pragma once

#include <filesystem>
#include <string>

#include "io/files/file_exists.hpp"

namespace scree {

/// Path of a file: as given, or relative to the scene file's folder if it exists only there.
/// Without a scene file (""), as given.
inline std::string FindInSceneFolder(const std::string& scene_file, const std::string& file) {
  const std::filesystem::path path = file;
  if (file.empty() || scene_file.empty() || path.is_absolute() || FileExists(path)) return file;
  const std::filesystem::path in_folder = std::filesystem::path(scene_file).parent_path() / path;
  return FileExists(in_folder) ? in_folder.string() : file;
}

/// Path of a file: as given or, if the file exists only there, relative to the folder of another
/// file or to a folder above that folder. This finds the files of most runs that are continued from
/// another working directory, because a run is usually started in a folder above its output.
inline std::string FindInParentFolders(const std::string& other, const std::string& file) {
  const std::filesystem::path path = file;
  if (path.is_absolute() || FileExists(path)) return file;
  std::filesystem::path folder = std::filesystem::absolute(other).lexically_normal();
  while (folder.has_relative_path()) {
    folder = folder.parent_path();
    if (FileExists(folder / path)) return folder / path;
  }
  return file;
}

}  // namespace scree
