/// \file  The ghosts of a rank: copies of the particles near its box that other ranks own, and of
///        its own particles seen through periodic ends.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "engine/communicator.hpp"
#include "engine/exchange_plan.hpp"
#include "engine/particles.hpp"
#include "engine/subdomains.hpp"

namespace scree {

/// BuildHalo brings all that may matter, KeepGhosts leaves those that do.
///
/// Ghosts keep the bits of their owner's position; the periodic shift stays apart, because x + L
/// would round differently on each side.
struct Halo {
  ExchangePlan plan;
  std::vector<Vec3> shift;  // one per ghost: position + shift is where it stands here [m]
  std::vector<int> owner;   // one per ghost: the owner's rank
};

/// Replaces the ghosts by copies of all particles that a sphere with its centre in this rank's box
/// can have within the skin: those whose surface is closer to the box than the skin and the largest
/// radius.
/// @param largest_radius  of all particles on all ranks [m]
/// @pre every owned particle lies in its owner's box
Halo BuildHalo(const Communicator& communicator, const Subdomains& subdomains, double skin,
               double largest_radius, Particles& particles);

/// Drops the ghosts that are not marked, here and from their owners' plans. Collective.
/// @param marks  one per ghost
void KeepGhosts(const Communicator& communicator, std::span<const std::uint8_t> marks, Halo& halo,
                Particles& particles);

}  // namespace scree
