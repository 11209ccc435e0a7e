#include "solvers/batches/contact_colouring.hpp"

#include <algorithm>
#include <bit>

namespace scree {

/// Assigns slots to contacts one after the other. It works on local copies and on addresses,
/// because members of the layout would be read from and written to memory again for each contact.
class ContactColouring::Colourer {
 public:
  /// The contacts that get slots: the shared ones, those not shared, or all if none is shared.
  enum class Part { kShared, kLocal, kAll };

  explicit Colourer(ContactColouring& layout)
      : layout_(layout),
        first_fixed_(layout.first_fixed_),
        marks_(layout.marks_.data()),
        open_(layout.open_),
        oldest_(layout.oldest_),
        count_(layout.count_) {
    SetPointers();
  }
  Colourer(const Colourer&) = delete;
  Colourer& operator=(const Colourer&) = delete;
  ~Colourer() {
    layout_.open_ = open_;
    layout_.oldest_ = oldest_;
    layout_.count_ = count_;
  }

  /// Finds the slots of contacts first .. last - 1, all of this part.
  template <Part kPart>
  void FindSlots(std::size_t first, std::size_t last) {
    const BodyPair* const pairs = layout_.pairs_.data();
    Index* const slots = layout_.slot_.data();
    for (std::size_t j = first; j < last; ++j) slots[j] = FindSlot<kPart>(pairs[j]);
  }

  /// Ends the shared batches, so that the next contact begins a new batch.
  void EndShared() {
    while (oldest_ < count_) CloseOldest();
    layout_.shared_batches_ = count_;
  }

 private:
  /// Greedy colouring, first fit: a contact goes to the first batch of the window that has a free
  /// lane and, like its two neighbours, contains no moving body of the contact.
  template <Part kPart>
  SCREE_INLINE Index FindSlot(const BodyPair& pair) {
    BodyMark immovable_a, immovable_b;
    BodyMark& mark_a = pair.a < first_fixed_ ? marks_[pair.a] : immovable_a;
    BodyMark& mark_b = pair.b < first_fixed_ ? marks_[pair.b] : immovable_b;
    std::uint64_t taken_a, taken_b, free;
    for (;; CloseOldest()) {
      taken_a = BatchesWith(mark_a);
      taken_b = BatchesWith(mark_b);
      const std::uint64_t taken = taken_a | taken_b;
      free = open_ & ~(taken | std::rotl(taken, 1) | std::rotr(taken, 1));
      if (free != 0) [[likely]]
        break;
    }
    const int first_bit = static_cast<int>(oldest_ % kWindow);
    const std::size_t batch =
        oldest_ + static_cast<std::size_t>(std::countr_zero(std::rotr(free, first_bit)));
    count_ = std::max(count_, batch + 1);

    const std::uint8_t lane = filled_[batch];
    filled_[batch] = lane + 1;
    const std::uint64_t bit = std::uint64_t{1} << (batch % kWindow);
    const std::uint32_t window_start = WindowStart(), chunk = ChunkOf<kPart>(batch);
    mark_a = {taken_a | bit, window_start, RecordChunk<kPart>(mark_a.first_chunk, chunk)};
    mark_b = {taken_b | bit, window_start, RecordChunk<kPart>(mark_b.first_chunk, chunk)};
    if (lane + 1 == kLanes) {
      open_ &= ~bit;
      while (filled_[oldest_] == kLanes) CloseOldest();
    }
    return static_cast<Index>(batch * kLanes + lane);
  }

  // BatchesWith and RecordChunk have no branches, because the processor could not predict them:
  // whether a body is new, and how long ago it was last seen, is close to random.

  /// The batches of the window that contain this body, one bit each. A mark dates from the last
  /// contact of the body. Batches that have left the window since then are masked out, because
  /// their bits now stand for batches 64 further on. The batch before the window still counts,
  /// because its bodies must stay out of the first batch of the window.
  SCREE_INLINE std::uint64_t BatchesWith(const BodyMark& mark) const {
    const std::uint32_t shift = WindowStart() - mark.window_start;  // of the window since then
    const std::uint64_t run =
        shift >= kWindow ? ~std::uint64_t{0} : (std::uint64_t{1} << (shift % kWindow)) - 1;
    return mark.in_window & ~std::rotl(run, static_cast<int>((mark.window_start - 1) % kWindow));
  }
  SCREE_INLINE std::uint32_t WindowStart() const {
    return std::max<std::uint32_t>(static_cast<std::uint32_t>(oldest_), 1);
  }

  /// Records that a body is in `chunk`.
  /// @param first_chunk  one plus the first chunk of the body so far, or 0: 0 − 1 wraps around to a
  ///                     number above all chunks
  /// @returns one plus the first chunk of the body
  template <Part kPart>
  SCREE_INLINE std::uint32_t RecordChunk(std::uint32_t first_chunk, std::uint32_t chunk) {
    const std::uint32_t first = std::min(chunk, first_chunk - 1);
    const std::uint32_t last = std::max(chunk + 1, first_chunk) - 1;
    last_with_[first] = std::max(last_with_[first], last);
    if (kPart != Part::kAll) touches_shared_[chunk] |= static_cast<std::uint8_t>(first == 0);
    return first + 1;
  }

