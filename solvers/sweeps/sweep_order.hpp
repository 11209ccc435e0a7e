/// \file  The order in which pipelined sweeps (a wavefront) visit the batches of a layout, and how
///        closely sweeps may follow each other.
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
/// the sweep before it has done all chunks up to Needs(p): no later chunk shares a moving body with
/// chunks 0 .. p.
class SweepOrder {
 public:
  /// Reserves memory for any order of a layout with the capacity of this one.
  void Reserve(const ContactColouring& layout);

  /// If no body is shared with other ranks, chunks keep their order in memory.
  ///
  /// If some bodies are shared, the border of the layout is the first chunk. The others follow by
  /// their distance in memory from the chunks that share a body with the border. So the next sweep
  /// of the border and its messages need only few finished chunks, at whichever end of the memory
  /// the border lies. If the border is everywhere, sweeps run one after the other.
  ///
  /// If all velocities may change between two sweeps, sweeps cannot overlap. Chunks are then the
  /// border and two halves of the rest, between which messages are received; each chunk needs the
  /// whole sweep before.
  /// @param layout  no contact outside its border touches a shared body; must not change while the
  ///                order is in use
  void Set(SyncedBodies synced, const ContactColouring& layout);

  std::size_t Chunks() const { return chunks_.size(); }
  /// Number of the first batch of a chunk, and the number after its last batch.
  std::size_t FirstOf(std::size_t p) const { return chunks_[p].first; }
  std::size_t EndOf(std::size_t p) const { return chunks_[p].end; }
  std::size_t Needs(std::size_t p) const { return chunks_[p].needs; }
  /// The first chunk that contains a moving body, plus one; 0: none does. Sweeps that cannot
  /// overlap begin with all bodies at once, free walls included.
  std::uint32_t FirstChunkPlusOneAt(std::size_t body) const {
    const std::uint32_t after = layout_->FirstChunkPlusOne(body);
    if (is_sequential_) return after > 0 || body >= layout_->FirstFixed() ? 1 : 0;
    return after == 0 ? 0 : begin_[after - 1] + 1;
  }

  std::size_t Bytes() const;

 private:
  struct Chunk {
    std::uint32_t first, end;  // batches
    std::uint32_t needs;
  };

  // Chunks between two sweeps of the border, if there are that many. They give messages time to
  // travel, a few tenths of a millisecond, and let ranks run at different speeds.
  static constexpr std::uint32_t kTravel = 64;

  void SetSequential();
  void Sort();
  void FindDependencies();
  void AddCommunicationSlack();

  const ContactColouring* layout_ = nullptr;
  bool is_sequential_ = false;  // sweeps cannot overlap
  std::vector<Chunk> chunks_;
  // For the chunks of the layout, in their order in memory:
  std::vector<std::uint32_t> order_;     // their numbers, in the order of the sweeps
  std::vector<std::uint32_t> place_;     // position of each in `order_`
  std::vector<std::uint32_t> begin_;     // where the bodies that are in no earlier chunk begin
  std::vector<std::uint32_t> distance_;  // to the nearest chunk that shares a body with the border
};

/// Does `sweeps` sweeps, kDepth at a time, which follow each other as closely as the order allows.
/// @param advance  advance(sweep, chunk) does a chunk of a sweep, from 0
template <int kDepth, class Advance>
void RunWavefront(const SweepOrder& order, int sweeps, Advance&& advance) {
  std::array<std::size_t, kDepth> done;  // number of chunks that each sweep has done
  for (int first = 0; first < sweeps; first += kDepth) {
    const auto depth = static_cast<std::size_t>(std::min(kDepth, sweeps - first));
    const auto next = [&](std::size_t k) { advance(first + static_cast<int>(k), done[k]++); };
    done.fill(0);
    while (done[depth - 1] < order.Chunks()) {
      if (done[0] < order.Chunks()) next(0);
      for (std::size_t k = 1; k < depth; ++k) {
        while (done[k] < done[k - 1] && order.Needs(done[k]) < done[k - 1]) next(k);
      }
    }
  }
}

/// The messages about shared bodies of pipelined sweeps. A sweep starts them when it has done the
/// border, continues them halfway to the chunk after which the next sweep may do the border, and
/// finishes them there. Does nothing if no body is shared.
template <class Body>
class PipelinedExchange {
 public:
  PipelinedExchange(const SweepOrder& order, BodySync<Body>& sync, std::span<Body> bodies)
      : sync_(sync),
        bodies_(bodies),
        halfway_(order.Chunks() == 0 ? 0 : (order.Needs(0) + 1) / 2) {}

  /// To be called before a sweep does a chunk, and after it.
  void BeforeChunk(std::size_t chunk) {
    if (chunk == 0) Finish();
  }
  void AfterChunk(std::size_t chunk) {
    if (chunk == 0) sync_.StartScatter(bodies_);
    if (chunk != halfway_) return;
    sync_.StartGather(bodies_);
    travels_ = true;
  }
  /// To be called after the last sweep.
  void Finish() {
    if (travels_) sync_.FinishGather(bodies_);
    travels_ = false;
  }

 private:
  BodySync<Body>& sync_;
  std::span<Body> bodies_;
  std::size_t halfway_;
  bool travels_ = false;
};

}  // namespace scree
