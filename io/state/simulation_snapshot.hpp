/// \file  Snapshots of a Simulation, as scree-run writes them: for all scripts and ParaView.
#pragma once

#include <string>

#include "engine/step/simulation.hpp"

namespace scree {

/// Writes the current state. The file appears complete or not at all; its digest is in a second
/// file. The folder must exist. Collective.
/// @throws OutputError on all ranks
void WriteSnapshot(const std::string& path, const Simulation& simulation);

}  // namespace scree
