/// \file  Digests that tell whether a file is still what was written.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace scree {

/// XXH64 with seed 0 (Y. Collet, "xxHash fast digest algorithm", specification 0.1.1): 64 bits that
/// change with any damage, at the speed of memory. No protection against forgery.
class Digest {
 public:
  /// Adds bytes; how they are cut into calls does not matter.
  void Add(std::span<const std::byte> bytes);
  std::uint64_t Value() const;

 private:
  static constexpr std::size_t kStripe = 32;

  void AddStripe(const std::byte* stripe);

  std::array<std::uint64_t, 4> lanes_ = {0x60EA27EEADC0B5D6U, 0xC2B2AE3D27D4EB4FU, 0U,
                                         0x61C8864E7A143579U};
  std::array<std::byte, kStripe> rest_ = {};  // bytes that do not fill a stripe yet
  std::uint64_t size_ = 0;                    // of all bytes so far
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
