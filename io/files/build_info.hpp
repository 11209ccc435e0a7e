/// \file  Which program this is: what was built, from which source, with what.
#pragma once

#include <string>

namespace scree {

/// Version of Scree, as in CMakeLists.txt.
std::string ProgramVersion();

/// Commit of the source tree, with "-dirty" if files differed from it; "unknown" outside a
/// repository.
std::string GitHash();

/// Everything that `--version` prints, one line each.
std::string BuildDescription();

}  // namespace scree
