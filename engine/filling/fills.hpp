/// \file  The particles of a scene at time zero.
#pragma once

#include <string>

#include "engine/particles/particles.hpp"
#include "engine/ranks/communicator.hpp"
#include "engine/ranks/subdomains.hpp"
#include "engine/scene/scene.hpp"

namespace scree {

/// Makes all fills and appends the particles that this rank owns, ordered by id. No particle
/// overlaps an existing particle or a particle of an earlier fill. Collective: each rank makes a
/// part of every fill and sends the particles to their owners. The result is the same on any number
/// of ranks. Ids are consecutive from fill to fill. On a lattice each site has an id, also an empty
/// one; x varies fastest. In a random fill each sphere has an id.
///
/// In a sheared domain, the velocities of the fills are relative to the mean flow, and the total
/// momentum relative to this flow is set to zero. Otherwise a mean velocity V of the jitter along
/// the gradient would carry the particles through the flow, and their mean velocity would change by
/// −γ̇ V t.
/// @param[in,out] particles  existing particles, distributed over the ranks in any way; they do not
///                           change, and new particles are appended
/// @param first_id   first id of the first fill
/// @returns the first unused id
/// @throws InputError on all ranks if a random fill finds no positions
ParticleId MakeFills(const Communicator& communicator, const Subdomains& subdomains,
                     const Scene& scene, Particles& particles, ParticleId first_id = 0);

/// "[fill.NAME]", or "[fill]" for a fill without a name.
std::string NameOf(const Fill& fill);

}  // namespace scree
