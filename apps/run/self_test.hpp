/// \file  The tests of `scree-run --self-test`, which show whether an installation computes,
///        communicates and writes correctly.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "apps/common/exit_codes.hpp"
#include "engine/ranks/communicator.hpp"

namespace scree {

// Each test returns one line about its success. All tests are collective and throw on all ranks.

/// Tests reductions, and messages from each rank to the next.
/// @throws std::runtime_error if a received value is wrong
std::string TryMessages(const Communicator& world);

/// Runs the golden channel.
/// @param expected  StateDigest at the end
/// @throws std::runtime_error if the final state has other bits
std::string TryBits(const Communicator& world, std::uint64_t expected);

/// Writes a snapshot, compares it with its digest, reads it, and deletes both files.
/// @param path  path of the snapshot
/// @throws OutputError or FileError, or std::runtime_error if the particles read are not those
///         written
std::string TryFiles(const Communicator& world, const std::string& path);

/// Runs all tests, with files in the current directory. Collective.
/// @param report  called on every rank with each line: a heading, one line per test, the result
/// @returns kDone, or the exit code of the first test that failed
/// @throws UnclosedFile if the snapshot is not written and stays open: the program must then end
ExitCode SelfTest(const Communicator& world, const std::function<void(const std::string&)>& report);

}  // namespace scree
