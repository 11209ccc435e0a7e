#include "solvers/sweeps/sweep_order.hpp"

#include <numeric>

namespace scree {

void SweepOrder::Reserve(const ContactColouring& layout) {
  const std::size_t chunks = layout.ChunkCapacity() + 1;
  chunks_.reserve(chunks);
  for (auto* const array : {&order_, &position_, &begin_, &distance_}) array->reserve(chunks);
}

void SweepOrder::Set(SyncedBodies synced, const ContactColouring& layout) {
  layout_ = &layout;
  chunks_.clear();
  is_sequential_ = synced == SyncedBodies::kAny;
  if (is_sequential_) return SetSequential();
  order_.resize(layout.Chunks());
  std::iota(order_.begin(), order_.end(), 0);
  if (synced == SyncedBodies::kShared && layout.HasSharedBatches() && layout.Chunks() > 1) Sort();
  for (const std::size_t p : order_) {
    chunks_.push_back({static_cast<std::uint32_t>(layout.FirstOf(p)),
                       static_cast<std::uint32_t>(layout.EndOf(p)), 0});
  }
  FindDependencies();
  if (synced == SyncedBodies::kShared) AddCommunicationSlack();
}

void SweepOrder::SetSequential() {
  const auto shared = static_cast<std::uint32_t>(layout_->SharedBatches());
  const auto end = static_cast<std::uint32_t>(layout_->Batches());
  const std::uint32_t middle = shared + (end - shared) / 2;
  constexpr std::uint32_t kLast = 2;
  chunks_ = {{0, shared, kLast}, {shared, middle, kLast}, {middle, end, kLast}};
}

/// Sorts chunks by their distance in memory from the nearest chunk that shares a body with the
/// shared batches. The shared batches come first.
void SweepOrder::Sort() {
  const std::size_t chunks = layout_->Chunks();
  distance_.resize(chunks);
  std::uint32_t distance = static_cast<std::uint32_t>(chunks);
  const auto visit = [&](std::size_t p) {
    distance = layout_->TouchesSharedBatches(p) ? 0 : distance + 1;
    return distance;
  };
  for (std::size_t p = 1; p < chunks; ++p) distance_[p] = visit(p);
  distance = static_cast<std::uint32_t>(chunks);
  for (std::size_t p = chunks; p-- > 1;) distance_[p] = std::min(distance_[p], visit(p));
  std::sort(order_.begin() + 1, order_.end(), [&](std::uint32_t p, std::uint32_t q) {
    return distance_[p] != distance_[q] ? distance_[p] < distance_[q] : p < q;
  });
}

/// Consider the bodies whose first chunk in memory is p. They may also be in later chunks, up to a
/// known last chunk. Of these chunks, the one that a sweep does first must wait until the previous
/// sweep has done the one that it does last.
void SweepOrder::FindDependencies() {
  const std::size_t chunks = layout_->Chunks();
  position_.resize(chunks);
  begin_.resize(chunks);
  for (std::size_t k = 0; k < chunks; ++k) position_[order_[k]] = static_cast<std::uint32_t>(k);
  for (std::size_t p = 0; p < chunks; ++p) {
    const bool is_shared = p == 0 && layout_->HasSharedBatches();
    std::uint32_t first = position_[p], last = first;
    for (std::size_t q = p + 1; q <= layout_->LastConnectedChunk(p); ++q) {
      if (is_shared && !layout_->TouchesSharedBatches(q)) continue;
      first = std::min(first, position_[q]);
      last = std::max(last, position_[q]);
    }
    begin_[p] = first;
    chunks_[first].dependency = std::max(chunks_[first].dependency, last);
  }
  std::uint32_t furthest = 0;
  for (Chunk& chunk : chunks_) chunk.dependency = furthest = std::max(furthest, chunk.dependency);
}

/// A sweep begins when the previous sweep has done kSlackChunks chunks after its first, so that
/// messages can travel meanwhile. A rank without chunks gets an empty one, so that it
/// participates in the exchange.
void SweepOrder::AddCommunicationSlack() {
  if (chunks_.empty()) chunks_.push_back({0, 0, 0});
  const auto last = static_cast<std::uint32_t>(chunks_.size() - 1);
  chunks_[0].dependency = std::max(chunks_[0].dependency, std::min(kSlackChunks, last));
}

std::size_t SweepOrder::Bytes() const {
  return chunks_.capacity() * sizeof(Chunk) +
         (order_.capacity() + position_.capacity() + begin_.capacity() + distance_.capacity()) *
             sizeof(std::uint32_t);
}

}  // namespace scree
