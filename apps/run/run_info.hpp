/// \file  Describes a run in words: the scene, the progress and the output.
#pragma once

#include <string>

namespace scree {

/// Looks into an output directory; nothing in it has to be complete. One rank.
/// @returns a line per quantity, "name:  what"
/// @throws FileError if no run wrote there, or its files cannot be read
std::string DescribeRun(const std::string& directory);

}  // namespace scree
