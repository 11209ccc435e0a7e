/// \file  What `scree-run --self-test` tries: that an installation computes, sends and writes what
///        it should.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "apps/common/exit_codes.hpp"
#include "engine/ranks/communicator.hpp"

namespace scree {

/// Each returns what was found good, in one line. Collective; errors are those of all ranks.

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
/// @param say  gets a line for each
/// @returns kDone, or what the first one that failed stands for
ExitCode SelfTest(const Communicator& world, const std::function<void(const std::string&)>& say);

}  // namespace scree
