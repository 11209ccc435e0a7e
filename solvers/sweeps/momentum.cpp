#include "solvers/sweeps/momentum.hpp"

namespace scree {

/// Counting sort of bodies by chunk.
void MomentumScratch::SetBodies(const SweepOrder& order) {
  const auto chunk_plus_one_of = [&](std::size_t i) {
    return shared[i] != 0 ? 1 : order.FirstChunkPlusOneAt(i);
  };
  first_of_chunk.assign(order.Chunks() + 1, 0);
  for (std::size_t i = 0; i < shared.size(); ++i) {
    const std::uint32_t chunk_plus_one = chunk_plus_one_of(i);
    if (chunk_plus_one > 0) ++first_of_chunk[chunk_plus_one];
  }
  for (std::size_t p = 0; p < order.Chunks(); ++p) first_of_chunk[p + 1] += first_of_chunk[p];
  bodies.resize(first_of_chunk[order.Chunks()]);
  // The loop runs backwards and moves first_of_chunk from the end of each chunk to its beginning.
  for (std::size_t i = shared.size(); i-- > 0;) {
    const std::uint32_t chunk_plus_one = chunk_plus_one_of(i);
    if (chunk_plus_one > 0) bodies[--first_of_chunk[chunk_plus_one]] = static_cast<Index>(i);
  }
  first_of_chunk.erase(first_of_chunk.begin());
  first_of_chunk.push_back(static_cast<std::uint32_t>(bodies.size()));
}

void MomentumScratch::Reserve(std::size_t batches, std::size_t body_count, bool is_general,
                              const LawFlags& active) {
  velocities.reserve(body_count + 1);
  impulses.reserve(batches);
  if (is_general) coordinates.reserve(batches);
  for (std::size_t l = 0; l < kLawCount; ++l) {
    if (active[l]) laws[l].reserve(batches);
  }
  bodies.reserve(body_count);
  shared.reserve(body_count);
  first_of_chunk.reserve(batches);  // at least the number of chunks
}

std::size_t MomentumScratch::Bytes() const {
  std::size_t batches = impulses.capacity() + coordinates.capacity();
  for (const Impulses& law_impulses : laws) batches += law_impulses.capacity();
  return batches * sizeof(impulses[0]) + velocities.capacity() * sizeof(Double8) +
         bodies.capacity() * sizeof(Index) + shared.capacity() +
         first_of_chunk.capacity() * sizeof(std::uint32_t);
}

}  // namespace scree
