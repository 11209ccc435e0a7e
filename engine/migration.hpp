/// \file  Brings every particle to the rank whose box holds its centre.
#pragma once

#include "engine/communicator.hpp"
#include "engine/particles.hpp"
#include "engine/subdomains.hpp"

namespace scree {

/// Drops the ghosts and the particles that are gone, moves centres through periodic ends and
/// particles to their owners, however far.
/// @throws SimulationError on all ranks if a centre is outside the domain or not finite: the
///         message names ids, places and ranks. Nothing has moved then.
void Migrate(const Communicator& communicator, const Subdomains& subdomains, Particles& particles);

}  // namespace scree
