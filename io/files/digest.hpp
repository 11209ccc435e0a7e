/// \file  Digests that tell whether a file is still what was written.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

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

/// The digest of a whole file as 16 hexadecimal digits. One rank.
/// @throws FileError if it cannot be read
std::string FileDigest(const std::string& path);

/// Name of the file beside it that holds its digest, in the format of the program xxh64sum.
std::string DigestName(const std::string& path);

/// What that file says. @param digest  FileDigest of the file
std::string DigestText(const std::string& path, const std::string& digest);

/// What is wrong with a file that should match the digest beside it; empty if nothing is. One rank.
std::string DamageOf(const std::string& path);

}  // namespace scree
