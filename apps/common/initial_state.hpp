/// \file  The state and the subdomains with which a run begins.
#pragma once

#include "engine/ranks/communicator.hpp"
#include "engine/ranks/subdomains.hpp"
#include "engine/step/time_step.hpp"
#include "io/scene/run_config.hpp"

namespace scree {

/// Makes the configured subdomains, one box per rank. With load balancing they start as a grid.
/// @param ranks    number of ranks; may differ from that of this program
/// @param written  cuts in the checkpoint of a restart; null: none. Balanced subdomains continue
///                 from them if the number of ranks is the same, and otherwise start as a grid
/// @throws InputError if the configuration is for another number of ranks
Subdomains MakeSubdomains(const RunConfig& config, int ranks, const Cuts* written = nullptr);

/// Checks that there is enough memory for the particles of the scene's fills
/// (engine/filling/fill_count). Collective.
/// @throws InputError on all ranks if the memory is certainly too small
void RequireMemoryForFills(const Communicator& communicator, const Scene& scene);

/// Makes the first particles: those of the scene's fills, of `initial.file`, or of both. Each rank
/// gets some of them. Collective.
/// @throws FileError on all ranks if the file cannot be used
/// @throws InputError on all ranks if the fills are too large, or there are no particles
State MakeInitialState(const Communicator& communicator, const RunConfig& config,
                       const Subdomains& subdomains);

}  // namespace scree
