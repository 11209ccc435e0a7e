/// \file  Migration: sends every particle to the rank whose box contains its centre.
#pragma once

#include <functional>
#include <vector>

#include "engine/particles/particles.hpp"
#include "engine/ranks/byte_buffer.hpp"
#include "engine/ranks/communicator.hpp"
#include "engine/ranks/subdomains.hpp"

namespace scree {

/// Functions that pack and unpack data that migrate with a particle in addition to its fields.
struct Attachment {
  // Appends the data of an owned particle that leaves this rank.
  std::function<void(Index, ByteWriter&)> pack;
  // Reads the data of an arriving particle, as `pack` has written them.
  std::function<void(ByteReader&)> unpack;
};

/// Deletes the ghosts and the particles marked as removed. Wraps particles through periodic ends,
/// which changes their velocities if images move. Sends each particle to its owner, which may be
/// any rank. Collective.
/// @pre no particle is lost (engine/step/validity.hpp)
/// @param attached  additional data that migrate; null on all ranks: none
/// @returns the old indices of the particles that stay, in their new order; arriving particles come
///          after them in the arrays
std::vector<Index> Migrate(const Communicator& communicator, const Subdomains& subdomains,
                           Particles& particles, const Attachment* attached = nullptr);

}  // namespace scree
