/// \file  Graph colouring of contacts into batches of eight that share no moving body; also finds
///        which runs of batches share bodies (for sweep_order). Uses only pairs of bodies.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "solvers/base/types.hpp"
#include "solvers/simd/simd.hpp"

namespace scree {

/// The new size of an array that needs `size` entries: half more, but no more than the capacity if
/// `size` fits into it.
inline std::size_t GrownSize(std::size_t size, std::size_t capacity) {
  return std::max(size, std::min(capacity, size + size / 2));
}

/// The batch and lane of a contact in arrays of batches.
struct ContactSlot {
  std::uint32_t batch = 0, lane = 0;
};

struct BodyPair {
  Index a, b;
  friend bool operator==(const BodyPair&, const BodyPair&) = default;
};

/// The batches and lanes of the contacts of a problem.
///
/// Adjacent batches share no moving body either, so that the processor can work on one batch while
/// the velocities of the previous one are still being stored. Contacts keep their order except
/// within a window of 64 batches. If particles are sorted in space, the bodies of a batch are
/// therefore near each other.
class ContactColouring {
 public:
  void Reserve(std::size_t contacts, std::size_t bodies);
  /// Number of batches for which arrays should reserve memory. With many contacts batches are
  /// nearly full.
  static std::size_t BatchesFor(std::size_t contacts) {
    return contacts / kLanes + contacts / 64 + 4 * kWindow;
  }

  /// Begins a problem; its contacts are added afterwards. As long as they have the same bodies as
  /// the contacts of the last problem, they keep their slots. From the first different pair on,
  /// slots are found again. In both cases the slots depend only on the pairs of this problem, and
  /// slots already returned stay valid.
  /// @param first_fixed  bodies from this index on do not move: a batch may contain them many times
  /// @param bodies       number of bodies
  /// @param shared       contacts before this one get their own batches, the shared batches
  void Begin(Index first_fixed, std::size_t bodies, std::size_t shared = 0);
  /// Makes the next problem find all slots again.
  void Invalidate() { bodies_ = std::numeric_limits<std::size_t>::max(); }
  /// Adds the next contacts. Adding many at once takes less time.
  void Add(std::span<const BodyPair> pairs);
  void End();

  /// Whether all contacts so far have the bodies and the slots of the last problem.
  bool IsReused() const { return is_reused_; }
  /// How often slots had to be found again.
  std::int64_t Recolourings() const { return recolourings_; }

  /// Number of contacts so far.
  std::size_t Size() const { return size_; }
  ContactSlot SlotOf(std::size_t j) const { return SlotAt(slot_[j]); }

  std::size_t Batches() const { return count_; }
  /// Number of shared batches. They come first, and contain exactly the shared contacts of Begin.
  std::size_t SharedBatches() const { return shared_batches_; }
  /// Number of lanes with a contact in a batch; these lanes come first.
  std::size_t LanesOf(std::size_t batch) const { return filled_[batch]; }

  /// Chunks for pipelined sweeps (sweep_order) are runs of batches: first the shared batches, if
  /// there are any, then runs of equal length, of which the last may be shorter.
  std::size_t Chunks() const { return last_with_.size(); }
  bool HasSharedBatches() const { return shared_ > 0; }
  /// Number of the first batch of a chunk; EndOf: number after its last batch.
  std::size_t FirstOf(std::size_t p) const {
    return p == 0 ? 0 : shared_batches_ + (p - HasSharedBatches()) * kChunkLength;
  }
  std::size_t EndOf(std::size_t p) const { return std::min(FirstOf(p + 1), Batches()); }
  /// The last chunk that contains a moving body whose first chunk is p, or p if there is none.
  std::size_t LastConnectedChunk(std::size_t p) const { return last_with_[p]; }
  /// Whether chunk p contains a moving body of the shared batches.
  bool TouchesSharedBatches(std::size_t p) const { return touches_shared_[p] != 0; }

  /// Bodies from this index on never move in a sweep.
  std::size_t FirstFixed() const { return static_cast<std::size_t>(first_fixed_); }
  /// One plus the first chunk that contains this moving body; 0 if none does.
  std::uint32_t FirstChunkPlusOne(std::size_t body) const { return marks_[body].first_chunk; }

  std::size_t ChunkCapacity() const { return last_with_.capacity(); }
  std::size_t Bytes() const {
    return slot_.capacity() * sizeof(Index) + pairs_.capacity() * sizeof(BodyPair) +
           filled_.capacity() + last_with_.capacity() * sizeof(std::uint32_t) +
           touches_shared_.capacity() + marks_.capacity() * sizeof(BodyMark);
  }

 private:
  static constexpr std::size_t kWindow = 64;       // batches open at a time: one bit each
  static constexpr std::size_t kChunkLength = 64;  // batches

  /// State of a body while contacts are being coloured.
  struct BodyMark {
    std::uint64_t in_window = 0;     // one bit for each batch in the window that has this body
    std::uint32_t window_start = 0;  // first batch of the window when in_window was set
    std::uint32_t first_chunk = 0;   // one plus the first chunk with this body; 0: none yet
  };

  static ContactSlot SlotAt(Index index) {
    const auto number = static_cast<std::uint32_t>(index);
    return {number / kLanes, number % kLanes};
  }

  class Colourer;
  void Reset();
  void RecolourContacts();
  void Colour(std::size_t first, std::size_t last);

  std::vector<Index> slot_;      // batch * kLanes + lane of each contact; may be larger than size_
  std::vector<BodyPair> pairs_;  // pair of each contact, same size as slot_
  std::size_t size_ = 0;
  std::vector<std::uint8_t> filled_;          // lanes in use of each batch, then zeros
  std::size_t count_ = 0;                     // number of batches
  std::vector<std::uint32_t> last_with_;      // LastConnectedChunk, one per chunk
  std::vector<std::uint8_t> touches_shared_;  // one per chunk
  Index first_fixed_ = 0;
  std::size_t bodies_ = 0;
  std::size_t shared_ = 0, shared_batches_ = 0;
  bool is_reused_ = false;
  std::int64_t recolourings_ = 0;

  // Used during colouring. The window is a ring of bits: batch k has bit k mod 64.
  std::vector<BodyMark> marks_;  // one per body
  std::uint64_t open_ = 0;       // batches with a free lane
  std::size_t oldest_ = 0;       // oldest batch with a free lane
  std::size_t old_size_ = 0;     // contacts of the last problem, whose slots may be kept
};

}  // namespace scree
