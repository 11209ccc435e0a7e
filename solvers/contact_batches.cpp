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

Vec3 ContactBatches::Impulse(std::size_t j) const {
  const ContactBatch& batch = batches_[BatchOf(place_[j])];
  const std::size_t lane = LaneOf(place_[j]);
  return {batch.impulse[0][lane], batch.impulse[1][lane], batch.impulse[2][lane]};
}

void ContactBatches::BeginArranging(Index first_fixed, std::size_t bodies) {
  SCREE_DEMAND(bodies < std::numeric_limits<BodyOffset>::max() / sizeof(SphereBody));
  ++arrangements_;
  first_fixed_ = first_fixed;
  padding_ = bodies;
  place_.clear();
  used_ = 0;
  in_window_.assign(bodies, 0);
  filled_.fill(0);
  open_ = ~std::uint64_t{0};
  oldest_ = 0;
}

/// A contact goes to the first batch of the window with a free lane in which, and in whose
/// neighbours, neither of its moving bodies is.
void ContactBatches::Place(Pair pair) {
  const auto a = static_cast<std::size_t>(pair.a);
  const auto b = static_cast<std::size_t>(pair.b);
  const std::uint64_t keep_a = pair.a < first_fixed_ ? ~std::uint64_t{0} : 0;
  const std::uint64_t keep_b = pair.b < first_fixed_ ? ~std::uint64_t{0} : 0;
  std::uint64_t free = 0;
  for (;; CloseOldest()) {
    const std::uint64_t taken = (in_window_[a] & keep_a) | (in_window_[b] & keep_b);
    free = open_ & ~(taken | std::rotl(taken, 1) | std::rotr(taken, 1));
    if (free != 0) break;
  }
  const int oldest_slot = static_cast<int>(oldest_ % kWindow);
  const std::size_t batch =
      oldest_ + static_cast<std::size_t>(std::countr_zero(std::rotr(free, oldest_slot)));
  const std::size_t slot = batch % kWindow;
  const std::uint64_t bit = std::uint64_t{1} << slot;
  used_ = std::max(used_, batch + 1);
  if (used_ > batches_.size()) batches_.resize(used_ + used_ / 2 + kWindow);

  const std::size_t lane = filled_[slot]++;
  batches_[batch].a[lane] = OffsetOf(pair.a);
  batches_[batch].b[lane] = OffsetOf(pair.b);
  in_window_[a] |= bit;
  in_window_[b] |= bit;
  place_.push_back(static_cast<Index>(batch * kLanes + lane));
  if (filled_[slot] == kLanes) {
    open_ &= ~bit;
    while (oldest_ < used_ && filled_[oldest_ % kWindow] == kLanes) CloseOldest();
  }
}

/// The window moves on by one batch; what is left empty in it is padded. Its bodies are remembered
/// until the next one closes, because they keep out of that one too.
void ContactBatches::CloseOldest() {
  const std::size_t slot = oldest_ % kWindow;
  ContactBatch& batch = batches_[oldest_];
  for (std::size_t lane = filled_[slot]; lane < kLanes; ++lane) {
    batch.a[lane] = batch.b[lane] = OffsetOf(static_cast<Index>(padding_));
    for (int axis = 0; axis < 3; ++axis) batch.normal[axis][lane] = batch.impulse[axis][lane] = 0.0;
    batch.bias[lane] = batch.effective_mass[lane] = batch.friction[lane] = 0.0;
  }
  open_ &= ~(std::uint64_t{1} << slot);
  if (oldest_ > 0) Forget(oldest_ - 1);
  ++oldest_;
}

/// Frees the batch's place in the ring for the batch that is 64 further on.
void ContactBatches::Forget(std::size_t closed) {
  const std::size_t slot = closed % kWindow;
  const std::uint64_t bit = std::uint64_t{1} << slot;
  for (std::size_t lane = 0; lane < filled_[slot]; ++lane) {
    in_window_[batches_[closed].a[lane] / sizeof(SphereBody)] &= ~bit;
    in_window_[batches_[closed].b[lane] / sizeof(SphereBody)] &= ~bit;
  }
  filled_[slot] = 0;
  open_ |= bit;
}

void ContactBatches::EndArranging() {
  while (oldest_ < used_) CloseOldest();
}

}  // namespace scree
