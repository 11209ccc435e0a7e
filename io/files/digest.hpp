/// \file  Digests that show whether a file has changed since it was written.
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
/// detect accidental damage at memory speed, but not forgery.
class Digest {
 public:
  Digest();
  /// Adds bytes; the result does not depend on how calls divide them.
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

/// Block size [bytes]. Each block has its own digest, so that ranks can compute them in parallel.
inline constexpr std::int64_t kDigestBlock = std::int64_t{1} << 26;

/// Name of the file that holds the digest of another file.
std::string DigestName(const std::string& path);

/// Computes the text of the file DigestName(path). For a file of one block it is one line, as the
/// program xxh64sum prints it; for longer files it is
///
///     # XXH64 of blocks of 67108864 bytes, then of the lines above
///     0123456789abcdef                             one for each block
///     fedcba9876543210  step_000000001000.h5
///
/// Collective: each rank reads some of the blocks.
/// @param name  final name of the file, which `path` will get later
/// @returns the text at root, empty elsewhere
/// @throws OutputError on all ranks if the file cannot be read
std::string DigestText(const Communicator& communicator, const std::string& path,
                       const std::string& name, std::int64_t block = kDigestBlock);

/// Describes the damage of a file that does not match its stored digest; empty if it matches. A
/// file of several blocks may also have a single digest. Collective; the same on all ranks.
std::string DamageOf(const Communicator& communicator, const std::string& path);

/// DamageOf on one rank, without MPI.
std::string DamageOf(const std::string& path);

/// The stored digest of a file, from the last line of DigestName(path).
/// @throws FileError if it does not exist
std::string WrittenDigest(const std::string& path);

}  // namespace scree
