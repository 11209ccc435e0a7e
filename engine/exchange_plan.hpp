/// \file  Who sends which entries to whom: moves arrays between owners and ghosts, and knows
///        nothing of what the entries mean.
///
///     owner's array   . . x . . y . .          x and y are in peer.sent
///                         |     |
///                  Gather v     v ^ ScatterAdd
///                         |     | |
///     peer's array    owned ... | ghosts of rank 0 | ghosts of rank 3 | ...
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "engine/communicator.hpp"
#include "solvers/check.hpp"
#include "solvers/types.hpp"

namespace scree {

class ExchangePlan {
 public:
  struct Peer {
    int rank = 0;
    std::vector<Index> sent;  // our owned entries of which it holds ghosts, in its ghosts' order
    Index first_ghost = 0;    // its entries among our ghosts
    Index ghosts = 0;
  };

  /// Peers in the order of their ranks, ghosts in the order of the peers.
  explicit ExchangePlan(std::vector<Peer> peers = {});

  const std::vector<Peer>& Peers() const { return peers_; }
  bool IsEmpty() const { return peers_.empty(); }

  /// Copies owners' entries to their ghosts.
  /// @param values  one per local particle, owned then ghosts
  template <class Value>
  void Gather(const Communicator& communicator, std::span<Value> values) {
    Prepare(sizeof(Value));
    for (std::size_t k = 0; k < peers_.size(); ++k) {
      Value* out = Data<Value>(owner_side_[k]);
      for (const Index i : peers_[k].sent) *out++ = values[static_cast<std::size_t>(i)];
    }
    Forward(communicator);
    for (std::size_t k = 0; k < peers_.size(); ++k) {
      const Value* in = Data<Value>(ghost_side_[k]);
      for (Index g = 0; g < peers_[k].ghosts; ++g) {
        values[static_cast<std::size_t>(peers_[k].first_ghost + g)] = in[g];
      }
    }
  }

  /// Brings what ranks have for their ghosts to the owners: calls add(owned index, value) for every
  /// ghost anywhere of our particles, in the order of the ranks, so that sums are reproducible.
  /// @param of_ghost  of_ghost(index) is the value of a ghost of ours
  template <class Value, class OfGhost, class Add>
  void ScatterAdd(const Communicator& communicator, OfGhost&& of_ghost, Add&& add) {
    Prepare(sizeof(Value));
    for (std::size_t k = 0; k < peers_.size(); ++k) {
      Value* out = Data<Value>(ghost_side_[k]);
      for (Index g = 0; g < peers_[k].ghosts; ++g) *out++ = of_ghost(peers_[k].first_ghost + g);
    }
    Backward(communicator);
    for (std::size_t k = 0; k < peers_.size(); ++k) {
      const Value* in = Data<Value>(owner_side_[k]);
      for (const Index i : peers_[k].sent) add(i, *in++);
    }
  }

 private:
  template <class Value>
  static Value* Data(std::span<std::byte> bytes) {
    return reinterpret_cast<Value*>(bytes.data());
  }
  void Prepare(std::size_t value_size);
  void Forward(const Communicator& communicator);
  void Backward(const Communicator& communicator);

  struct alignas(64) Line {
    std::byte bytes[64];
  };

  std::vector<Peer> peers_;
  std::vector<int> ranks_;
  std::vector<Line> storage_;                     // message buffers, kept between calls
  std::vector<std::span<std::byte>> owner_side_;  // one per peer: entries of our particles
  std::vector<std::span<std::byte>> ghost_side_;  // one per peer: entries of our ghosts
};

}  // namespace scree
