/// \file  Seeds of the tests' random input.
#pragma once

#include <cstdint>

namespace scree::test {

/// The seed of a stream of random numbers: `stream`, which is a fixed number in the test, mixed
/// with the environment variable SCREE_TEST_SEED if it is set. The main program prints the variable
/// after a failure.
/// @throws std::invalid_argument if SCREE_TEST_SEED is not a number
std::uint64_t SeedOf(std::uint64_t stream);

/// SCREE_TEST_SEED of this run, or "unset": it reproduces the random input after a failure.
const char* SeedToRepeat();

}  // namespace scree::test