  template <Part kPart>
  SCREE_INLINE std::uint32_t ChunkOf(std::size_t batch) {
    std::size_t chunk = 0;
    if (kPart == Part::kLocal) chunk = 1 + (batch - layout_.shared_batches_) / kChunkLength;
    if (kPart == Part::kAll) chunk = batch / kChunkLength;
    if (chunk >= layout_.Chunks()) [[unlikely]]
      AddChunks(chunk);
    return static_cast<std::uint32_t>(chunk);
  }
  /// Adds chunks up to this one.
  void AddChunks(std::size_t chunk) {
    while (layout_.Chunks() <= chunk) {
      layout_.last_with_.push_back(static_cast<std::uint32_t>(layout_.Chunks()));
      layout_.touches_shared_.push_back(0);
    }
    SetPointers();
  }

  /// Moves the window by one batch. The bit of the batch before the window now stands for the batch
  /// that enters at its end.
  void CloseOldest() {
    open_ &= ~(std::uint64_t{1} << (oldest_ % kWindow));
    if (oldest_ > 0) open_ |= std::uint64_t{1} << ((oldest_ - 1) % kWindow);
    ++oldest_;
    std::vector<std::uint8_t>& filled = layout_.filled_;
    const std::size_t end = oldest_ + kWindow;
    if (end <= filled.size()) return;
    filled.resize(GrownSize(end, filled.capacity()), 0);
    SetPointers();
  }

  void SetPointers() {
    filled_ = layout_.filled_.data();
    last_with_ = layout_.last_with_.data();
    touches_shared_ = layout_.touches_shared_.data();
  }

  ContactColouring& layout_;
  const Index first_fixed_;
  BodyMark* const marks_;
  std::uint64_t open_;
  std::size_t oldest_, count_;
  std::uint8_t* filled_ = nullptr;
  std::uint32_t* last_with_ = nullptr;
  std::uint8_t* touches_shared_ = nullptr;
};

void ContactColouring::Reserve(std::size_t contacts, std::size_t bodies) {
  const std::size_t batches = BatchesFor(contacts);
  slot_.reserve(contacts);
  pairs_.reserve(contacts);
  filled_.reserve(batches);
  last_with_.reserve(batches / kChunkLength + 2);
  touches_shared_.reserve(batches / kChunkLength + 2);
  marks_.reserve(bodies);
}

void ContactColouring::Begin(Index first_fixed, std::size_t bodies, std::size_t shared) {
  is_reused_ = first_fixed == first_fixed_ && bodies == bodies_ && shared == shared_;
  first_fixed_ = first_fixed;
  bodies_ = bodies;
  shared_ = shared;
  old_size_ = size_;
  size_ = 0;
  if (!is_reused_) Reset();
}

void ContactColouring::Add(std::span<const BodyPair> pairs) {
  if (is_reused_) {
    const std::size_t old_pairs = std::min(pairs.size(), old_size_ - size_);
    std::size_t kept = 0;
    while (kept < old_pairs && pairs_[size_ + kept] == pairs[kept]) ++kept;
    size_ += kept;
    if (kept == pairs.size()) return;
    RecolourContacts();
    pairs = pairs.subspan(kept);
  }
  const std::size_t first = size_;
  size_ += pairs.size();
  if (size_ > slot_.size()) {
    slot_.resize(GrownSize(size_, slot_.capacity()));
    pairs_.resize(slot_.size());
  }
  std::copy(pairs.begin(), pairs.end(), &pairs_[first]);
  Colour(first, size_);
}

void ContactColouring::End() {
  if (is_reused_ && size_ < old_size_) RecolourContacts();
  if (is_reused_) return;
  if (size_ <= shared_) shared_batches_ = count_;
}

void ContactColouring::Reset() {
  ++recolourings_;
  is_reused_ = false;
  filled_.assign(kWindow, 0);
  count_ = shared_batches_ = 0;
  last_with_.clear();
  touches_shared_.clear();
  marks_.assign(bodies_, {});
  open_ = ~std::uint64_t{0};
  oldest_ = 0;
}

/// Called when the next contact cannot keep its slot. Colouring the contacts so far again gives the
/// same slots and restores the state of the window.
void ContactColouring::RecolourContacts() {
  Reset();
  Colour(0, size_);
}

/// Finds the slots of contacts first .. last - 1.
void ContactColouring::Colour(std::size_t first, std::size_t last) {
  using enum Colourer::Part;
  Colourer colourer(*this);
  if (!HasSharedBatches()) return colourer.FindSlots<kAll>(first, last);
  const std::size_t first_local = std::clamp(shared_, first, last);
  colourer.FindSlots<kShared>(first, first_local);
  if (first_local == last) return;
  if (first_local == shared_) colourer.EndShared();
  colourer.FindSlots<kLocal>(first_local, last);
}

}  // namespace scree
