/// \file  The state and the subdomains that a run begins with.
#pragma once

#include "engine/ranks/communicator.hpp"
#include "engine/ranks/subdomains.hpp"
#include "engine/step/time_step.hpp"
#include "io/scene/run_config.hpp"

namespace scree {

/// One box per rank, as the configuration asks; those that follow the work begin as a grid.
/// @param written  cuts of the checkpoint to go on from: those that follow the work go on with
///                 these, if they are for as many ranks; null: there is none
/// @param ranks    which need not be there
/// @throws InputError if the configuration is for another number of ranks
Subdomains MakeSubdomains(const RunConfig& config, int ranks, const Cuts* written = nullptr);

/// Checks that there is enough memory for the particles of the scene's fills
/// (engine/filling/fill_count). Collective.
/// @throws InputError on all ranks if there certainly is not
void RequireMemoryForFills(const Communicator& communicator, const Scene& scene);

/// The particles of the scene's fills, or those of `initial.file` instead of or in addition to
/// them; on each rank some of them. Collective.
/// @throws FileError on all ranks if the file cannot be used
/// @throws InputError on all ranks if the fills are too large, or there are no particles
State MakeInitialState(const Communicator& communicator, const RunConfig& config,
                       const Subdomains& subdomains);

}  // namespace scree
