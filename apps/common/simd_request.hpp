/// \file  SCREE_SIMD=v3 in the environment: kernels of another level than the loader would take.
#pragma once

#include "apps/common/exit_codes.hpp"

namespace scree {

/// Starts the program again with the libraries of the level that SCREE_SIMD names, v2, v3 or v4,
/// unless they are loaded already. To be called before anything else.
/// @returns kDone, or after a message kWrongUsage if there is no such level, or this build or this
///          processor does not have it
ExitCode SelectSimdLevel(const char* program, char** argv);

}  // namespace scree
