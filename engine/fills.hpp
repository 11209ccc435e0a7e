/// \file  The particles of a scene at time zero.
#pragma once

#include "engine/lattice.hpp"
#include "engine/particles.hpp"
#include "engine/scene.hpp"

namespace scree {

/// Appends the particles of all fills that this rank owns. Ids go on from fill to fill: on a
/// lattice the number of the site, x fastest, those that stay empty keeping theirs; at random from
/// zero to the number of spheres that the solid fraction asks for. Every rank walks through all of
/// them.
/// @throws InputError if a random fill finds no places
void MakeFills(const Scene& scene, const OwnsPlace& owns, Particles& particles);

/// The first id that no fill uses.
ParticleId FillIds(const Scene& scene);

}  // namespace scree
