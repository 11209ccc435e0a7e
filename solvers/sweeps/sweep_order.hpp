/// \file  The order in which pipelined sweeps (a wavefront) visit the batches of a layout, and the
///        minimum distance between consecutive sweeps.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "solvers/batches/contact_colouring.hpp"
#include "solvers/sweeps/body_sync.hpp"

namespace scree {

/// Chunks, which are runs of batches, in the order of the sweeps. A sweep may do chunk p as soon as
/// the sweep before it has done all chunks up to Dependency(p): no chunk after Dependency(p) shares
/// a moving body with chunks 0 .. p.
class SweepOrder {
 public:
  /// Reserves memory for any order of a layout with the capacity of this one.
  void Reserve(const ContactColouring& layout);

  /// Sets the order of the chunks of a layout. If no body is shared with other ranks, chunks keep
  /// their order in memory.
  ///
  /// If some bodies are shared, the shared batches are the first chunk. The other chunks follow in
  /// the order of their distance in memory from the nearest chunk that shares a body with the
  /// shared batches. So the next sweep of the shared batches and its messages need only a few
  /// finished chunks. If chunks with such bodies are everywhere, sweeps run one after the other.
  ///
  /// If all velocities may change between two sweeps, sweeps cannot overlap. Chunks are then the
  /// shared batches and two halves of the rest. The gather starts between the halves, and each
  /// chunk depends on the whole sweep before.
  /// @param layout  shared bodies have contacts only in its shared batches; must not change while
  ///                the order is in use
  void Set(SyncedBodies synced, const ContactColouring& layout);

  std::size_t Chunks() const { return chunks_.size(); }
  /// Number of the first batch of a chunk, and the number after its last batch.
  std::size_t FirstOf(std::size_t p) const { return chunks_[p].first; }
  std::size_t EndOf(std::size_t p) const { return chunks_[p].end; }
  /// The last chunk of the previous sweep on which chunk p depends.
  std::size_t Dependency(std::size_t p) const { return chunks_[p].dependency; }
  /// One plus the first chunk that contains this moving body, or 0 if none does. If sweeps cannot
  /// overlap, all bodies with contacts, and walls because they may be free, belong to the first
  /// chunk.
  std::uint32_t FirstChunkPlusOneAt(std::size_t body) const {
    const std::uint32_t chunk_plus_one = layout_->FirstChunkPlusOne(body);
    if (is_sequential_) return chunk_plus_one > 0 || body >= layout_->FirstFixed() ? 1 : 0;
    return chunk_plus_one == 0 ? 0 : begin_[chunk_plus_one - 1] + 1;
  }

  std::size_t Bytes() const;

 private:
  struct Chunk {
    std::uint32_t first, end;  // batches
    std::uint32_t dependency;
  };

  // Chunks between two sweeps of the shared batches, if there are that many. Messages take a few
  // tenths of a millisecond, and ranks may run at different speeds.
  static constexpr std::uint32_t kSlackChunks = 64;

  void SetSequential();
  void Sort();
  void FindDependencies();
  void AddCommunicationSlack();

  const ContactColouring* layout_ = nullptr;
  bool is_sequential_ = false;  // sweeps cannot overlap
  std::vector<Chunk> chunks_;
  std::vector<std::uint32_t> order_;  // chunks of the layout in the order of the sweeps
  // For each chunk of the layout, in their order in memory:
  std::vector<std::uint32_t> position_;  // its index in `order_`
  std::vector<std::uint32_t> begin_;  // first index in `order_` of a chunk with one of the bodies
                                      // whose first chunk in memory is this one
  std::vector<std::uint32_t> distance_;  // to the nearest chunk with a body of the shared batches
};

/// Does `sweeps` sweeps, kDepth at a time. Each follows the sweep before it as closely as the order
/// allows.
/// @param advance  advance(sweep, chunk) does one chunk of one sweep, both counted from 0
template <int kDepth, class Advance>
void RunWavefront(const SweepOrder& order, int sweeps, Advance&& advance) {
  std::array<std::size_t, kDepth> done;  // number of chunks that each sweep has done
  for (int first = 0; first < sweeps; first += kDepth) {
    const auto depth = static_cast<std::size_t>(std::min(kDepth, sweeps - first));
    const auto do_chunk = [&](std::size_t k) { advance(first + static_cast<int>(k), done[k]++); };
    done.fill(0);
    while (done[depth - 1] < order.Chunks()) {
      if (done[0] < order.Chunks()) do_chunk(0);
      for (std::size_t k = 1; k < depth; ++k) {
        while (done[k] < done[k - 1] && order.Dependency(done[k]) < done[k - 1]) do_chunk(k);
      }
    }
  }
}

/// The exchange of shared bodies in pipelined sweeps. A sweep starts the scatter after chunk 0, and
/// the gather halfway to Dependency(0). The next sweep finishes the gather before its chunk 0. If
/// no body is shared, `sync` does nothing.
template <class Body>
class PipelinedExchange {
 public:
  PipelinedExchange(const SweepOrder& order, BodySync<Body>& sync, std::span<Body> bodies)
      : sync_(sync),
        bodies_(bodies),
        halfway_(order.Chunks() == 0 ? 0 : (order.Dependency(0) + 1) / 2) {}

  /// Call these before and after each chunk of a sweep.
  void BeforeChunk(std::size_t chunk) {
    if (chunk == 0) Finish();
  }
  void AfterChunk(std::size_t chunk) {
    if (chunk == 0) sync_.StartScatter(bodies_);
    if (chunk != halfway_) return;
    sync_.StartGather(bodies_);
    is_in_flight_ = true;
  }
  /// Call this after the last sweep.
  void Finish() {
    if (is_in_flight_) sync_.FinishGather(bodies_);
    is_in_flight_ = false;
  }

 private:
  BodySync<Body>& sync_;
  std::span<Body> bodies_;
  std::size_t halfway_;
  bool is_in_flight_ = false;
};

}  // namespace scree
