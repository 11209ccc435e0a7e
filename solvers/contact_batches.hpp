/// \file  Contacts packed into batches of eight that share no moving body, for kernels that treat
///        eight contacts at once.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <span>
#include <vector>

#include "solvers/contact_problem.hpp"
#include "solvers/simd.hpp"

namespace scree {

/// Place of a body's line in the array of bodies, in bytes: an address without arithmetic. Enough
/// for 67 million bodies.
using BodyOffset = std::uint32_t;

/// Eight contacts side by side. A lane without a contact has both bodies at the padding body, an
/// effective mass of zero and an impulse that stays zero.
struct ContactBatch {
  Double8 normal[3];       // n
  Double8 bias;            // b [m/s]
  Double8 effective_mass;  // 1/(κ Aₙₙ) [kg]
  Double8 friction;        // μ [-]
  Double8 impulse[3];      // λ [N s]
  std::array<BodyOffset, kLanes> a, b;
};

/// What resists the rolling of the same eight; all zero in a lane without a contact.
struct RollingBatch {
  Double8 rolling, spinning;  // μ_r, μ_s [-]
  Double8 effective_mass;     // 1/(κ A_w) [kg]
  Double8 share_a, share_b;   // R/r [-]
  Double8 impulse[3];         // L = Λ/R [N s]
};

/// Whether the velocities with which a solve begins hold the impulses with which it begins.
enum class StartingImpulses { kApplied, kToApply };

/// A contact problem and its impulses, laid out in batches.
///
/// Neighbouring batches share no moving body either, so that the processor can work on the next one
/// while the last one's velocities are still on their way. Contacts keep their order up to a window
/// of 64 batches: particles sorted in space give batches whose bodies are near each other.
class ContactBatches {
 public:
  /// Makes room for problems of up to so many contacts and bodies.
  void Reserve(std::size_t contacts, std::size_t bodies);

  /// Begins a problem; its contacts follow one by one. As long as they have the bodies of the last
  /// problem's contacts they get the same places; from the first that has not, places are found
  /// anew. Either way places follow from the pairs of this problem alone.
  /// @param first_fixed  bodies from here on do not move: a batch may have one of them many times
  /// @param bodies       number of bodies; the padding body is the one after the last
  void Begin(Index first_fixed, std::size_t bodies);
  void Add(const Contact& contact, const Vec3& impulse);
  void End();

  std::size_t Size() const { return size_; }
  Contact At(std::size_t j) const;
  double Bias(std::size_t j) const { return batches_[BatchOf(place_[j])].bias[LaneOf(place_[j])]; }
  Vec3 Impulse(std::size_t j) const {
    const ContactBatch& batch = batches_[BatchOf(place_[j])];
    const std::size_t lane = LaneOf(place_[j]);
    return {batch.impulse[0][lane], batch.impulse[1][lane], batch.impulse[2][lane]};
  }
  /// Has bias and impulse on their way.
  void PrefetchImpulse(std::size_t j) const {
    const ContactBatch& batch = batches_[BatchOf(place_[j])];
    __builtin_prefetch(&batch.bias);
    for (const Double8& part : batch.impulse) __builtin_prefetch(&part);
  }
  void SetImpulse(std::size_t j, const Vec3& impulse);

  /// Makes contacts resist rolling, until the next Begin: first none of them does, then those that
  /// are set. To be called after End.
  void BeginRolling() {
    rolls_ = true;
    rolling_.assign(used_, RollingBatch{});
  }
  void SetRolling(std::size_t j, const RollingContact& rolling, const Vec3& impulse);
  /// Whether BeginRolling was called; of a problem without contacts too, so that all ranks agree.
  bool Rolls() const { return rolls_; }
  RollingContact RollingAt(std::size_t j) const;
  /// L; zero if nothing resists.
  Vec3 RollingImpulse(std::size_t j) const;
  void SetRollingImpulse(std::size_t j, const Vec3& impulse);
  /// One per batch of All(), or empty.
  std::span<RollingBatch> Rolling() { return rolling_; }
  /// Makes room for the rolling of problems of the size for which there is room.
  void ReserveRolling() { rolling_.reserve(batches_.capacity()); }

  /// Where a contact is in All(): which batch, and which lane of it.
  struct Slot {
    std::uint32_t batch = 0, lane = 0;
  };
  Slot SlotOf(std::size_t j) const {
    return {static_cast<std::uint32_t>(BatchOf(place_[j])),
            static_cast<std::uint32_t>(LaneOf(place_[j]))};
  }

  std::span<ContactBatch> All() { return std::span(batches_).first(used_); }

