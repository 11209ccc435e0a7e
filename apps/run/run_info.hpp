/// \file  Describes a run in words: scene, progress and output.
#pragma once

#include <string>

namespace scree {

/// Describes the run in an output directory. The run may be unfinished. Called by one rank.
/// @returns a line per quantity, "name:  value"
/// @throws FileError if the directory has no run, or its files cannot be read
std::string DescribeRun(const std::string& directory);

}  // namespace scree
