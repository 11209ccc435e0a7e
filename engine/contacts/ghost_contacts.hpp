/// \file  Ghost contacts: contacts that involve a rank's particles but are owned by another rank.
///        With Jacobi a rank needs all contacts of its particles.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "engine/contacts/contact_list.hpp"
#include "engine/contacts/wall_bodies.hpp"
#include "engine/particles/particles.hpp"
#include "engine/ranks/halo.hpp"

namespace scree {

/// Whether another rank owns a contact that this rank has found.
bool IsGhostContact(int rank, const Particles& particles, const Halo& halo,
                    const DetectedContact& contact);

/// Moves contacts that this rank has found but does not own (contact_ownership) to `ghosts`, which
/// loses its old contacts. Each contact then stays in `contacts` on one rank only. Both lists keep
/// their order.
/// @pre no particle is marked as shared in `contacts`
void SplitGhostContacts(int rank, const Particles& particles, const Halo& halo,
                        ContactList& contacts, ContactList& ghosts);

/// Gives each body a key that is the same on every rank: ids for local particles, larger numbers
/// for pieces of walls (OrderKey).
void SetBodyKeys(const Particles& particles, std::span<const WallBody> walls,
                 std::vector<std::int64_t>& keys);

}  // namespace scree
