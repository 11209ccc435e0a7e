/// \file  Selects the kernels' instruction set if the environment contains, for example,
/// SCREE_SIMD=v3.
#pragma once

#include "apps/common/exit_codes.hpp"

namespace scree {

/// Restarts the program with the libraries of the level in SCREE_SIMD (v2, v3 or v4), unless they
/// are already loaded or the variable is not set. Call it before anything else.
/// @returns kDone; or kWrongUsage, after a message, if there is no such level or if this build or
///          this processor does not support it
ExitCode SelectSimdLevel(const char* program, char** argv);

}  // namespace scree
