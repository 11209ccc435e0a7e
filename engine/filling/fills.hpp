/// \file  The particles of a scene at time zero.
#pragma once

#include <string>

#include "engine/particles/particles.hpp"
#include "engine/ranks/communicator.hpp"
#include "engine/ranks/subdomains.hpp"
#include "engine/scene/scene.hpp"

namespace scree {

/// Appends the particles of all fills that this rank owns, by their ids, none overlapping one of an
/// earlier fill or one that is there already. Collective: the ranks make them together, the same on
/// any number of ranks, each its share of every fill, and send them to their owners. Ids go on from
/// fill to fill: on a lattice by the number of the site, x fastest, those that stay empty keeping
/// theirs; at random by the number of the sphere. In a sheared domain velocities are against the
/// mean flow, and the particles made have no momentum in common against it: what the jitter has by
/// chance along the gradient, V, would carry them through the flow, whose mean then changes by
/// −γ̇ V t.
/// @param particles  those that are there already, on any rank; they are left alone
/// @param first_id   of the first fill
/// @returns the first id that no fill uses
/// @throws InputError on all ranks if a random fill finds no places
ParticleId MakeFills(const Communicator& communicator, const Subdomains& subdomains,
                     const Scene& scene, Particles& particles, ParticleId first_id = 0);

/// "[fill.NAME]", or "[fill]" for one without a name.
std::string NameOf(const Fill& fill);

}  // namespace scree
