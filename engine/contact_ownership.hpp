/// \file  Which rank treats a contact.
#pragma once

#include "solvers/types.hpp"

namespace scree {

/// True on exactly one of the two ranks that own the bodies of a contact. The lower rank takes all
/// contacts of an interface: that leaves fewer shared bodies than spreading them
/// (Preclik & Rüde 2015). A rank that meets its own particle through a periodic end sees the
/// contact twice and keeps the one where the lower id is not the ghost.
inline bool IsTreatedHere(int rank, ParticleId id, int ghost_owner, ParticleId ghost_id) {
  return rank != ghost_owner ? rank < ghost_owner : id < ghost_id;
}

}  // namespace scree
