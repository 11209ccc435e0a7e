/// \file  Prints results on standard output, which may be a file on a full disk.
#pragma once

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <string>

#include "solvers/base/check.hpp"

namespace scree {

/// @throws OutputError if the text could not be written completely
inline void PrintResult(const std::string& text) {
  errno = 0;
  const bool is_written = std::fwrite(text.data(), 1, text.size(), stdout) == text.size();
  if (is_written && std::fflush(stdout) == 0) return;
  throw OutputError(Text("standard output cannot be written (", std::strerror(errno), ")"));
}

}  // namespace scree
