/// \file  Snapshots of a Simulation, in the format of scree-run that all scripts and ParaView read.
#pragma once

#include <string>

#include "engine/step/simulation.hpp"

namespace scree {

/// Writes the current state. The file appears complete or not at all; its digest is in a second
/// file. The folder must exist. Collective.
/// @throws OutputError on all ranks
void WriteSnapshot(const std::string& path, const Simulation& simulation);

}  // namespace scree
