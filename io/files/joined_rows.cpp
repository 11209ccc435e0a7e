#include "io/files/joined_rows.hpp"

#include <algorithm>

namespace scree {

JoinedRanks GroupOf(int rank, std::size_t total, int ranks) {
  // Size at which writes are efficient. Joining more would only add time for sending the data.
  constexpr std::size_t kLargePiece = std::size_t{1} << 20;
  const auto count = static_cast<std::size_t>(ranks);
  const std::size_t pieces = std::clamp<std::size_t>(total / kLargePiece, 1, count);
  const auto size = static_cast<int>((count + pieces - 1) / pieces);
  const int first = rank - rank % size;
  return {first, std::min(first + size, ranks)};
}

JoinedRows::JoinedRows(const Communicator& communicator, std::span<const std::byte> piece,
                       std::size_t total)
    : bytes_(piece) {
  const int rank = communicator.Rank();
  const auto [first, end] = GroupOf(rank, total, communicator.Size());
  if (end - first == 1) return;
  std::vector<int> peers;
  std::vector<std::vector<std::byte>> sent;
  if (rank != first) {
    peers = {first};
    sent = {{piece.begin(), piece.end()}};
    bytes_ = {};
  } else {
    for (int member = first + 1; member < end; ++member) peers.push_back(member);
    sent.resize(peers.size());
  }
  const auto received = communicator.ExchangeUnsized(peers, sent);
  if (rank != first) return;
  joined_.assign(piece.begin(), piece.end());
  for (const std::vector<std::byte>& part : received) {
    joined_.insert(joined_.end(), part.begin(), part.end());
  }
  bytes_ = joined_;
}

}  // namespace scree
