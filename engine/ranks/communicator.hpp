/// \file  The only MPI of the engine: ranks, reductions, messages between neighbours.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace scree {

/// Starts MPI for the program's lifetime.
class MpiSession {
 public:
  MpiSession(int* argc, char*** argv);
  ~MpiSession();
  MpiSession(const MpiSession&) = delete;
  MpiSession& operator=(const MpiSession&) = delete;
};

/// Whether MPI has been started and not ended, by whomever.
bool MpiIsRunning();

/// Name and version of the MPI library, one line.
std::string MpiLibraryVersion();

/// What one rank has sent to others, and in how many operations of all ranks it took part.
struct Traffic {
  std::int64_t messages = 0;     // to one rank each
  std::int64_t bytes = 0;        // in these
  std::int64_t collectives = 0;  // reductions and barriers

  Traffic& operator+=(const Traffic& other) {
    messages += other.messages;
    bytes += other.bytes;
    collectives += other.collectives;
    return *this;
  }
  /// What came after `before`.
  Traffic operator-(const Traffic& before) const {
    return {messages - before.messages, bytes - before.bytes, collectives - before.collectives};
  }
};

/// A group of ranks that work on one simulation. All calls but Rank, Size and Sent are collective
/// over the group, except Exchange, which is collective over the peers named.
class Communicator {
 public:
  /// All ranks of the program; needs a living MpiSession.
  static Communicator World();
  /// This rank alone, a world of one: for tests and serial tools.
  static Communicator Self();
  /// One that a program has made, as a Fortran handle (MPI_Comm_c2f); it has to stay, and nobody
  /// else may send messages in it.
  static Communicator OfFortranHandle(int handle) { return Communicator(handle); }

  int Rank() const { return rank_; }
  int Size() const { return size_; }
  bool IsRoot() const { return rank_ == 0; }

  /// Element-wise reductions, in place; the result is the same bits on every rank.
  void Sum(std::span<double> values) const;
  void Sum(std::span<std::int64_t> values) const;
  void Max(std::span<double> values) const;
  void Max(std::span<std::int64_t> values) const;
  double Sum(double value) const;
  std::int64_t Sum(std::int64_t value) const;
  double Max(double value) const;
  std::int64_t Max(std::int64_t value) const;

  /// Sum of `value` over the ranks before this one.
  std::int64_t ExclusiveSum(std::int64_t value) const;

  /// Root's text on every rank; move long ones in.
  std::string Broadcast(std::string text) const;
  /// One entry per rank, at root; empty elsewhere.
  std::vector<double> GatherAtRoot(double value) const;
  std::vector<std::string> GatherAtRoot(const std::string& text) const;

  void Barrier() const;

  /// A barrier at which this rank waits for so many seconds, others for as long as they say. A rank
  /// that has given up may only abort.
  /// @returns whether all ranks have come
  bool BarrierWithin(double seconds) const;

  /// By this rank since World or Self gave the communicator, by copies of it too; without
  /// broadcasts and gatherings at root, which no step has. A message to oneself is none.
  const Traffic& Sent() const { return *sent_; }

  /// Sends send[k] to peers[k] and receives recv[k] from it; sizes are known on both sides. A
  /// message to oneself is a copy. Every peer must call with this rank among its peers.
  void Exchange(std::span<const int> peers, std::span<const std::span<const std::byte>> send,
                std::span<const std::span<std::byte>> recv) const;

  /// Sends send[k] to peers[k] and returns what each peer sent; sizes travel ahead.
  std::vector<std::vector<std::byte>> ExchangeUnsized(
      std::span<const int> peers, const std::vector<std::vector<std::byte>>& send) const;

  /// A message and the rank at its other end.
  struct Message {
    int rank = 0;
    std::vector<std::byte> bytes;
  };
  /// Sparse point-to-point exchange (NBX): sends each message to its rank, at most one per rank,
  /// without the receivers knowing from whom; returns the messages for this rank, ordered by
  /// sender. Cost grows with the messages, not with the ranks (T. Hoefler, C. Siebert, A.
  /// Lumsdaine, "Scalable communication protocols for dynamic sparse data exchange", PPoPP 2010).
  std::vector<Message> ExchangeSparse(const std::vector<Message>& messages) const;

  /// Ends all ranks at once with this exit code.
  [[noreturn]] void Abort(int exit_code) const;

  /// The communicator as a Fortran handle, for libraries that take one (MPI_Comm_f2c).
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

/// Persistent requests: messages between the same ranks, from and to the same buffers, again and
/// again.
class PersistentExchange {
 public:
  PersistentExchange();
  /// Sends send[k] to peers[k] and receives recv[k] from it; sizes are known on both sides. A
  /// message to oneself is a copy. Every peer must have one with this rank among its peers; several
  /// of the same ranks must be started in the same order on all.
  PersistentExchange(const Communicator& communicator, std::span<const int> peers,
                     std::span<const std::span<std::byte>> send,
                     std::span<const std::span<std::byte>> recv);
  ~PersistentExchange();
  PersistentExchange(PersistentExchange&& other) noexcept;
  PersistentExchange& operator=(PersistentExchange&& other) noexcept;

  /// Sends what is in the buffers, which then must be left alone ...
  void Start();
  /// ... until this has returned; everything has arrived then.
  void Finish();

 private:
  struct Messages;
  std::unique_ptr<Messages> messages_;
};

/// A non-blocking all-reduce: the maximum over all ranks of what each sent. Collective.
class NonBlockingMax {
 public:
  explicit NonBlockingMax(const Communicator& communicator) : communicator_(communicator) {}
  NonBlockingMax(const NonBlockingMax&) = delete;
  NonBlockingMax& operator=(const NonBlockingMax&) = delete;

  void Send(double value);
  /// Once for each Send.
  double Take();

 private:
  const Communicator& communicator_;
  double value_ = 0.0;
  alignas(void*) std::byte request_[sizeof(void*)] = {};  // MPI's
};

}  // namespace scree
