/// \file  Migration: sends every particle to the rank whose box contains its centre.
#pragma once

#include <functional>
#include <vector>

#include "engine/particles/particles.hpp"
#include "engine/ranks/byte_buffer.hpp"
#include "engine/ranks/communicator.hpp"
#include "engine/ranks/subdomains.hpp"

namespace scree {

/// Data of a particle outside its fields that migrate with the particle.
struct Attachment {
  std::function<void(Index, ByteWriter&)>
      pack;                                 // appends the data of an owned particle that leaves
  std::function<void(ByteReader&)> unpack;  // reads from the message what `pack` has written
};

/// Removes the ghosts and the removed particles. Wraps centres through periodic ends, in a sheared
/// domain together with their velocities. Sends particles to their owners at any distance.
/// @pre no particle is lost (engine/step/validity.hpp)
/// @param attached  further data that migrate; null on all ranks: none
/// @returns the old indices of the particles that stay, in their new order; arrivals follow them
std::vector<Index> Migrate(const Communicator& communicator, const Subdomains& subdomains,
                           Particles& particles, const Attachment* attached = nullptr);

}  // namespace scree
