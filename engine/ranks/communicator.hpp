/// \file  The only use of MPI in the engine: ranks, reductions and messages.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "solvers/base/exact_sum.hpp"

namespace scree {

/// Keeps MPI initialised during the lifetime of this object.
class MpiSession {
 public:
  MpiSession(int* argc, char*** argv);
  ~MpiSession();
  MpiSession(const MpiSession&) = delete;
  MpiSession& operator=(const MpiSession&) = delete;
};

/// Whether MPI has been initialised, by any code, and has not been finalised.
bool IsMpiRunning();

/// Name and version of the MPI library in one line.
std::string MpiLibraryVersion();

/// Numbers of messages and collective operations of one rank.
struct Traffic {
  std::int64_t messages = 0;     // sent to other ranks
  std::int64_t bytes = 0;        // in these messages
  std::int64_t collectives = 0;  // reductions and barriers

  Traffic& operator+=(const Traffic& other) {
    messages += other.messages;
    bytes += other.bytes;
    collectives += other.collectives;
    return *this;
  }
  /// Traffic since `before`.
  Traffic operator-(const Traffic& before) const {
    return {messages - before.messages, bytes - before.bytes, collectives - before.collectives};
  }
};

/// A group of ranks that work on one simulation. All calls are collective over the group, except
/// Exchange and ExchangeUnsized (collective over the peers), Abort and the getters.
class Communicator {
 public:
  /// All ranks of the program. Requires a living MpiSession.
  static Communicator World();
  /// This rank alone, for tests and serial tools.
  static Communicator Self();
  /// An existing MPI communicator, given as a Fortran handle (MPI_Comm_c2f). The calling program
  /// must keep the MPI communicator alive and must not use it for messages.
  static Communicator OfFortranHandle(int handle) { return Communicator(handle); }

  int Rank() const { return rank_; }
  int Size() const { return size_; }
  bool IsRoot() const { return rank_ == 0; }

  /// Element-wise reductions in place. The result has the same bits on every rank.
  void Sum(std::span<double> values) const;
  void Sum(std::span<std::int64_t> values) const;
  /// Exact sums have the same bits on any number of ranks.
  void Sum(std::span<ExactSum> sums) const;
  void Max(std::span<double> values) const;
  void Max(std::span<std::int64_t> values) const;
  double Sum(double value) const;
  std::int64_t Sum(std::int64_t value) const;
  double Max(double value) const;
  std::int64_t Max(std::int64_t value) const;

  /// Sum of `value` over the ranks before this one.
  std::int64_t ExclusiveSum(std::int64_t value) const;

  /// Returns root's text on every rank. Pass long texts by std::move.
  std::string Broadcast(std::string text) const;
  /// Returns one entry per rank at root, and nothing elsewhere.
  std::vector<double> GatherAtRoot(double value) const;
  std::vector<std::string> GatherAtRoot(const std::string& text) const;

  void Barrier() const;

  /// A barrier with a time limit, which may differ between ranks.
  /// @param seconds  time limit [s]
  /// @returns whether all ranks have arrived; if not, the only valid call is Abort
  bool BarrierWithin(double seconds) const;

  /// All traffic of this rank through this object and its copies. Broadcasts and gathers at root
  /// are not counted, because steps have none. Messages of a rank to itself are not counted either.
  const Traffic& Sent() const { return *sent_; }

  /// Sends send[k] to peers[k] and receives recv[k] from peers[k]; both sides know the sizes. A
  /// message of a rank to itself is a copy. Every peer must call this with this rank among its
  /// peers.
  void Exchange(std::span<const int> peers, std::span<const std::span<const std::byte>> send,
                std::span<const std::span<std::byte>> recv) const;

  /// As Exchange, but receivers need not know the sizes, which are exchanged first. Returns the
  /// message of each peer.
  std::vector<std::vector<std::byte>> ExchangeUnsized(
      std::span<const int> peers, const std::vector<std::vector<std::byte>>& send) const;

  /// A message and the rank at its other end.
  struct Message {
    int rank = 0;
    std::vector<std::byte> bytes;
  };
  /// Sparse point-to-point exchange (NBX). Sends each message to its rank, at most one per rank;
  /// receivers need not know the senders. Returns the messages for this rank, ordered by sender.
  /// The cost grows with the number of messages, not of ranks (T. Hoefler, C. Siebert, A.
  /// Lumsdaine, "Scalable communication protocols for dynamic sparse data exchange", PPoPP 2010).
  std::vector<Message> ExchangeSparse(const std::vector<Message>& messages) const;

  /// Ends all ranks immediately with this exit code.
  [[noreturn]] void Abort(int exit_code) const;

  /// The communicator as a Fortran handle. MPI_Comm_f2c turns it into the MPI_Comm that other
  /// libraries take.
  int FortranHandle() const { return fortran_handle_; }

 private:
  friend class PersistentExchange;
  friend class NonBlockingMax;
  explicit Communicator(int fortran_handle);
  void CountMessage(std::size_t bytes) const;
  void CountCollective() const { ++sent_->collectives; }

  std::shared_ptr<Traffic> sent_ = std::make_shared<Traffic>();
  int fortran_handle_ = 0;
  int rank_ = 0;
  int size_ = 1;
};

/// Persistent requests: repeated messages between the same ranks with the same buffers.
class PersistentExchange {
 public:
  PersistentExchange();
  /// Sends send[k] to peers[k] and receives recv[k] from peers[k]; both sides know the sizes. A
  /// message of a rank to itself is a copy. Every peer must create an exchange with this rank among
  /// its peers. If ranks share several exchanges, they must start them in the same order. The
  /// buffers must outlive this object.
  PersistentExchange(const Communicator& communicator, std::span<const int> peers,
                     std::span<const std::span<std::byte>> send,
                     std::span<const std::span<std::byte>> recv);
  ~PersistentExchange();
  PersistentExchange(PersistentExchange&& other) noexcept;
  PersistentExchange& operator=(PersistentExchange&& other) noexcept;

  /// Starts the messages. The buffers must not be touched until Finish returns.
  void Start();
  /// Waits until all messages have been sent and received.
  void Finish();

 private:
  struct Messages;
  std::unique_ptr<Messages> messages_;
};

/// A non-blocking all-reduce: the maximum of one value per rank. Collective.
class NonBlockingMax {
 public:
  explicit NonBlockingMax(const Communicator& communicator) : communicator_(communicator) {}
  NonBlockingMax(const NonBlockingMax&) = delete;
  NonBlockingMax& operator=(const NonBlockingMax&) = delete;

  void Send(double value);
  /// Waits for the reduction and returns the maximum. Call it once after each Send.
  double Take();

 private:
  const Communicator& communicator_;
  double value_ = 0.0;
  alignas(void*) std::byte request_[sizeof(void*)] = {};  // the MPI_Request
};

}  // namespace scree
