/// \file  The tests of `scree-run --self-test`: whether an installation computes, communicates and
///        writes correctly.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "apps/common/exit_codes.hpp"
#include "engine/ranks/communicator.hpp"

namespace scree {

/// Each test returns one line about its success. Collective; errors are those of all ranks.

/// Reductions, and messages from each rank to the next.
/// @throws std::runtime_error if another value arrives than was sent
std::string TryMessages(const Communicator& world);

/// The golden channel.
/// @param expected  StateDigest in the end
/// @throws std::runtime_error if it ends with other bits
std::string TryBits(const Communicator& world, std::uint64_t expected);

/// Writes a snapshot, compares it with its digest, reads it and removes both.
/// @param path  of the file
/// @throws OutputError or FileError, or std::runtime_error if other particles are read
std::string TryFiles(const Communicator& world, const std::string& path);

/// All of these, files in the current directory. Collective.
/// @param say  called with a line for each test
/// @returns kDone, or the exit code of the first test that failed
ExitCode SelfTest(const Communicator& world, const std::function<void(const std::string&)>& say);

}  // namespace scree
