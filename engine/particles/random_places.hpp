/// \file  Places for spheres at random, none overlapping another.
#pragma once

#include <functional>
#include <vector>

#include "engine/geometry/region.hpp"
#include "solvers/types.hpp"

namespace scree {

/// Whether a sphere may be here, as far as others than those placed are concerned.
using IsFree = std::function<bool(const Vec3& place, double radius)>;

/// The centre of a sphere in its trial: uniform where it is wholly inside the bounds.
Vec3 TrialPlace(const Box& bounds, double radius, std::uint64_t seed, ParticleId id,
                std::uint64_t trial);

/// Puts spheres one after the other, the largest first, wholly inside the region, where they
/// overlap none that is there already: random sequential addition, which comes to an end at a solid
/// fraction of 0.38 for spheres of one size. (J. Feder, Random sequential adsorption, J. Theor.
/// Biol. 87, 1980.)
/// @param radii  of the spheres [m]; the region has room for the largest
/// @param seed, first_id  sphere k is particle first_id + k: its places follow from these two
/// @returns one centre for each
/// @throws InputError saying how far it got, if a sphere finds no place in 10 000 trials
std::vector<Vec3> RandomPlaces(const Region& region, const std::vector<double>& radii,
                               std::uint64_t seed, ParticleId first_id, const IsFree& is_free);

}  // namespace scree
