/// \file  What a snapshot or checkpoint holds, in words.
#pragma once

#include <string>

namespace scree {

struct FileInfo {
  std::string text;           // a line per figure, without the configuration
  std::string configuration;  // a scene file
  bool damaged = false;       // there is a digest beside it, and it is not the file's
};

/// Looks into a snapshot or checkpoint. One rank.
/// @throws FileError if it is missing, too damaged to be opened, or neither
FileInfo DescribeFile(const std::string& path);

}  // namespace scree
