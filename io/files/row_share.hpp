/// \file  The rows of a file that a rank reads.
#pragma once

#include <cstddef>

#include "engine/ranks/communicator.hpp"

namespace scree {

/// Rows first .. first + count - 1.
struct RowShare {
  std::size_t first = 0;
  std::size_t count = 0;
};

/// This rank's part of the rows: contiguous, in rank order; sizes differ by at most one.
inline RowShare ShareOf(const Communicator& communicator, std::size_t rows) {
  const auto rank = static_cast<std::size_t>(communicator.Rank());
  const auto ranks = static_cast<std::size_t>(communicator.Size());
  const auto begin = [rows, ranks](std::size_t k) {
    return rows / ranks * k + rows % ranks * k / ranks;
  };
  return {begin(rank), begin(rank + 1) - begin(rank)};
}

}  // namespace scree
