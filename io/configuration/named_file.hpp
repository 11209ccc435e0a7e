/// \file  Where a file is that a scene names.
#pragma once

#include <filesystem>
#include <string>

#include "io/files/file_exists.hpp"

namespace scree {

/// The file as it is, or beside the scene file if it is only there. Without a scene file ("") as it
/// is.
inline std::string FoundBeside(const std::string& scene_file, const std::string& file) {
  const std::filesystem::path path = file;
  if (scene_file.empty() || path.is_absolute() || FileExists(path)) return file;
  const std::filesystem::path beside = std::filesystem::path(scene_file).parent_path() / path;
  return FileExists(beside) ? beside.string() : file;
}

}  // namespace scree
