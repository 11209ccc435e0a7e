/// \file  Identifies the program: version, source commit, compiler and libraries.
#pragma once

#include <string>

namespace scree {

/// Version of Scree, as in CMakeLists.txt.
std::string ProgramVersion();

/// Commit of the source tree, with "-dirty" if files differed from it; "unknown" outside a
/// repository.
std::string GitHash();

/// The lines that `--version` prints.
std::string BuildDescription();

}  // namespace scree
