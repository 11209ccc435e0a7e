/// \file  Where the random input of tests starts.
#pragma once

#include <cstdint>

namespace scree::test {

/// The seed of one stream of random numbers: `stream` itself, a fixed number in the test, or a
/// mixture of it with SCREE_TEST_SEED where the environment has one. The main program prints that
/// after a failure.
/// @throws std::invalid_argument if SCREE_TEST_SEED is no number
std::uint64_t SeedOf(std::uint64_t stream);

/// How to start the same random input once more, for the reader of a failure.
const char* SeedToRepeat();

}  // namespace scree::test
