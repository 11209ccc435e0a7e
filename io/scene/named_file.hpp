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
  if (file.empty() || scene_file.empty() || path.is_absolute() || FileExists(path)) return file;
  const std::filesystem::path beside = std::filesystem::path(scene_file).parent_path() / path;
  return FileExists(beside) ? beside.string() : file;
}

/// The file as it is, or, if it is only there, from the folder of another file or one above that:
/// a run that is gone on with elsewhere was mostly begun in a folder above its output.
inline std::string FoundAbove(const std::string& other, const std::string& file) {
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
