/// \file  A scene file as a whole: text, tables and meshes.
#pragma once

#include <string>

#include "engine/ranks/communicator.hpp"
#include "io/configuration/run_config.hpp"

namespace scree {

/// The configuration of a run with everything that its scene names. Collective.
/// @throws InputError on all ranks with everything found wrong, a line each
/// @throws FileError on all ranks if a file is missing or damaged
RunConfig ReadRunConfig(const Communicator& communicator, const std::string& path);

}  // namespace scree
