/// \file  The particles of a scene at time zero.
#pragma once

#include "engine/particles/lattice.hpp"
#include "engine/particles/particles.hpp"
#include "engine/scene/scene.hpp"

namespace scree {

/// Appends the particles of all fills that this rank owns. Ids go on from fill to fill: on a
/// lattice by the number of the site, x fastest, those that stay empty keeping theirs; at random by
/// the number of the sphere. Every rank walks through all of them, and holds the places of all
/// spheres of a random fill meanwhile, a hundred bytes each.
/// @returns the first id that no fill uses
/// @throws InputError if a random fill finds no places, or has too many spheres for that
ParticleId MakeFills(const Scene& scene, const OwnsPlace& owns, Particles& particles);

}  // namespace scree
