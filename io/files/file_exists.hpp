/// \file  Whether a file exists, for callers that open it next and report errors then.
#pragma once

#include <filesystem>
#include <system_error>

namespace scree {

/// Also false if this cannot be found out: the name is too long, or a folder may not be entered.
inline bool FileExists(const std::filesystem::path& path) {
  std::error_code unreachable;
  return std::filesystem::exists(path, unreachable);
}

}  // namespace scree
