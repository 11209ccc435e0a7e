/// \file  The memory of the arrays of one rank, and the memory traffic of a sweep.
#pragma once

#include <cstddef>
#include <vector>

#include "engine/lists/neighbor_list.hpp"
#include "engine/particles/particles.hpp"
#include "engine/ranks/halo.hpp"
#include "solvers/batches/contact_batches.hpp"

namespace scree {

/// Reserved bytes, used or not. Small arrays, message buffers and arrays that exist only during a
/// rebuild are not included.
struct MemoryReport {
  std::size_t particles = 0;    // arrays of particles, including ghosts and permanent scratch
  std::size_t bodies = 0;       // copies of particles for detection and the contact problem
  std::size_t candidates = 0;   // the neighbour list and its cells
  std::size_t contacts = 0;     // as detected
  std::size_t batches = 0;      // the contact problem
  std::size_t measurement = 0;  // second solve; only in steps whose solve error is measured
  std::size_t sweep = 0;        // traffic, not memory: bytes that a sweep moves, see SweepBytes

  /// Memory that grows with the number of particles.
  std::size_t ParticleBytes() const { return particles + bodies + candidates; }
  /// Memory that grows with the number of contacts.
  std::size_t ContactBytes() const { return contacts + batches; }
};

template <class Value>
std::size_t BytesOf(const std::vector<Value>& array) {
  return array.capacity() * sizeof(Value);
}
std::size_t BytesOf(const Particles& particles);
std::size_t BytesOf(const SpareArrays& arrays);
std::size_t BytesOf(const Halo& halo);
std::size_t BytesOf(const NeighborList& list);

/// Bytes that one sweep reads and writes: it reads every batch, writes the impulses back, and reads
/// and writes the two bodies of each contact (a cache line each),
///
///     batches × (sizeof(ContactBatch) + 3 sizeof(Double8)) + contacts × 4 sizeof(SphereBody),
///
/// plus batches × (sizeof(LawBatch) + 3 sizeof(Double8)) for each active additional law.
///
/// The caches serve most of this traffic, because sorted particles keep bodies in the cache and
/// pipelined sweeps (wavefronts) keep batches there.
std::size_t SweepBytes(const ContactBatches& batches);

}  // namespace scree
