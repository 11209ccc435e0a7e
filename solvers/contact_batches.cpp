#include "solvers/contact_batches.hpp"

#include <algorithm>
#include <bit>
#include <limits>

#include "solvers/check.hpp"

namespace scree {
Contact ContactBatches::At(std::size_t j) const {
  const ContactBatch& batch = batches_[BatchOf(place_[j])];
  const std::size_t lane = LaneOf(place_[j]);
  Contact contact;
  contact.normal = Vec3(batch.normal[0][lane], batch.normal[1][lane], batch.normal[2][lane]);
  contact.bias = batch.bias[lane];
  contact.effective_mass = batch.effective_mass[lane];
  contact.friction = batch.friction[lane];
  contact.a = static_cast<Index>(batch.a[lane] / sizeof(SphereBody));
  contact.b = static_cast<Index>(batch.b[lane] / sizeof(SphereBody));
  return contact;
}

void ContactBatches::SetImpulse(std::size_t j, const Vec3& impulse) {
  ContactBatch& batch = batches_[BatchOf(place_[j])];
  const std::size_t lane = LaneOf(place_[j]);
  for (int axis = 0; axis < 3; ++axis) batch.impulse[axis][lane] = impulse[axis];
}

void ContactBatches::SetRolling(std::size_t j, const RollingContact& rolling, const Vec3& impulse) {
  RollingBatch& batch = rolling_[BatchOf(place_[j])];
  const std::size_t lane = LaneOf(place_[j]);
  batch.rolling[lane] = rolling.rolling;
  batch.spinning[lane] = rolling.spinning;
  batch.effective_mass[lane] = rolling.effective_mass;
  batch.share_a[lane] = rolling.share_a;
  batch.share_b[lane] = rolling.share_b;
  SetRollingImpulse(j, impulse);
}

RollingContact ContactBatches::RollingAt(std::size_t j) const {
  const RollingBatch& batch = rolling_[BatchOf(place_[j])];
  const std::size_t lane = LaneOf(place_[j]);
  return {batch.rolling[lane], batch.spinning[lane], batch.effective_mass[lane],
          batch.share_a[lane], batch.share_b[lane]};
}

Vec3 ContactBatches::RollingImpulse(std::size_t j) const {
  if (!Rolls()) return Vec3::Zero();
  const RollingBatch& batch = rolling_[BatchOf(place_[j])];
  const std::size_t lane = LaneOf(place_[j]);
  return {batch.impulse[0][lane], batch.impulse[1][lane], batch.impulse[2][lane]};
}

void ContactBatches::SetRollingImpulse(std::size_t j, const Vec3& impulse) {
  RollingBatch& batch = rolling_[BatchOf(place_[j])];
  const std::size_t lane = LaneOf(place_[j]);
  for (int axis = 0; axis < 3; ++axis) batch.impulse[axis][lane] = impulse[axis];
}

namespace {
/// Grows by half, but not beyond the room there is while that is enough.
template <class Vector>
void GrowTo(std::size_t size, Vector& vector) {
  vector.resize(std::max(size, std::min(vector.capacity(), size + size / 2)));
}
}  // namespace

void ContactBatches::Reserve(std::size_t contacts, std::size_t bodies) {
  // Batches are as good as full where contacts are many.
  batches_.reserve(contacts / kLanes + contacts / 64 + 4 * kWindow);
  place_.reserve(contacts);
  needs_.reserve(batches_.capacity() / kPieceLength + 1);
  marks_.reserve(bodies);
}

void ContactBatches::Begin(Index first_fixed, std::size_t bodies) {
  SCREE_DEMAND(bodies < std::numeric_limits<BodyOffset>::max() / sizeof(SphereBody));
  keeping_ = first_fixed == first_fixed_ && bodies == padding_;
  first_fixed_ = first_fixed;
  padding_ = bodies;
  rolls_ = false;
  rolling_.clear();
  old_size_ = size_;
  size_ = 0;
  if (!keeping_) Arrange();
}

void ContactBatches::Add(const Contact& contact, const Vec3& impulse) {
  if (keeping_) {
    const bool same =
        size_ < old_size_ &&
        batches_[BatchOf(place_[size_])].a[LaneOf(place_[size_])] == OffsetOf(contact.a) &&
        batches_[BatchOf(place_[size_])].b[LaneOf(place_[size_])] == OffsetOf(contact.b);
    if (!same) ArrangeAgain();
  }
  if (size_ == place_.size()) GrowTo(size_ + kLanes, place_);
  const Index place = keeping_ ? place_[size_] : Place(contact.a, contact.b);
  place_[size_++] = place;

  ContactBatch& batch = batches_[BatchOf(place)];
  const std::size_t lane = LaneOf(place);
  for (int axis = 0; axis < 3; ++axis) {
    batch.normal[axis][lane] = contact.normal[axis];
    batch.impulse[axis][lane] = impulse[axis];
  }
  batch.bias[lane] = contact.bias;
  batch.effective_mass[lane] = contact.effective_mass;
  batch.friction[lane] = contact.friction;
}

void ContactBatches::End() {
  if (keeping_ && size_ < old_size_) ArrangeAgain();
  if (keeping_) return;
  while (oldest_ < used_) CloseOldest();
  std::uint32_t furthest = 0;
  for (std::uint32_t& needed : needs_) needed = furthest = std::max(furthest, needed);
}

void ContactBatches::Arrange() {
  ++arrangements_;
  keeping_ = false;
  used_ = 0;
  needs_.clear();
  marks_.assign(padding_, {});
  filled_.fill(0);
  open_ = ~std::uint64_t{0};
  oldest_ = 0;
}

/// The contacts so far have kept their places, but the next one cannot. Placing them again brings
/// each back to where it is, data included, and the window to where it was then.
void ContactBatches::ArrangeAgain() {
  Arrange();
  for (std::size_t j = 0; j < size_; ++j) {
    const ContactBatch& batch = batches_[BatchOf(place_[j])];
    const std::size_t lane = LaneOf(place_[j]);
    Place(static_cast<Index>(batch.a[lane] / sizeof(SphereBody)),
          static_cast<Index>(batch.b[lane] / sizeof(SphereBody)));
  }
}

/// A contact goes to the first batch of the window with a free lane in which, and in whose
/// neighbours, neither of its moving bodies is.
Index ContactBatches::Place(Index a, Index b) {
  BodyMark immovable_a, immovable_b;
  BodyMark& mark_a = a < first_fixed_ ? marks_[static_cast<std::size_t>(a)] : immovable_a;
  BodyMark& mark_b = b < first_fixed_ ? marks_[static_cast<std::size_t>(b)] : immovable_b;
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
  const std::size_t slot = batch % kWindow;
  if (batch >= used_) OpenUpTo(batch);

  const std::size_t lane = filled_[slot]++;
  batches_[batch].a[lane] = OffsetOf(a);
  batches_[batch].b[lane] = OffsetOf(b);
  const std::uint64_t bit = std::uint64_t{1} << slot;
  const auto as_of = static_cast<std::uint32_t>(oldest_);
  const auto piece = static_cast<std::uint32_t>(batch / kPieceLength);
  while (needs_.size() <= piece) needs_.push_back(static_cast<std::uint32_t>(needs_.size()));
  mark_a = {taken_a | bit, as_of, Link(mark_a.first_piece, piece)};
  mark_b = {taken_b | bit, as_of, Link(mark_b.first_piece, piece)};
  if (filled_[slot] == kLanes) {
    open_ &= ~bit;
    while (oldest_ < used_ && filled_[oldest_ % kWindow] == kLanes) CloseOldest();
  }
  return static_cast<Index>(batch * kLanes + lane);
}

/// Batches are written in lines far apart, which the processor does not foresee.
void ContactBatches::OpenUpTo(std::size_t batch) {
  constexpr std::size_t kAhead = 8;
  used_ = batch + 1;
  if (used_ + kAhead > batches_.size()) GrowTo(used_ + kAhead + kWindow, batches_);
  const auto* ahead = reinterpret_cast<const std::byte*>(&batches_[batch + kAhead]);
  for (std::size_t line = 0; line < sizeof(ContactBatch); line += 64) {
    __builtin_prefetch(ahead + line, 1);
  }
}

/// The window moves on by one batch; what is left empty in it is padded, and the place in the ring
/// of the batch before it is freed.
void ContactBatches::CloseOldest() {
  const std::size_t slot = oldest_ % kWindow;
  ContactBatch& batch = batches_[oldest_];
  for (std::size_t lane = filled_[slot]; lane < kLanes; ++lane) {
    batch.a[lane] = batch.b[lane] = OffsetOf(static_cast<Index>(padding_));
    for (int axis = 0; axis < 3; ++axis) batch.normal[axis][lane] = batch.impulse[axis][lane] = 0.0;
    batch.bias[lane] = batch.effective_mass[lane] = batch.friction[lane] = 0.0;
  }
  open_ &= ~(std::uint64_t{1} << slot);
  if (oldest_ > 0) {
    filled_[(oldest_ - 1) % kWindow] = 0;
    open_ |= std::uint64_t{1} << ((oldest_ - 1) % kWindow);
  }
  ++oldest_;
}

}  // namespace scree