  /// Runs of batches, all of the same length but the last, for sweeps that follow each other
  /// closely: a sweep may do piece p as soon as the sweep before it has done piece Needs(p) and all
  /// before that, because no later piece has a moving body in common with pieces 0 .. p.
  std::size_t Pieces() const { return needs_.size(); }
  std::span<ContactBatch> Piece(std::size_t p) {
    const std::size_t first = FirstOf(p);
    return All().subspan(first, std::min(kPieceLength, used_ - first));
  }
  /// Number of a piece's first batch.
  static std::size_t FirstOf(std::size_t p) { return p * kPieceLength; }
  std::size_t Needs(std::size_t p) const { return needs_[p]; }

  /// No contact but the first so many is needed in batches of All() from here on: where the batch
  /// after the last of these begins.
  std::size_t BatchesOfFirst(std::size_t contacts) const {
    Index last = -1;
    for (std::size_t j = 0; j < contacts; ++j) last = std::max(last, place_[j]);
    return last < 0 ? 0 : BatchOf(last) + 1;
  }

  /// How many batches and pieces there is room for.
  std::size_t BatchCapacity() const { return batches_.capacity(); }
  std::size_t PieceCapacity() const { return needs_.capacity(); }
  /// Batches in use.
  std::size_t Batches() const { return used_; }
  /// Memory of the arrays.
  std::size_t Bytes() const {
    return batches_.capacity() * sizeof(ContactBatch) + place_.capacity() * sizeof(Index) +
           needs_.capacity() * sizeof(std::uint32_t) + marks_.capacity() * sizeof(BodyMark) +
           rolling_.capacity() * sizeof(RollingBatch);
  }

  /// How often contacts had to be placed anew.
  std::int64_t Arrangements() const { return arrangements_; }

 private:
  static constexpr std::size_t kWindow = 64;       // batches open at a time: one bit each
  static constexpr std::size_t kPieceLength = 64;  // batches

  /// What is known about a body while contacts are placed.
  struct BodyMark {
    std::uint64_t in_window = 0;    // the batches of the window it is in ...
    std::uint32_t as_of = 0;        // ... when that window began here
    std::uint32_t first_piece = 0;  // that it is in, plus one; 0: none yet
  };

  static BodyOffset OffsetOf(Index body) {
    return static_cast<BodyOffset>(body) * static_cast<BodyOffset>(sizeof(SphereBody));
  }
  static std::size_t BatchOf(Index place) { return static_cast<std::size_t>(place) / kLanes; }
  static std::size_t LaneOf(Index place) { return static_cast<std::size_t>(place) % kLanes; }

  void Arrange();
  void ArrangeAgain();
  Index Place(Index a, Index b);

  /// The batches of the present window that a body is in: those that were forgotten since the mark
  /// was made have lost their bits to batches that are 64 further on. When the window begins at
  /// batch k, batch k − 1 is remembered too, because its bodies keep out of batch k.
  std::uint64_t Taken(const BodyMark& mark) const {
    const std::size_t as_of = std::max(mark.as_of, 1u);
    const std::size_t forgotten = std::max<std::size_t>(oldest_, 1) - as_of;
    if (forgotten >= kWindow) return 0;
    const std::uint64_t run = (std::uint64_t{1} << forgotten) - 1;
    return mark.in_window & ~std::rotl(run, static_cast<int>((as_of - 1) % kWindow));
  }

  /// The first piece with a body needs the last one with it.
  /// @returns the first piece with the body, plus one, now that it is in `piece` too
  std::uint32_t Link(std::uint32_t first_piece, std::uint32_t piece) {
    if (piece + 1 == first_piece || first_piece == 0) return piece + 1;
    const std::uint32_t first = std::min(piece, first_piece - 1);
    const std::uint32_t last = std::max(piece, first_piece - 1);
    needs_[first] = std::max(needs_[first], last);
    return first + 1;
  }

  void OpenUpTo(std::size_t batch);
  void CloseOldest();

  std::vector<ContactBatch> batches_;  // the first `used_` are in use
  std::size_t used_ = 0;
  bool rolls_ = false;
  std::vector<RollingBatch> rolling_;  // used_, or none
  std::vector<Index> place_;  // of each contact: batch * kLanes + lane; room for more than size_
  std::size_t size_ = 0;
  Index first_fixed_ = 0;
  std::size_t padding_ = 0;  // index of the padding body
  std::int64_t arrangements_ = 0;
  std::vector<std::uint32_t> needs_;  // one per piece
  bool keeping_ = false;              // so far all contacts had the bodies of the last problem

  // While arranging. The window is a ring of bits: batch k has bit k mod 64.
  std::vector<BodyMark> marks_;               // one per body
  std::array<std::uint8_t, kWindow> filled_;  // lanes in use
  std::uint64_t open_ = 0;                    // batches with a free lane
  std::size_t oldest_ = 0;                    // that is still open
  std::size_t old_size_ = 0;                  // contacts of the problem whose places may be kept
};

}  // namespace scree
