/// \file  The order in which pipelined sweeps (a wavefront) go through the batches of a layout, and
///        how closely each may follow the one before it.
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

/// Runs of batches, the pieces, in the order of the sweeps. A sweep may do piece p as soon as the
/// sweep before it has done piece Needs(p) and all before that, because no later piece has a moving
/// body in common with pieces 0 .. p.
class SweepOrder {
 public:
  /// Makes room for any order of a layout that has room.
  void Reserve(const ContactColouring& layout);

  /// Where this rank has all bodies, pieces are as they lie in memory.
  ///
  /// Where some are shared, the border of the layout is the first piece, and the others follow by
  /// how far away they lie from those with bodies of it: so the next sweep of the border, and its
  /// messages, need but a few pieces to be done, whether the border is at the one end of the
  /// memory, at the other or at both. Where it is everywhere sweeps come one after the other.
  ///
  /// Where all may change between sweeps these cannot overlap: pieces are the border and two halves
  /// of the rest, between which messages are taken, and each needs all of the sweep before.
  /// @param layout  no contact outside its border touches a shared body; must not change while the
  ///                order is in use
  void Set(SyncedBodies synced, const ContactColouring& layout);

  std::size_t Pieces() const { return pieces_.size(); }
  /// Number of a piece's first batch, and that after its last.
  std::size_t FirstOf(std::size_t p) const { return pieces_[p].first; }
  std::size_t EndOf(std::size_t p) const { return pieces_[p].end; }
  std::size_t Needs(std::size_t p) const { return pieces_[p].needs; }
  /// A piece that a moving body is in no piece before, plus one; 0: it is in none. Sweeps that
  /// cannot overlap begin with all bodies at once, and with the walls, which forces may move.
  std::uint32_t FirstChunkPlusOneAt(std::size_t body) const {
    const std::uint32_t after = layout_->FirstChunkPlusOne(body);
    if (in_turn_) return after > 0 || body >= layout_->FirstFixed() ? 1 : 0;
    return after == 0 ? 0 : begin_[after - 1] + 1;
  }

  std::size_t Bytes() const;

 private:
  struct Chunk {
    std::uint32_t first, end;  // batches
    std::uint32_t needs;
  };

  // Pieces between two sweeps of the border, if there are so many, so that messages can travel and
  // ranks need not be equally fast: a few tenths of a millisecond.
  static constexpr std::uint32_t kTravel = 64;

  void SetSequential();
  void Sort();
  void FindNeeds();
  void AddCommunicationSlack();

  const ContactColouring* layout_ = nullptr;
  bool in_turn_ = false;  // sweeps cannot overlap
  std::vector<Chunk> pieces_;
  // Of the layout's pieces, as they lie in memory:
  std::vector<std::uint32_t> order_;     // their numbers in the order of the sweeps
  std::vector<std::uint32_t> place_;     // where they are in it
  std::vector<std::uint32_t> begin_;     // where bodies that are in none before begin
  std::vector<std::uint32_t> distance_;  // to the nearest that meets the border
};

/// Does `sweeps` sweeps, so many at a time that follow each other as closely as the order allows.
/// @param advance  advance(sweep, piece) does a piece of a sweep, from 0
template <int kDepth, class Advance>
void RunWavefront(const SweepOrder& order, int sweeps, Advance&& advance) {
  std::array<std::size_t, kDepth> done;  // pieces that each sweep has done
  for (int first = 0; first < sweeps; first += kDepth) {
    const auto depth = static_cast<std::size_t>(std::min(kDepth, sweeps - first));
    const auto next = [&](std::size_t k) { advance(first + static_cast<int>(k), done[k]++); };
    done.fill(0);
    while (done[depth - 1] < order.Pieces()) {
      if (done[0] < order.Pieces()) next(0);
      for (std::size_t k = 1; k < depth; ++k) {
        while (done[k] < done[k - 1] && order.Needs(done[k]) < done[k - 1]) next(k);
      }
    }
  }
}

/// What pipelined sweeps exchange of shared bodies: each begins its messages when it has done the
/// border, goes on with them halfway to where the next may do the border, and ends them there.
/// Nothing happens where no body is shared.
template <class Body>
class PipelinedExchange {
 public:
  PipelinedExchange(const SweepOrder& order, BodySync<Body>& sync, std::span<Body> bodies)
      : sync_(sync),
        bodies_(bodies),
        halfway_(order.Pieces() == 0 ? 0 : (order.Needs(0) + 1) / 2) {}

  /// A sweep is about to do a piece, or has done it.
  void Before(std::size_t piece) {
    if (piece == 0) Finish();
  }
  void After(std::size_t piece) {
    if (piece == 0) sync_.StartScatter(bodies_);
    if (piece != halfway_) return;
    sync_.StartGather(bodies_);
    travels_ = true;
  }
  /// The last sweep is done.
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
