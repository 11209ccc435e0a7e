/// \file  Which rank owns a contact.
#pragma once

#include "engine/geometry/periodic_images.hpp"

namespace scree {

/// True on exactly one of the two sides of a contact between an owned particle and a ghost. The
/// lower rank owns all contacts of an interface, which leaves fewer shared bodies than distributing
/// them (Preclik & Rüde 2015). A contact of a rank with itself through a periodic end occurs twice
/// on this rank, with opposite images; the rank owns one of the two.
/// @param image  of the ghost
inline bool OwnsContact(int rank, int ghost_owner, const Image& image) {
  if (rank != ghost_owner) return rank < ghost_owner;
  for (const std::int8_t periods : image) {
    if (periods != 0) return periods > 0;
  }
  return false;
}

/// Which pairs of an owned particle and a ghost a rank considers.
enum class InterfacePairs {
  kOwnedContact,  // each pair on one of its two sides
  kAll            // each pair on both sides
};

}  // namespace scree
