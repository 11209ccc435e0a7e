#include "engine/ranks/exchange_plan.hpp"

#include <algorithm>

namespace scree {

ExchangePlan::ExchangePlan(std::vector<Peer> peers) : peers_(std::move(peers)) {
  for (const Peer& peer : peers_) {
    SCREE_DEMAND(ranks_.empty() || ranks_.back() < peer.rank);
    ranks_.push_back(peer.rank);
  }
}

void ExchangePlan::MarkShared(std::span<std::uint8_t> marks) const {
  for (const Peer& peer : peers_) {
    for (const Index i : peer.sent) marks[static_cast<std::size_t>(i)] = 1;
    for (Index g = 0; g < peer.ghosts; ++g) {
      marks[static_cast<std::size_t>(peer.first_ghost + g)] = 1;
    }
  }
}

ExchangePlan::Channel& ExchangePlan::ExistingChannel(std::size_t value_size) {
  const auto channel =
      std::find_if(channels_.begin(), channels_.end(),
                   [=](const Channel& candidate) { return candidate.value_size == value_size; });
  SCREE_DEMAND(channel != channels_.end());
  return *channel;
}

/// The channel for values of this size. If it does not exist yet, creates it and divides its
/// storage into one aligned buffer per peer and direction.
ExchangePlan::Channel& ExchangePlan::ChannelFor(const Communicator& communicator,
                                                std::size_t value_size) {
  for (Channel& channel : channels_) {
    if (channel.value_size == value_size) return channel;
  }
  const auto lines = [value_size](std::size_t values) {
    return (values * value_size + sizeof(Line) - 1) / sizeof(Line);
  };
  std::size_t line_count = 0;
  for (const Peer& peer : peers_) {
    line_count += lines(peer.sent.size()) + lines(static_cast<std::size_t>(peer.ghosts));
  }
  Channel& channel = channels_.emplace_back();
  channel.value_size = value_size;
  channel.storage.resize(line_count);
  std::size_t line = 0;
  const auto take_buffer = [&](std::size_t values) {
    const std::span<std::byte> bytes(reinterpret_cast<std::byte*>(channel.storage.data() + line),
                                     values * value_size);
    line += lines(values);
    return bytes;
  };
  for (const Peer& peer : peers_) {
    channel.owner_side.push_back(take_buffer(peer.sent.size()));
    channel.ghost_side.push_back(take_buffer(static_cast<std::size_t>(peer.ghosts)));
  }
  channel.forward = {communicator, ranks_, channel.owner_side, channel.ghost_side};
  channel.backward = {communicator, ranks_, channel.ghost_side, channel.owner_side};
  return channel;
}

}  // namespace scree
