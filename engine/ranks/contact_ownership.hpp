/// \file  Which rank owns a contact.
#pragma once

#include "engine/geometry/periodic_images.hpp"

namespace scree {

/// Whether this rank owns a contact of an owned particle with a ghost; true on exactly one of the
/// two sides. The lower rank owns all contacts of an interface, because fewer bodies are then
/// shared than if each rank owned some of them (Preclik & Rüde 2015). A contact of a rank with
/// itself through a periodic end occurs twice on this rank, with opposite images; the rank owns one
/// of the two.
/// @param image  periodic image of the ghost
inline bool OwnsContact(int rank, int ghost_owner, const Image& image) {
  if (rank != ghost_owner) return rank < ghost_owner;
  for (const std::int8_t periods : image) {
    if (periods != 0) return periods > 0;
  }
  return false;
}

/// Which pairs of an owned particle and a ghost a rank lists.
enum class InterfacePairs {
  kOwnedContact,  // only pairs whose contact the rank would own
  kAll            // all pairs, so that each pair is listed on both sides
};

}  // namespace scree
