/// \file  The particles of a scene at time zero.
#pragma once

#include <span>

#include "engine/particles/grains.hpp"
#include "engine/particles/particles.hpp"
#include "engine/particles/sphere_grid.hpp"
#include "engine/scene/scene.hpp"

namespace scree {

/// Appends the particles of all fills that this rank owns, none overlapping one of an earlier fill.
/// Ids go on from fill to fill: on a lattice by the number of the site, x fastest, those that stay
/// empty keeping theirs; at random by the number of the sphere. Every rank walks through all of
/// them, and holds the places of all spheres of a random fill meanwhile, a hundred bytes each, and
/// of fills that meet a later one.
/// @param first_id  of the first fill
/// @param present   spheres that are there already, the same on all ranks
/// @returns the first id that no fill uses
/// @throws InputError if a random fill finds no places, or has too many spheres for that
ParticleId MakeFills(const Scene& scene, const OwnsPlace& owns, Particles& particles,
                     ParticleId first_id = 0, std::span<const PlacedSphere> present = {});

/// Whether some fill's region has a part of this sphere inside its bounds: it is one of `present`
/// then.
bool MeetsFill(const Scene& scene, const PlacedSphere& sphere);

/// "[fill.NAME]", or "[fill]" for one without a name.
std::string NameOf(const Fill& fill);

}  // namespace scree
