/// \file  Contacts that another rank treats: with Jacobi a rank needs all of its own particles.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "engine/contacts/contact_list.hpp"
#include "engine/contacts/wall_bodies.hpp"
#include "engine/particles/particles.hpp"
#include "engine/ranks/halo.hpp"

namespace scree {

/// Moves contacts that this rank has found but does not treat (contact_ownership) to `mirrors`, so
/// that each contact stays in `contacts` on one rank only; both keep their order.
/// @pre no particle is marked as shared in `contacts`
void SplitGhostContacts(int rank, const Particles& particles, const Halo& halo,
                        ContactList& contacts, ContactList& mirrors);

/// Numbers of all bodies that are the same on every rank: of local particles their ids, of pieces
/// of walls greater ones (OrderKey).
void SetBodyKeys(const Particles& particles, std::span<const WallBody> walls,
                 std::vector<std::int64_t>& keys);

}  // namespace scree
