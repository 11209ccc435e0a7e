#include "solvers/contact_layout.hpp"

#include <algorithm>
#include <bit>

namespace scree {

void ContactLayout::Reserve(std::size_t contacts, std::size_t bodies) {
  const std::size_t batches = BatchesFor(contacts);
  place_.reserve(contacts);
  pairs_.reserve(contacts);
  filled_.reserve(batches);
  last_with_.reserve(batches / kPieceLength + 2);
  meets_border_.reserve(batches / kPieceLength + 2);
  marks_.reserve(bodies);
}

void ContactLayout::Begin(Index first_fixed, std::size_t bodies, std::size_t shared) {
  keeping_ = first_fixed == first_fixed_ && bodies == bodies_ && shared == shared_;
  first_fixed_ = first_fixed;
  bodies_ = bodies;
  shared_ = shared;
  old_size_ = size_;
  size_ = 0;
  if (!keeping_) Arrange();
}

ContactSlot ContactLayout::Add(Index a, Index b) {
  const Pair pair = {a, b};
  if (keeping_ && (size_ >= old_size_ || pairs_[size_] != pair)) ArrangeAgain();
  if (!keeping_) {
    if (size_ == place_.size()) {  // grow by half, but not beyond the room there is
      const std::size_t size = size_ + kLanes;
      place_.resize(std::max(size, std::min(place_.capacity(), size + size / 2)));
      pairs_.resize(place_.size());
    }
    pairs_[size_] = pair;
    place_[size_] = Place(size_, pair);
  }
  return SlotAt(place_[size_++]);
}

void ContactLayout::End() {
  if (keeping_ && size_ < old_size_) ArrangeAgain();
  if (keeping_) return;
  if (size_ <= shared_) border_ = count_;
}

void ContactLayout::Arrange() {
  ++arrangements_;
  keeping_ = false;
  filled_.assign(kWindow, 0);
  count_ = border_ = 0;
  last_with_.clear();
  meets_border_.clear();
  marks_.assign(bodies_, {});
  open_ = ~std::uint64_t{0};
  oldest_ = 0;
}

/// The contacts so far have kept their slots, but the next one cannot. Placing them again brings
/// each back to where it is, and the window to where it was then.
void ContactLayout::ArrangeAgain() {
  Arrange();
  for (std::size_t j = 0; j < size_; ++j) Place(j, pairs_[j]);
}

/// A contact goes to the first batch of the window with a free lane in which, and in whose
/// neighbours, neither of its moving bodies is (greedy colouring, first fit).
Index ContactLayout::Place(std::size_t j, const Pair& pair) {
  if (j == shared_) CloseBorder();
  BodyMark immovable_a, immovable_b;
  BodyMark& mark_a = pair.a < first_fixed_ ? marks_[static_cast<std::size_t>(pair.a)] : immovable_a;
  BodyMark& mark_b = pair.b < first_fixed_ ? marks_[static_cast<std::size_t>(pair.b)] : immovable_b;
  std::uint64_t taken_a, taken_b, free;
  for (;; CloseOldest()) {
    taken_a = Taken(mark_a);
    taken_b = Taken(mark_b);
    const std::uint64_t taken = taken_a | taken_b;
    free = open_ & ~(taken | std::rotl(taken, 1) | std::rotr(taken, 1));
    if (free != 0) break;
  }
  const int oldest_slot = static_cast<int>(oldest_ % kWindow);
  const std::size_t batch =
      oldest_ + static_cast<std::size_t>(std::countr_zero(std::rotr(free, oldest_slot)));
  count_ = std::max(count_, batch + 1);

  const std::size_t lane = filled_[batch]++;
  const std::uint64_t bit = std::uint64_t{1} << (batch % kWindow);
  const std::uint32_t as_of = FirstRemembered();
  const std::size_t in_piece = j < shared_ ? 0 : (batch - border_) / kPieceLength + HasBorder();
  const auto piece = static_cast<std::uint32_t>(in_piece);
  while (Pieces() <= piece) {
    last_with_.push_back(static_cast<std::uint32_t>(Pieces()));
    meets_border_.push_back(0);
  }
  mark_a = {taken_a | bit, as_of, Link(mark_a.first_piece, piece)};
  mark_b = {taken_b | bit, as_of, Link(mark_b.first_piece, piece)};
  if (filled_[batch] == kLanes) {
    open_ &= ~bit;
    while (filled_[oldest_] == kLanes) CloseOldest();
  }
  return static_cast<Index>(batch * kLanes + lane);
}

/// The window moves on by one batch, and the bit of the batch before it is free again.
void ContactLayout::CloseOldest() {
  open_ &= ~(std::uint64_t{1} << (oldest_ % kWindow));
  if (oldest_ > 0) open_ |= std::uint64_t{1} << ((oldest_ - 1) % kWindow);
  ++oldest_;
  filled_.push_back(0);
}

/// What follows begins with a new batch.
void ContactLayout::CloseBorder() {
  while (oldest_ < count_) CloseOldest();
  border_ = count_;
}

}  // namespace scree
