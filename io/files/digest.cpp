#include "io/files/digest.hpp"

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <memory>
#include <vector>

#include "io/files/file_exists.hpp"
#include "solvers/check.hpp"

namespace scree {
namespace {

constexpr std::uint64_t kPrime1 = 0x9E3779B185EBCA87U;
constexpr std::uint64_t kPrime2 = 0xC2B2AE3D27D4EB4FU;
constexpr std::uint64_t kPrime3 = 0x165667B19E3779F9U;
constexpr std::uint64_t kPrime4 = 0x85EBCA77C2B2AE63U;
constexpr std::uint64_t kPrime5 = 0x27D4EB2F165667C5U;

/// A little-endian number.
template <class Number>
Number Load(const std::byte* bytes) {
  static_assert(std::endian::native == std::endian::little);
  Number number;
  std::memcpy(&number, bytes, sizeof number);
  return number;
}

std::uint64_t Round(std::uint64_t lane, std::uint64_t input) {
  return std::rotl(lane + input * kPrime2, 31) * kPrime1;
}

}  // namespace

void Digest::AddStripe(const std::byte* stripe) {
  for (std::size_t k = 0; k < 4; ++k) {
    lanes_[k] = Round(lanes_[k], Load<std::uint64_t>(stripe + 8 * k));
  }
}

void Digest::Add(std::span<const std::byte> bytes) {
  const std::size_t held = size_ % kStripe;
  size_ += bytes.size();
  if (held > 0) {
    const std::size_t taken = std::min(kStripe - held, bytes.size());
    std::copy_n(bytes.begin(), taken, rest_.begin() + static_cast<std::ptrdiff_t>(held));
    bytes = bytes.subspan(taken);
    if (held + taken < kStripe) return;
    AddStripe(rest_.data());
  }
  for (; bytes.size() >= kStripe; bytes = bytes.subspan(kStripe)) AddStripe(bytes.data());
  std::copy(bytes.begin(), bytes.end(), rest_.begin());
}

std::uint64_t Digest::Value() const {
  std::uint64_t h = kPrime5;
  if (size_ >= kStripe) {
    h = std::rotl(lanes_[0], 1) + std::rotl(lanes_[1], 7) + std::rotl(lanes_[2], 12) +
        std::rotl(lanes_[3], 18);
    for (const std::uint64_t lane : lanes_) h = (h ^ Round(0, lane)) * kPrime1 + kPrime4;
  }
  h += size_;
  const std::byte* at = rest_.data();
  const std::byte* const end = at + size_ % kStripe;
  for (; end - at >= 8; at += 8) {
    h = std::rotl(h ^ Round(0, Load<std::uint64_t>(at)), 27) * kPrime1 + kPrime4;
  }
  for (; end - at >= 4; at += 4) {
    h = std::rotl(h ^ (Load<std::uint32_t>(at) * kPrime1), 23) * kPrime2 + kPrime3;
  }
  for (; at != end; ++at) {
    h = std::rotl(h ^ (std::to_integer<std::uint64_t>(*at) * kPrime5), 11) * kPrime1;
  }
  h = (h ^ (h >> 33)) * kPrime2;
  h = (h ^ (h >> 29)) * kPrime3;
  return h ^ (h >> 32);
}

std::string FileDigest(const std::string& path) {
  const auto fail = [&path] {
    throw FileError(Text("cannot read '", path, "': ", std::strerror(errno)));
  };
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "rb"),
                                                             &std::fclose);
  if (!file) fail();
  constexpr std::size_t kBlock = std::size_t{1} << 17;  // stays in the cache of the core
  std::vector<std::byte> block(kBlock);
  Digest digest;
  for (std::size_t read = kBlock; read == kBlock;) {
    read = std::fread(block.data(), 1, kBlock, file.get());
    digest.Add(std::span(block).first(read));
  }
  if (std::ferror(file.get()) != 0) fail();
  char text[17];
  std::snprintf(text, sizeof text, "%016llx", static_cast<unsigned long long>(digest.Value()));
  return text;
}

std::string DigestName(const std::string& path) { return path + ".xxh64"; }

std::string DigestText(const std::string& path, const std::string& digest) {
  return digest + "  " + std::filesystem::path(path).filename().string() + "\n";
}

std::string DamageOf(const std::string& path) {
  if (!FileExists(path)) return Text("'", path, "' does not exist");
  std::string expected;
  std::ifstream beside(DigestName(path));
  if (!(beside >> expected)) return Text("'", path, "' has no digest beside it");
  try {
    const std::string found = FileDigest(path);
    if (found == expected) return {};
    return Text("'", path, "' is damaged: its digest is ", found, ", expected ", expected);
  } catch (const FileError& error) {
    return error.what();
  }
}

}  // namespace scree
