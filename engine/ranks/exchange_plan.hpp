/// \file  The plan of a halo exchange: which entries are sent to which rank. It copies entries of
///        any type between owners and ghosts.
///
///     owner's array   . . x . . y . .          x and y are in peer.sent
///                         |     |
///                  Gather v     v ^ ScatterAdd
///                         |     | |
///     peer's array    owned ... | ghosts of rank 0 | ghosts of rank 3 | ...
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "engine/ranks/communicator.hpp"
#include "solvers/base/check.hpp"
#include "solvers/base/types.hpp"

namespace scree {

class ExchangePlan {
 public:
  struct Peer {
    int rank = 0;
    // This rank's owned entries that are ghosts on the peer, in the order of the peer's ghosts.
    std::vector<Index> sent;
    Index first_ghost = 0;  // this rank's first ghost that the peer owns
    Index ghosts = 0;       // number of this rank's ghosts that the peer owns
  };

  /// Peers are ordered by rank, and ghosts are ordered by peer.
  explicit ExchangePlan(std::vector<Peer> peers = {});
  /// A copy creates its own buffers and messages.
  ExchangePlan(const ExchangePlan& other) : ExchangePlan(other.peers_) {}
  ExchangePlan& operator=(const ExchangePlan& other) { return *this = ExchangePlan(other); }
  ExchangePlan(ExchangePlan&&) = default;
  ExchangePlan& operator=(ExchangePlan&&) = default;

  const std::vector<Peer>& Peers() const { return peers_; }
  bool IsEmpty() const { return peers_.empty(); }

  /// Sets the marks of all exchanged entries to 1.
  /// @param marks  one per particle of this rank, owned ones first; may be longer
  void MarkShared(std::span<std::uint8_t> marks) const;

  /// Creates buffers and messages for values of this size now instead of at their first exchange.
  template <class Value>
  void Reserve(const Communicator& communicator) {
    if (!IsEmpty()) ChannelFor(communicator, sizeof(Value));
  }

  /// Copies the owners' entries to their ghosts.
  /// @param values  one per particle of this rank, owned ones first
  template <class Value>
  void Gather(const Communicator& communicator, std::span<Value> values) {
    StartGather<Value>(communicator, [&](Index i) { return values[static_cast<std::size_t>(i)]; });
    FinishGather<Value>(
        [&](Index ghost, const Value& value) { values[static_cast<std::size_t>(ghost)] = value; });
  }

  /// Gather in two halves, to overlap communication with other work. For each size of values, only
  /// one exchange may be active at a time.
  /// @param owned_value  owned_value(index) returns the value of an owned entry
  /// @param set_ghost    set_ghost(index, value) stores the value of a ghost
  template <class Value, class OwnedValue>
  void StartGather(const Communicator& communicator, OwnedValue&& owned_value) {
    Channel& channel = ChannelFor(communicator, sizeof(Value));
    for (std::size_t k = 0; k < peers_.size(); ++k) {
      Value* out = Data<Value>(channel.owner_side[k]);
      for (const Index i : peers_[k].sent) *out++ = owned_value(i);
    }
    channel.forward.Start();
  }
  template <class Value, class SetGhost>
  void FinishGather(SetGhost&& set_ghost) {
    if (IsEmpty()) return;
    Channel& channel = ExistingChannel(sizeof(Value));
    channel.forward.Finish();
    for (std::size_t k = 0; k < peers_.size(); ++k) {
      const Value* in = Data<Value>(channel.ghost_side[k]);
      for (Index g = 0; g < peers_[k].ghosts; ++g) set_ghost(peers_[k].first_ghost + g, in[g]);
    }
  }

  /// Sends the values of ghosts to their owners. Calls add(owned index, value) for every ghost that
  /// this rank's particles have on any rank, in the order of the ranks. Sums are therefore
  /// reproducible.
  /// @param ghost_value  ghost_value(index) returns the value of one of this rank's ghosts
  template <class Value, class GhostValue, class Add>
  void ScatterAdd(const Communicator& communicator, GhostValue&& ghost_value, Add&& add) {
    StartScatter<Value>(communicator, ghost_value);
    FinishScatter<Value>(add);
  }

  /// ScatterAdd in two halves.
  template <class Value, class GhostValue>
  void StartScatter(const Communicator& communicator, GhostValue&& ghost_value) {
    Channel& channel = ChannelFor(communicator, sizeof(Value));
    for (std::size_t k = 0; k < peers_.size(); ++k) {
      Value* out = Data<Value>(channel.ghost_side[k]);
      for (Index g = 0; g < peers_[k].ghosts; ++g) *out++ = ghost_value(peers_[k].first_ghost + g);
    }
    channel.backward.Start();
  }
  template <class Value, class Add>
  void FinishScatter(Add&& add) {
    if (IsEmpty()) return;
    Channel& channel = ExistingChannel(sizeof(Value));
    channel.backward.Finish();
    for (std::size_t k = 0; k < peers_.size(); ++k) {
      const Value* in = Data<Value>(channel.owner_side[k]);
      for (const Index i : peers_[k].sent) add(i, *in++);
    }
  }

 private:
  struct alignas(64) Line {
    std::byte bytes[64];
  };
  using Buffers = std::vector<std::span<std::byte>>;
  /// Buffers and messages for values of one size, created at the first exchange of this size.
  struct Channel {
    std::size_t value_size = 0;
    std::vector<Line> storage;
    Buffers owner_side;  // one per peer: values of this rank's particles that are ghosts there
    Buffers ghost_side;  // one per peer: values of this rank's ghosts that the peer owns
    PersistentExchange forward, backward;  // from owners to ghosts; from ghosts to owners
  };

  template <class Value>
  static Value* Data(std::span<std::byte> bytes) {
    return reinterpret_cast<Value*>(bytes.data());
  }
  Channel& ExistingChannel(std::size_t value_size);
  Channel& ChannelFor(const Communicator& communicator, std::size_t value_size);

  std::vector<Peer> peers_;
  std::vector<int> ranks_;
  std::vector<Channel> channels_;
};

}  // namespace scree
