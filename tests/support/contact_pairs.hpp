/// \file  Pairs of touching bodies, to test which batches contacts are assigned to.
#pragma once

#include <cstdint>
#include <random>
#include <vector>

#include "solvers/batches/contact_colouring.hpp"
#include "tests/support/seed.hpp"

namespace scree::test {

inline constexpr Index kMoving = 200, kFixed = 3, kBodies = kMoving + kFixed;

/// Random contacts with body a in ascending order, as in a sorted packing. In a tenth of the
/// contacts body b is fixed.
/// @param stream  see SeedOf
inline std::vector<BodyPair> Pairs(int count, std::uint64_t stream) {
  std::mt19937_64 random(SeedOf(stream));
  std::vector<BodyPair> pairs;
  while (pairs.size() < static_cast<std::size_t>(count)) {
    const auto a = static_cast<Index>(pairs.size() * kMoving / static_cast<std::size_t>(count));
    const auto b = random() % 10 == 0 ? static_cast<Index>(kMoving + random() % kFixed)
                                      : static_cast<Index>(random() % kMoving);
    if (a != b) pairs.push_back({a, b});
  }
  return pairs;
}

}  // namespace scree::test
