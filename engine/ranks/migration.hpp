/// \file  Brings every particle to the rank whose box holds its centre.
#pragma once

#include <vector>

#include "engine/particles/particles.hpp"
#include "engine/ranks/communicator.hpp"
#include "engine/ranks/subdomains.hpp"

namespace scree {

/// Drops the ghosts and the particles that are gone, moves centres through periodic ends and
/// particles to their owners, however far.
/// @pre no particle is lost (engine/step/validity.hpp)
/// @returns the old indices of those that stay; they stand first and in this order, then arrivals
std::vector<Index> Migrate(const Communicator& communicator, const Subdomains& subdomains,
                           Particles& particles);

}  // namespace scree
