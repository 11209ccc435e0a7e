/// \file  Which rank treats a contact.
#pragma once

#include "engine/geometry/periodic_images.hpp"

namespace scree {

/// True on exactly one of the two sides of a contact between an own particle and a ghost. The lower
/// rank takes all contacts of an interface: that leaves fewer shared bodies than spreading them
/// (Preclik & Rüde 2015). A rank that meets its own particle through a periodic end sees the
/// contact twice, as opposite images, and keeps one of these.
/// @param image  that the ghost is
inline bool OwnsContact(int rank, int ghost_owner, const Image& image) {
  if (rank != ghost_owner) return rank < ghost_owner;
  for (const std::int8_t periods : image) {
    if (periods != 0) return periods > 0;
  }
  return false;
}

/// Which pairs of an own particle and a ghost a rank looks at.
enum class InterfacePairs {
  kOwnedContact,  // each pair on one of the two sides
  kAll            // on both
};

}  // namespace scree
