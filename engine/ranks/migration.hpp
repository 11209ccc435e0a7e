/// \file  Migration: sends every particle to the rank whose box holds its centre.
#pragma once

#include <functional>
#include <vector>

#include "engine/particles/particles.hpp"
#include "engine/ranks/byte_buffer.hpp"
#include "engine/ranks/communicator.hpp"
#include "engine/ranks/subdomains.hpp"

namespace scree {

/// What is known of a particle besides its fields, and has to go where it goes.
struct Attachment {
  std::function<void(Index, ByteWriter&)> pack;  // of an owned particle that leaves
  std::function<void(ByteReader&)> unpack;       // takes from the message what pack has put in
};

/// Drops the ghosts and the particles that are gone, moves centres through periodic ends (in a
/// sheared domain with their velocities) and particles to their owners, however far.
/// @pre no particle is lost (engine/step/validity.hpp)
/// @param attached  null: there is none, on all ranks
/// @returns the old indices of those that stay; they stand first and in this order, then arrivals
std::vector<Index> Migrate(const Communicator& communicator, const Subdomains& subdomains,
                           Particles& particles, const Attachment* attached = nullptr);

}  // namespace scree
