/// \file  Small pieces of a dataset, joined on a few ranks before they are written (two-phase I/O,
///        aggregators).
///
/// Collective writes of MPI-IO do the same, but not safely: those of Open MPI 4.1 take a write that
/// the end of the disk cut short for a whole one, and the file has a hole that nobody hears of.
/// Independent writes, which these are followed by, fail then.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "engine/ranks/communicator.hpp"

namespace scree {

/// What this rank has to write: on the first of a group of ranks that follow each other the pieces
/// of the group, in rank order; on the others nothing. A group has just as many ranks as make a
/// piece that is worth a write of its own.
class JoinedRows {
 public:
  JoinedRows(const JoinedRows&) = delete;
  JoinedRows& operator=(const JoinedRows&) = delete;
  /// Collective.
  /// @param piece  of this rank, of any size; has to stay where it is
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
