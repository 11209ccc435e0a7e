#include "solvers/batches/contact_colouring.hpp"

#include <algorithm>
#include <bit>

namespace scree {

/// Places contacts one after the other. It works on local copies and on addresses, because members
/// of the layout would be read from and written to memory again for each contact.
class ContactColouring::Placing {
 public:
  /// The contacts that are placed: the shared ones, the others, or all if none is shared.
  enum class Part { kBorder, kInside, kAll };

  explicit Placing(ContactColouring& layout)
      : layout_(layout),
        first_fixed_(layout.first_fixed_),
        marks_(layout.marks_.data()),
        open_(layout.open_),
        oldest_(layout.oldest_),
        count_(layout.count_) {
    Point();
  }
  Placing(const Placing&) = delete;
  Placing& operator=(const Placing&) = delete;
  ~Placing() {
    layout_.open_ = open_;
    layout_.oldest_ = oldest_;
    layout_.count_ = count_;
  }

  /// Places contacts first .. last - 1, all of this part.
  template <Part kPart>
  void Put(std::size_t first, std::size_t last) {
    const BodyPair* const pairs = layout_.pairs_.data();
    Index* const place = layout_.slot_.data();
    for (std::size_t j = first; j < last; ++j) place[j] = PutOne<kPart>(pairs[j]);
  }

  /// The next contact begins a new batch.
  void CloseBorder() {
    while (oldest_ < count_) CloseOldest();
    layout_.border_ = count_;
  }

 private:
  /// Greedy colouring, first fit: a contact goes to the first batch of the window that has a free
  /// lane, if neither this batch nor its neighbours contain one of its moving bodies.
  template <Part kPart>
  SCREE_INLINE Index PutOne(const BodyPair& pair) {
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
    const std::uint32_t window_start = FirstStored(), chunk = ChunkOf<kPart>(batch);
    mark_a = {taken_a | bit, window_start, Link<kPart>(mark_a.first_chunk, chunk)};
    mark_b = {taken_b | bit, window_start, Link<kPart>(mark_b.first_chunk, chunk)};
    if (lane + 1 == kLanes) {
      open_ &= ~bit;
      while (filled_[oldest_] == kLanes) CloseOldest();
    }
    return static_cast<Index>(batch * kLanes + lane);
  }

  // BatchesWith and Link have no branches, because the processor could not predict them: whether a
  // body is new, and how long ago it was last seen, is close to random.

  /// The batches of the window that contain this body, one bit each. A mark dates from the last
  /// time the body was placed. Batches that have left the window since then are masked out, because
  /// their bits now stand for batches 64 further on. The batch before the window still counts,
  /// because its bodies must stay out of the first batch of the window.
  SCREE_INLINE std::uint64_t BatchesWith(const BodyMark& mark) const {
    const std::uint32_t forgotten = FirstStored() - mark.window_start;
    const std::uint64_t run =
        forgotten >= kWindow ? ~std::uint64_t{0} : (std::uint64_t{1} << (forgotten % kWindow)) - 1;
    return mark.in_window & ~std::rotl(run, static_cast<int>((mark.window_start - 1) % kWindow));
  }
  SCREE_INLINE std::uint32_t FirstStored() const {
    return std::max<std::uint32_t>(static_cast<std::uint32_t>(oldest_), 1);
  }

  /// Records that a body is in `chunk`.
  /// @param first_chunk  its first chunk so far, plus one; 0: none, and 0 − 1 is beyond all chunks
  /// @returns its first chunk, plus one
  template <Part kPart>
  SCREE_INLINE std::uint32_t Link(std::uint32_t first_chunk, std::uint32_t chunk) {
    const std::uint32_t first = std::min(chunk, first_chunk - 1);
    const std::uint32_t last = std::max(chunk + 1, first_chunk) - 1;
    last_with_[first] = std::max(last_with_[first], last);
    if (kPart != Part::kAll) touches_shared_[chunk] |= static_cast<std::uint8_t>(first == 0);
    return first + 1;
  }

  template <Part kPart>
  SCREE_INLINE std::uint32_t ChunkOf(std::size_t batch) {
    std::size_t chunk = 0;
    if (kPart == Part::kInside) chunk = 1 + (batch - layout_.border_) / kChunkLength;
    if (kPart == Part::kAll) chunk = batch / kChunkLength;
    if (chunk >= layout_.Chunks()) [[unlikely]]
      BeginChunks(chunk);
    return static_cast<std::uint32_t>(chunk);
  }
  /// Adds batches up to this one.
  void BeginChunks(std::size_t chunk) {
    while (layout_.Chunks() <= chunk) {
      layout_.last_with_.push_back(static_cast<std::uint32_t>(layout_.Chunks()));
      layout_.touches_shared_.push_back(0);
    }
    Point();
  }

  /// Moves the window by one batch. The bit of the batch before it is free again.
  void CloseOldest() {
    open_ &= ~(std::uint64_t{1} << (oldest_ % kWindow));
    if (oldest_ > 0) open_ |= std::uint64_t{1} << ((oldest_ - 1) % kWindow);
    ++oldest_;
    std::vector<std::uint8_t>& filled = layout_.filled_;
    const std::size_t end = oldest_ + kWindow;
    if (end <= filled.size()) return;
    filled.resize(GrownSize(end, filled.capacity()), 0);
    Point();
  }

  void Point() {
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
  keeping_ = first_fixed == first_fixed_ && bodies == bodies_ && shared == shared_;
  first_fixed_ = first_fixed;
  bodies_ = bodies;
  shared_ = shared;
  old_size_ = size_;
  size_ = 0;
  if (!keeping_) Arrange();
}

void ContactColouring::Add(std::span<const BodyPair> pairs) {
  if (keeping_) {
    const std::size_t known = std::min(pairs.size(), old_size_ - size_);
    std::size_t kept = 0;
    while (kept < known && pairs_[size_ + kept] == pairs[kept]) ++kept;
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
  Place(first, size_);
}

void ContactColouring::End() {
  if (keeping_ && size_ < old_size_) RecolourContacts();
  if (keeping_) return;
  if (size_ <= shared_) border_ = count_;
}

void ContactColouring::Arrange() {
  ++arrangements_;
  keeping_ = false;
  filled_.assign(kWindow, 0);
  count_ = border_ = 0;
  last_with_.clear();
  touches_shared_.clear();
  marks_.assign(bodies_, {});
  open_ = ~std::uint64_t{0};
  oldest_ = 0;
}

/// The contacts so far have kept their slots, but the next one cannot. Placing them again keeps
/// their slots and restores the state of the window.
void ContactColouring::RecolourContacts() {
  Arrange();
  Place(0, size_);
}

/// Places contacts first .. last - 1.
void ContactColouring::Place(std::size_t first, std::size_t last) {
  using enum Placing::Part;
  Placing placing(*this);
  if (!HasBorder()) return placing.Put<kAll>(first, last);
  const std::size_t inside = std::clamp(shared_, first, last);
  placing.Put<kBorder>(first, inside);
  if (inside == last) return;
  if (inside == shared_) placing.CloseBorder();
  placing.Put<kInside>(inside, last);
}

}  // namespace scree
