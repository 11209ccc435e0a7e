#include "engine/ranks/communicator.hpp"

#include <dlfcn.h>
#include <link.h>
#include <mpi.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "solvers/base/check.hpp"

namespace scree {
namespace {

constexpr int kSizeTag = 1;
constexpr int kDataTag = 2;
constexpr int kSparseTag = 3;

MPI_Comm Native(const Communicator& communicator) {
  return MPI_Comm_f2c(static_cast<MPI_Fint>(communicator.FortranHandle()));
}

int Count(std::size_t size) {
  SCREE_DEMAND(size <= 0x7fffffff);  // MPI counts are int
  return static_cast<int>(size);
}

template <class Value>
void AllReduce(std::span<Value> values, MPI_Datatype type, MPI_Op operation, MPI_Comm native) {
  MPI_Allreduce(MPI_IN_PLACE, values.data(), Count(values.size()), type, operation, native);
}

/// Pins all loaded libraries. Open MPI 4 unloads PMIx in MPI_Finalize while a thread of PMIx may
/// still be running, and about one in a thousand programs then ends with signal 11 (Open MPI issue
/// 10117).
void KeepLibrariesLoaded() {
  std::vector<std::string> names;
  const auto add = [](dl_phdr_info* library, std::size_t, void* list) {
    static_cast<std::vector<std::string>*>(list)->emplace_back(library->dlpi_name);
    return 0;
  };
  dl_iterate_phdr(add, &names);
  for (const std::string& name : names) {
    if (name.starts_with('/')) dlopen(name.c_str(), RTLD_LAZY | RTLD_NOLOAD | RTLD_NODELETE);
  }
}

/// Settings for MPI_Init of a program that runs without a launcher. Open MPI 4 would start a daemon
/// for it, which takes twice the time of all the rest, and make a folder for messages within the
/// node; a single rank needs neither. Programs that this one starts do not see the settings.
class SingletonSettings {
 public:
  SingletonSettings() {
    // Set by launchers with PMIx, such as mpirun, by older ones (PMI), and by Slurm without either.
    for (const char* launched : {"PMIX_RANK", "PMI_RANK", "SLURM_PROCID"}) {
      if (std::getenv(launched) != nullptr) return;
    }
    for (const auto& [name, value] : kSettings) {
      if (std::getenv(name) != nullptr) continue;  // the user decided
      setenv(name, value, 1);
      set_.push_back(name);
    }
  }
  ~SingletonSettings() {
    for (const char* name : set_) unsetenv(name);
  }
  SingletonSettings(const SingletonSettings&) = delete;
  SingletonSettings& operator=(const SingletonSettings&) = delete;

