/// \file  Whether a file is there, for those who open it next and then say what is wrong.
#pragma once

#include <filesystem>
#include <system_error>

namespace scree {

/// False also for what cannot be looked at: too long a name, a folder that may not be entered.
inline bool FileExists(const std::filesystem::path& path) {
  std::error_code unreachable;
  return std::filesystem::exists(path, unreachable);
}

}  // namespace scree
