#include "engine/exchange_plan.hpp"

namespace scree {
namespace {

std::vector<std::span<const std::byte>> Constant(const std::vector<std::span<std::byte>>& spans) {
  return {spans.begin(), spans.end()};
}

}  // namespace

ExchangePlan::ExchangePlan(std::vector<Peer> peers) : peers_(std::move(peers)) {
  for (const Peer& peer : peers_) {
    SCREE_DEMAND(ranks_.empty() || ranks_.back() < peer.rank);
    ranks_.push_back(peer.rank);
  }
  owner_side_.resize(peers_.size());
  ghost_side_.resize(peers_.size());
}

/// Cuts the storage into one aligned buffer per peer and direction.
void ExchangePlan::Prepare(std::size_t value_size) {
  const auto lines = [value_size](std::size_t values) {
    return (values * value_size + sizeof(Line) - 1) / sizeof(Line);
  };
  std::size_t needed = 0;
  for (const Peer& peer : peers_) {
    needed += lines(peer.sent.size()) + lines(static_cast<std::size_t>(peer.ghosts));
  }
  if (storage_.size() < needed) storage_.resize(needed);

  std::size_t at = 0;
  const auto cut = [&](std::size_t values) {
    const std::span<std::byte> bytes(reinterpret_cast<std::byte*>(storage_.data() + at),
                                     values * value_size);
    at += lines(values);
    return bytes;
  };
  for (std::size_t k = 0; k < peers_.size(); ++k) {
    owner_side_[k] = cut(peers_[k].sent.size());
    ghost_side_[k] = cut(static_cast<std::size_t>(peers_[k].ghosts));
  }
}

void ExchangePlan::Forward(const Communicator& communicator) {
  communicator.Exchange(ranks_, Constant(owner_side_), ghost_side_);
}

void ExchangePlan::Backward(const Communicator& communicator) {
  communicator.Exchange(ranks_, Constant(ghost_side_), owner_side_);
}

}  // namespace scree
