/// \file  Describes a snapshot or checkpoint in words.
#pragma once

#include <string>

namespace scree {

struct FileInfo {
  std::string text;           // a line per quantity, without the configuration
  std::string configuration;  // as the text of a scene file
  bool is_damaged = false;    // the stored digest differs from that of the file
};

/// Describes a snapshot or checkpoint. Call this on one rank.
/// @throws FileError if the file is missing, too damaged to be opened, or of another kind
FileInfo DescribeFile(const std::string& path);

}  // namespace scree
