/// \file  Small pieces of a dataset, joined on a few ranks before they are written (two-phase I/O,
///        aggregators).
///
/// Collective writes of MPI-IO do the same, but not safely: if a full disk cuts a write short, Open
/// MPI 4.1 treats it as complete, and the file gets a hole without an error. Here each rank writes
/// its joined piece independently, which reports this error.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "engine/ranks/communicator.hpp"

namespace scree {

/// The data that this rank writes. The first rank of a group of consecutive ranks gets the pieces
/// of the group, in rank order; its other ranks get nothing. A group is as small as possible, but
/// its joined piece must be large enough for an efficient write.
class JoinedRows {
 public:
  JoinedRows(const JoinedRows&) = delete;
  JoinedRows& operator=(const JoinedRows&) = delete;
  /// Collective.
  /// @param piece  of this rank, of any size; must stay valid and in place
  /// @param total  bytes of all ranks
  JoinedRows(const Communicator& communicator, std::span<const std::byte> piece, std::size_t total);

  std::span<const std::byte> Bytes() const { return bytes_; }

 private:
  std::vector<std::byte> joined_;
  std::span<const std::byte> bytes_;
};

/// A group: ranks first .. end - 1.
struct JoinedRanks {
  int first = 0;
  int end = 0;
};

/// The group of a rank.
/// @param total  bytes of all ranks
/// @param ranks  at least 1
JoinedRanks GroupOf(int rank, std::size_t total, int ranks);

}  // namespace scree
