/// \file  What a run is, in words for a person: what it simulates, how far it is, what it left.
#pragma once

#include <string>

namespace scree {

/// Looks into an output directory; nothing in it has to be complete. One rank.
/// @returns a line per figure, "name:  what"
/// @throws FileError if no run wrote there, or what tells of it cannot be read
std::string DescribeRun(const std::string& directory);

}  // namespace scree
