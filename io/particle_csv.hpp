/// \file  Particles from a CSV table; io/initial_state.hpp gives the format.
#pragma once

#include <string>

#include "engine/communicator.hpp"
#include "engine/particles.hpp"

namespace scree {

/// Root reads the file, every rank parses its even share of the rows. Collective.
/// @throws FileError on all ranks, with file, line, column and value
Particles ReadParticleCsv(const Communicator& communicator, const std::string& path);

}  // namespace scree