 private:
  static constexpr std::pair<const char*, const char*> kSettings[] = {
      {"OMPI_MCA_ess_singleton_isolated", "1"}, {"OMPI_MCA_orte_create_session_dirs", "0"}};
  std::vector<const char*> set_;
};

}  // namespace

MpiSession::MpiSession(int* argc, char*** argv) {
  const SingletonSettings settings;
  MPI_Init(argc, argv);
}

MpiSession::~MpiSession() {
  KeepLibrariesLoaded();
  MPI_Finalize();
}

bool IsMpiRunning() {
  int started = 0, ended = 0;
  MPI_Initialized(&started);
  MPI_Finalized(&ended);
  return started != 0 && ended == 0;
}

std::string MpiLibraryVersion() {
  char text[MPI_MAX_LIBRARY_VERSION_STRING];
  int length = 0;
  MPI_Get_library_version(text, &length);
  const std::string all(text, static_cast<std::size_t>(length));
  return all.substr(0, all.find_first_of(",\n"));
}

Communicator::Communicator(int fortran_handle) : fortran_handle_(fortran_handle) {
  MPI_Comm_rank(Native(*this), &rank_);
  MPI_Comm_size(Native(*this), &size_);
}

void Communicator::CountMessage(std::size_t bytes) const {
  ++sent_->messages;
  sent_->bytes += static_cast<std::int64_t>(bytes);
}

Communicator Communicator::World() {
  return Communicator(static_cast<int>(MPI_Comm_c2f(MPI_COMM_WORLD)));
}

Communicator Communicator::Self() {
  return Communicator(static_cast<int>(MPI_Comm_c2f(MPI_COMM_SELF)));
}

void Communicator::Sum(std::span<double> values) const {
  CountCollective();
  AllReduce(values, MPI_DOUBLE, MPI_SUM, Native(*this));
}
void Communicator::Sum(std::span<std::int64_t> values) const {
  CountCollective();
  AllReduce(values, MPI_INT64_T, MPI_SUM, Native(*this));
}
void Communicator::Sum(std::span<ExactSum> sums) const {
  std::vector<std::int64_t> digits;
  for (ExactSum& sum : sums) {
    digits.insert(digits.end(), sum.Digits().begin(), sum.Digits().end());
  }
  Sum(digits);
  auto digit = digits.begin();
  for (ExactSum& sum : sums) {
    for (std::int64_t& own_digit : sum.Digits()) own_digit = *digit++;
  }
}
void Communicator::Max(std::span<double> values) const {
  CountCollective();
  AllReduce(values, MPI_DOUBLE, MPI_MAX, Native(*this));
}
void Communicator::Max(std::span<std::int64_t> values) const {
  CountCollective();
  AllReduce(values, MPI_INT64_T, MPI_MAX, Native(*this));
}

double Communicator::Sum(double value) const {
  Sum(std::span(&value, 1));
  return value;
}
std::int64_t Communicator::Sum(std::int64_t value) const {
  Sum(std::span(&value, 1));
  return value;
}
double Communicator::Max(double value) const {
  Max(std::span(&value, 1));
  return value;
}
std::int64_t Communicator::Max(std::int64_t value) const {
  Max(std::span(&value, 1));
  return value;
}

std::int64_t Communicator::ExclusiveSum(std::int64_t value) const {
  CountCollective();
  std::int64_t before = 0;
  MPI_Exscan(&value, &before, 1, MPI_INT64_T, MPI_SUM, Native(*this));
  return rank_ == 0 ? 0 : before;  // MPI leaves rank 0's result undefined
}

std::string Communicator::Broadcast(std::string text) const {
  auto size = static_cast<std::int64_t>(text.size());
  MPI_Bcast(&size, 1, MPI_INT64_T, 0, Native(*this));
  text.resize(static_cast<std::size_t>(size));
  MPI_Bcast(text.data(), Count(text.size()), MPI_CHAR, 0, Native(*this));
  return text;
}

std::vector<double> Communicator::GatherAtRoot(double value) const {
  std::vector<double> all(IsRoot() ? static_cast<std::size_t>(size_) : 0);
  MPI_Gather(&value, 1, MPI_DOUBLE, all.data(), 1, MPI_DOUBLE, 0, Native(*this));
  return all;
}

std::vector<std::string> Communicator::GatherAtRoot(const std::string& text) const {
  const int size = Count(text.size());
  std::vector<int> sizes(IsRoot() ? static_cast<std::size_t>(size_) : 0);
  MPI_Gather(&size, 1, MPI_INT, sizes.data(), 1, MPI_INT, 0, Native(*this));
  std::vector<int> offsets;
  std::size_t total = 0;
  for (const int count : sizes) {
    offsets.push_back(Count(total));
    total += static_cast<std::size_t>(count);
  }
  std::string joined(total, '\0');
  MPI_Gatherv(text.data(), size, MPI_CHAR, joined.data(), sizes.data(), offsets.data(), MPI_CHAR, 0,
              Native(*this));
  std::vector<std::string> all;
  for (std::size_t rank = 0; rank < sizes.size(); ++rank) {
    all.push_back(joined.substr(static_cast<std::size_t>(offsets[rank]),
                                static_cast<std::size_t>(sizes[rank])));
  }
  return all;
}

void Communicator::Barrier() const {
  CountCollective();
  MPI_Barrier(Native(*this));
}

bool Communicator::BarrierWithin(double seconds) const {
  using Clock = std::chrono::steady_clock;
  CountCollective();
  MPI_Request barrier = MPI_REQUEST_NULL;
  MPI_Ibarrier(Native(*this), &barrier);
  int done = 0;
  const Clock::time_point begin = Clock::now();
  while (MPI_Test(&barrier, &done, MPI_STATUS_IGNORE), done == 0) {
    if (std::chrono::duration<double>(Clock::now() - begin).count() > seconds) return false;
    std::this_thread::yield();
  }
  return true;
}

void Communicator::Exchange(std::span<const int> peers,
                            std::span<const std::span<const std::byte>> send,
                            std::span<const std::span<std::byte>> recv) const {
  SCREE_DEMAND(peers.size() == send.size() && peers.size() == recv.size());
  std::vector<MPI_Request> requests;
  requests.reserve(2 * peers.size());
  for (std::size_t k = 0; k < peers.size(); ++k) {
    if (peers[k] == rank_ || recv[k].empty()) continue;
    MPI_Irecv(recv[k].data(), Count(recv[k].size()), MPI_BYTE, peers[k], kDataTag, Native(*this),
              &requests.emplace_back());
  }
  for (std::size_t k = 0; k < peers.size(); ++k) {
    if (peers[k] == rank_) {
      SCREE_DEMAND(send[k].size() == recv[k].size());
      if (!send[k].empty()) std::memcpy(recv[k].data(), send[k].data(), send[k].size());
    } else if (!send[k].empty()) {
      CountMessage(send[k].size());
      MPI_Isend(send[k].data(), Count(send[k].size()), MPI_BYTE, peers[k], kDataTag, Native(*this),
                &requests.emplace_back());
    }
  }
  MPI_Waitall(Count(requests.size()), requests.data(), MPI_STATUSES_IGNORE);
}

std::vector<std::vector<std::byte>> Communicator::ExchangeUnsized(
    std::span<const int> peers, const std::vector<std::vector<std::byte>>& send) const {
  SCREE_DEMAND(peers.size() == send.size());
  std::vector<std::int64_t> send_size(peers.size()), recv_size(peers.size());
  std::vector<MPI_Request> requests(2 * peers.size());
  for (std::size_t k = 0; k < peers.size(); ++k) {
    send_size[k] = static_cast<std::int64_t>(send[k].size());
    if (peers[k] != rank_) CountMessage(sizeof send_size[k]);
    MPI_Irecv(&recv_size[k], 1, MPI_INT64_T, peers[k], kSizeTag, Native(*this), &requests[2 * k]);
    MPI_Isend(&send_size[k], 1, MPI_INT64_T, peers[k], kSizeTag, Native(*this),
              &requests[2 * k + 1]);
  }
  MPI_Waitall(Count(requests.size()), requests.data(), MPI_STATUSES_IGNORE);

  std::vector<std::vector<std::byte>> received(peers.size());
  std::vector<std::span<const std::byte>> send_spans(peers.size());
  std::vector<std::span<std::byte>> recv_spans(peers.size());
  for (std::size_t k = 0; k < peers.size(); ++k) {
    received[k].resize(static_cast<std::size_t>(recv_size[k]));
    send_spans[k] = send[k];
    recv_spans[k] = received[k];
  }
  Exchange(peers, send_spans, recv_spans);
  return received;
}

std::vector<Communicator::Message> Communicator::ExchangeSparse(
    const std::vector<Message>& messages) const {
  std::vector<MPI_Request> sends(messages.size());
  for (std::size_t k = 0; k < messages.size(); ++k) {
    if (messages[k].rank != rank_) CountMessage(messages[k].bytes.size());
    MPI_Issend(messages[k].bytes.data(), Count(messages[k].bytes.size()), MPI_BYTE,
               messages[k].rank, kSparseTag, Native(*this), &sends[k]);
  }
  std::vector<Message> received;
  MPI_Request barrier = MPI_REQUEST_NULL;
  bool is_in_barrier = false;
  for (int done = 0; !done;) {
    int is_message_waiting = 0;
    MPI_Status status;
    MPI_Iprobe(MPI_ANY_SOURCE, kSparseTag, Native(*this), &is_message_waiting, &status);
    if (is_message_waiting) {
      int size = 0;
      MPI_Get_count(&status, MPI_BYTE, &size);
      Message& message = received.emplace_back();
      message.rank = status.MPI_SOURCE;
      message.bytes.resize(static_cast<std::size_t>(size));
      MPI_Recv(message.bytes.data(), size, MPI_BYTE, message.rank, kSparseTag, Native(*this),
               MPI_STATUS_IGNORE);
    }
    if (is_in_barrier) {
      MPI_Test(&barrier, &done, MPI_STATUS_IGNORE);
    } else {
      int are_all_received = 0;
      MPI_Testall(Count(sends.size()), sends.data(), &are_all_received, MPI_STATUSES_IGNORE);
      if (are_all_received) {
        CountCollective();
        MPI_Ibarrier(Native(*this), &barrier);
        is_in_barrier = true;
      }
    }
  }
  // Without this barrier, a slow rank that still waits for the current messages could receive
  // messages of the next exchange from a fast rank.
  Barrier();
  std::sort(received.begin(), received.end(),
            [](const Message& a, const Message& b) { return a.rank < b.rank; });
  return received;
}

void Communicator::Abort(int exit_code) const {
  MPI_Abort(Native(*this), exit_code);
  std::abort();  // MPI_Abort does not return
}

struct PersistentExchange::Messages {
  struct Copy {
    std::span<const std::byte> from;
    std::span<std::byte> to;
  };
  std::vector<MPI_Request> requests;
  std::vector<Copy> copies;  // messages of this rank to itself
  Traffic per_start;         // traffic of one Start
  std::shared_ptr<Traffic> sent;
};

PersistentExchange::PersistentExchange() = default;
PersistentExchange::PersistentExchange(PersistentExchange&&) noexcept = default;

PersistentExchange& PersistentExchange::operator=(PersistentExchange&& other) noexcept {
  std::swap(messages_, other.messages_);
  return *this;
}

PersistentExchange::PersistentExchange(const Communicator& communicator, std::span<const int> peers,
                                       std::span<const std::span<std::byte>> send,
                                       std::span<const std::span<std::byte>> recv)
    : messages_(std::make_unique<Messages>()) {
  SCREE_DEMAND(peers.size() == send.size() && peers.size() == recv.size());
  std::vector<MPI_Request>& requests = messages_->requests;
  messages_->sent = communicator.sent_;
  for (std::size_t k = 0; k < peers.size(); ++k) {
    if (peers[k] == communicator.Rank()) {
      SCREE_DEMAND(send[k].size() == recv[k].size());
      messages_->copies.push_back({send[k], recv[k]});
    } else if (!recv[k].empty()) {
      MPI_Recv_init(recv[k].data(), Count(recv[k].size()), MPI_BYTE, peers[k], kDataTag,
                    Native(communicator), &requests.emplace_back());
    }
  }
  for (std::size_t k = 0; k < peers.size(); ++k) {
    if (peers[k] == communicator.Rank() || send[k].empty()) continue;
    messages_->per_start += {1, static_cast<std::int64_t>(send[k].size()), 0};
    MPI_Send_init(send[k].data(), Count(send[k].size()), MPI_BYTE, peers[k], kDataTag,
                  Native(communicator), &requests.emplace_back());
  }
}

PersistentExchange::~PersistentExchange() {
  if (messages_ == nullptr) return;
  int finalized = 0;  // objects with static lifetime outlive the session
  MPI_Finalized(&finalized);
  if (finalized) return;
  for (MPI_Request& request : messages_->requests) MPI_Request_free(&request);
}

void PersistentExchange::Start() {
  std::vector<MPI_Request>& requests = messages_->requests;
  *messages_->sent += messages_->per_start;
  if (!requests.empty()) MPI_Startall(Count(requests.size()), requests.data());
  for (const Messages::Copy& copy : messages_->copies) {
    if (!copy.from.empty()) std::memcpy(copy.to.data(), copy.from.data(), copy.from.size());
  }
}

void PersistentExchange::Finish() {
  std::vector<MPI_Request>& requests = messages_->requests;
  MPI_Waitall(Count(requests.size()), requests.data(), MPI_STATUSES_IGNORE);
}

namespace {
MPI_Request& Request(std::byte (&storage)[sizeof(void*)]) {
  static_assert(sizeof(MPI_Request) <= sizeof(void*) && alignof(MPI_Request) <= alignof(void*));
  return *reinterpret_cast<MPI_Request*>(storage);
}
}  // namespace

void NonBlockingMax::Send(double value) {
  value_ = value;
  communicator_.CountCollective();
  MPI_Iallreduce(MPI_IN_PLACE, &value_, 1, MPI_DOUBLE, MPI_MAX, Native(communicator_),
                 &Request(request_));
}

double NonBlockingMax::Take() {
  MPI_Wait(&Request(request_), MPI_STATUS_IGNORE);
  return value_;
}

}  // namespace scree
