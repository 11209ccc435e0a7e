/// \file  Whether a file is there, for those who open it next and then say what is wrong.
#pragma once

#include <filesystem>
#include <string>
#include <system_error>

namespace scree {

/// False also for what cannot be looked at: too long a name, a folder that may not be entered.
inline bool FileExists(const std::filesystem::path& path) {
  std::error_code unreachable;
  return std::filesystem::exists(path, unreachable);
}

/// A file that a scene names: as it is, or beside the scene file if it is only there. Without a
/// scene file ("") as it is.
inline std::string FoundBeside(const std::string& scene_file, const std::string& file) {
  const std::filesystem::path path = file;
  if (scene_file.empty() || path.is_absolute() || FileExists(path)) return file;
  const std::filesystem::path beside = std::filesystem::path(scene_file).parent_path() / path;
  return FileExists(beside) ? beside.string() : file;
}

}  // namespace scree
