/// \file  How many bytes the arrays of one rank hold, and how many a sweep moves.
#pragma once

#include <cstddef>
#include <vector>

#include "engine/lists/neighbor_list.hpp"
#include "engine/particles/particles.hpp"
#include "engine/ranks/halo.hpp"
#include "solvers/batches/contact_batches.hpp"

namespace scree {

/// Bytes that are reserved, in use or not; small arrays, message buffers and what lives only during
/// a rebuild are left out.
struct MemoryReport {
  std::size_t particles = 0;    // their arrays, ghosts and what rebuilds need included
  std::size_t bodies = 0;       // copies of them that detection and the contact problem work on
  std::size_t candidates = 0;   // the neighbour list and its cells
  std::size_t contacts = 0;     // as detected
  std::size_t batches = 0;      // the contact problem
  std::size_t measurement = 0;  // held in steps alone whose solve is measured: the second solve
  std::size_t sweep = 0;        // not held: what one sweep reads and writes, see SweepBytes

  /// What grows with the particles.
  std::size_t OfParticles() const { return particles + bodies + candidates; }
  /// What grows with the contacts.
  std::size_t OfContacts() const { return contacts + batches; }
};

/// What an array has reserved.
template <class Value>
std::size_t BytesOf(const std::vector<Value>& array) {
  return array.capacity() * sizeof(Value);
}
std::size_t BytesOf(const Particles& particles);
std::size_t BytesOf(const SpareArrays& arrays);
std::size_t BytesOf(const Halo& halo);
std::size_t BytesOf(const NeighborList& list);

/// What one sweep reads and writes: every batch, its impulses back, and for each contact two body
/// lines both ways,
///
///     batches (sizeof(ContactBatch) + 3 sizeof(Double8)) + 4 contacts sizeof(SphereBody),
///
/// and the same of LawBatch for each additional law that acts.
///
/// The caches serve most of it: sorted particles find lines that are still near, and pipelined
/// sweeps (wavefronts) find batches.
std::size_t SweepBytes(const ContactBatches& batches);

}  // namespace scree
