/// \file  Whether a file exists, for callers that then open it and report errors.
#pragma once

#include <filesystem>
#include <system_error>

namespace scree {

/// Whether a file with this name exists. Also false if the name is too long or a folder is not
/// accessible.
inline bool FileExists(const std::filesystem::path& path) {
  std::error_code ignored;
  return std::filesystem::exists(path, ignored);
}

}  // namespace scree
