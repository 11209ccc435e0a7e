/// \file  Digests that tell whether a file is still what was written.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "engine/ranks/communicator.hpp"

struct XXH64_state_s;

namespace scree {

/// XXH64 with seed 0 (Y. Collet, "xxHash fast digest algorithm", specification 0.1.1): 64 bits that
/// change with any damage, at the speed of memory. No protection against forgery.
class Digest {
 public:
  Digest();
  /// Adds bytes; how they are cut into calls does not matter.
  void Add(std::span<const std::byte> bytes);
  std::uint64_t Value() const;

 private:
  struct Free {
    void operator()(XXH64_state_s* state) const;
  };
  std::unique_ptr<XXH64_state_s, Free> state_;
};

/// The digest of a text, 16 hexadecimal digits.
std::string DigestOf(const std::string& text);

/// Bytes of a file that have a digest of their own, so that many can be computed at once.
inline constexpr std::int64_t kDigestBlock = std::int64_t{1} << 26;

/// Name of the file beside another one that holds its digest.
std::string DigestName(const std::string& path);

/// What that file says. Of a file of one block it is a line in the format of the program xxh64sum;
/// of a longer one
///
///     # XXH64 of blocks of 67108864 bytes, then of the lines above
///     0123456789abcdef                             one for each block
///     fedcba9876543210  step_000000001000.h5
///
/// Collective: each rank reads some of the blocks, so none reads the whole.
/// @param name  that the file is to have
/// @returns at root; elsewhere it is empty
/// @throws OutputError on all ranks if the file cannot be read
std::string DigestText(const Communicator& communicator, const std::string& path,
                       const std::string& name, std::int64_t block = kDigestBlock);

/// What is wrong with a file that should match the digest beside it, in this form or of the whole
/// file in one line; empty if nothing is. Collective; the same on all ranks.
std::string DamageOf(const Communicator& communicator, const std::string& path);

/// The same on one rank, without MPI.
std::string DamageOf(const std::string& path);

/// The digest that the last line of a file beside another one names.
/// @throws FileError if there is none
std::string WrittenDigest(const std::string& path);

}  // namespace scree
