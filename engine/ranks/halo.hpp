/// \file  The ghosts of a rank: copies of the particles near its box that other ranks own, and of
///        its own particles seen through periodic ends.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "engine/particles/particles.hpp"
#include "engine/ranks/communicator.hpp"
#include "engine/ranks/contact_ownership.hpp"
#include "engine/ranks/exchange_plan.hpp"
#include "engine/ranks/subdomains.hpp"

namespace scree {

/// Ghosts keep the bits of their owner's position; the periodic shift stays apart, because x + L
/// would round differently on each side.
struct Halo {
  ExchangePlan plan;
  std::vector<Vec3> shift;  // one per ghost: position + shift is where it stands here [m]
  std::vector<int> owner;   // one per ghost: the owner's rank
};

/// Replaces the ghosts by copies of all particles that a sphere with its centre in this rank's box
/// can have within the skin: those whose surface is closer to the box than the skin and the largest
/// radius. All ranks near this one become peers of the plan, those without ghosts too.
/// @param largest_radius  of all particles on all ranks [m]
/// @param interface       particles that are in no such pair of this rank are left out
/// @pre every owned particle lies in its owner's box
Halo BuildHalo(const Communicator& communicator, const Subdomains& subdomains, double skin,
               double largest_radius, InterfacePairs interface, Particles& particles);

/// Drops the ghosts that are not marked, here and from their owners' plans. All peers stay: other
/// messages find their way by them (warm_start). Collective.
/// @param marks  one per ghost
void KeepGhosts(const Communicator& communicator, std::span<const std::uint8_t> marks, Halo& halo,
                Particles& particles);

}  // namespace scree
