/// \file  Graph colouring of contacts into batches of eight that share no moving body, and how far
///        the bodies of runs of batches reach (sweep_order). Knows pairs of bodies, no data.
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

/// How many entries an array gets that needs `size`: half more, but no more than it has room for
/// while that is enough.
inline std::size_t GrownSize(std::size_t size, std::size_t capacity) {
  return std::max(size, std::min(capacity, size + size / 2));
}

/// Where the data of a contact are in arrays of batches.
struct ContactSlot {
  std::uint32_t batch = 0, lane = 0;
};

/// The bodies of a contact.
struct BodyPair {
  Index a, b;
  friend bool operator==(const BodyPair&, const BodyPair&) = default;
};

/// The batches and lanes of the contacts of a problem.
///
/// Neighbouring batches share no moving body either, so that the processor can work on the next one
/// while the velocities of the last one are still being stored. Contacts keep their order up to a
/// window of 64 batches: particles sorted in space give batches whose bodies are near each other.
class ContactColouring {
 public:
  /// Reserves memory for problems of up to this number of contacts and bodies.
  void Reserve(std::size_t contacts, std::size_t bodies);
  /// For how many batches arrays should have room then: they are as good as full where contacts are
  /// many.
  static std::size_t BatchesFor(std::size_t contacts) {
    return contacts / kLanes + contacts / 64 + 4 * kWindow;
  }

  /// Begins a problem; its contacts follow. As long as they have the bodies of the last
  /// problem's contacts they get the same slots; from the first that has not, slots are found
  /// again. Either way slots follow from the pairs of this problem alone, and those given stay.
  /// @param first_fixed  bodies from here on do not move: a batch may have one of them many times
  /// @param bodies       number of bodies
  /// @param shared       the contacts before this one get batches of their own, the border
  void Begin(Index first_fixed, std::size_t bodies, std::size_t shared = 0);
  /// The next problem's slots are found again.
  void Invalidate() { bodies_ = std::numeric_limits<std::size_t>::max(); }
  /// The next contacts. Those that come together are placed together, which takes less time.
  void Add(std::span<const BodyPair> pairs);
  void End();

  /// So far all contacts have had the bodies, and got the slots, of the last problem's.
  bool IsReused() const { return keeping_; }
  /// How often slots had to be found again.
  std::int64_t Recolourings() const { return arrangements_; }

  /// Contacts so far.
  std::size_t Size() const { return size_; }
  ContactSlot SlotOf(std::size_t j) const { return SlotAt(place_[j]); }

  std::size_t Batches() const { return count_; }
  /// Batches before this one hold the first contacts, as many as Begin got, and no others.
  std::size_t SharedBatches() const { return border_; }
  /// Lanes of a batch with a contact, which come first.
  std::size_t LanesOf(std::size_t batch) const { return filled_[batch]; }

  /// Runs of batches, for pipelined sweeps (sweep_order): the border, if there is one, and all
  /// others in runs of the same length but the last.
  std::size_t Pieces() const { return last_with_.size(); }
  bool HasBorder() const { return shared_ > 0; }
  /// Number of a piece's first batch, and that after its last.
  std::size_t FirstOf(std::size_t p) const {
    return p == 0 ? 0 : border_ + (p - HasBorder()) * kPieceLength;
  }
  std::size_t EndOf(std::size_t p) const { return std::min(FirstOf(p + 1), Batches()); }
  /// The last piece with a moving body that is in p and in none before p; p if there is none.
  std::size_t LastConnectedChunk(std::size_t p) const { return last_with_[p]; }
  /// Whether a moving body of the border, if there is one, is in p.
  bool TouchesSharedBatches(std::size_t p) const { return meets_border_[p] != 0; }

  /// Bodies from here on never move in a sweep.
  std::size_t FirstFixed() const { return static_cast<std::size_t>(first_fixed_); }
  /// The piece after the first one that a moving body is in; 0: it is in none.
  std::uint32_t FirstChunkPlusOne(std::size_t body) const { return marks_[body].first_piece; }

  std::size_t PieceCapacity() const { return last_with_.capacity(); }
  /// Memory of the arrays.
  std::size_t Bytes() const {
    return place_.capacity() * sizeof(Index) + pairs_.capacity() * sizeof(BodyPair) +
           filled_.capacity() + last_with_.capacity() * sizeof(std::uint32_t) +
           meets_border_.capacity() + marks_.capacity() * sizeof(BodyMark);
  }

 private:
  static constexpr std::size_t kWindow = 64;       // batches open at a time: one bit each
  static constexpr std::size_t kPieceLength = 64;  // batches

  /// State of a body while contacts are being coloured.
  struct BodyMark {
    std::uint64_t in_window = 0;    // the batches of the window it is in ...
    std::uint32_t as_of = 0;        // ... when this was the oldest stored batch
    std::uint32_t first_piece = 0;  // that it is in, plus one; 0: none yet
  };

  static ContactSlot SlotAt(Index place) {
    const auto at = static_cast<std::uint32_t>(place);
    return {at / kLanes, at % kLanes};
  }

  class Placing;
  void Arrange();
  void RecolourContacts();
  void Place(std::size_t first, std::size_t last);

  std::vector<Index> place_;     // of each contact: batch * kLanes + lane; room for more than size_
  std::vector<BodyPair> pairs_;  // alike
  std::size_t size_ = 0;
  std::vector<std::uint8_t> filled_;        // lanes in use, one per batch; and zeros
  std::size_t count_ = 0;                   // of batches
  std::vector<std::uint32_t> last_with_;    // one per piece
  std::vector<std::uint8_t> meets_border_;  // alike
  Index first_fixed_ = 0;
  std::size_t bodies_ = 0;
  std::size_t shared_ = 0, border_ = 0;
  bool keeping_ = false;
  std::int64_t arrangements_ = 0;

  // While arranging. The window is a ring of bits: batch k has bit k mod 64.
  std::vector<BodyMark> marks_;  // one per body
  std::uint64_t open_ = 0;       // batches with a free lane
  std::size_t oldest_ = 0;       // that is still open
  std::size_t old_size_ = 0;     // contacts of the problem whose slots may be kept
};

}  // namespace scree
