/// \file  Which rank treats a contact.
#pragma once

#include "solvers/types.hpp"

namespace scree {

/// True on exactly one of the two sides of a contact between an own particle and a ghost. The lower
/// rank takes all contacts of an interface: that leaves fewer shared bodies than spreading them
/// (Preclik & Rüde 2015). A rank that meets its own particle through a periodic end sees the
/// contact twice, with opposite shifts, and keeps one of these.
/// @param shift  of the ghost [m]
inline bool IsTreatedHere(int rank, int ghost_owner, const Vec3& shift) {
  if (rank != ghost_owner) return rank < ghost_owner;
  for (const double part : shift) {
    if (part != 0.0) return part > 0.0;
  }
  return false;
}

/// Which pairs of an own particle and a ghost a rank looks at.
enum class InterfacePairs {
  kTreatedHere,  // each pair on one of the two sides
  kAll           // on both
};

}  // namespace scree
