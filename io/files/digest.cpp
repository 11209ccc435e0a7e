#include "io/files/digest.hpp"

#include <xxhash.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <limits>
#include <memory>
#include <new>
#include <sstream>
#include <system_error>
#include <vector>

#include "io/files/collective_call.hpp"
#include "io/files/file_exists.hpp"
#include "io/files/regular_file.hpp"
#include "io/files/row_share.hpp"
#include "solvers/base/check.hpp"

namespace scree {

void Digest::Free::operator()(XXH64_state_s* state) const { XXH64_freeState(state); }

Digest::Digest() : state_(XXH64_createState()) {
  if (!state_) throw std::bad_alloc();
  XXH64_reset(state_.get(), 0);
}

void Digest::Add(std::span<const std::byte> bytes) {
  if (!bytes.empty()) XXH64_update(state_.get(), bytes.data(), bytes.size());
}

std::uint64_t Digest::Value() const { return XXH64_digest(state_.get()); }

namespace {

std::string Hexadecimal(std::uint64_t value) {
  char text[17];
  std::snprintf(text, sizeof text, "%016llx", static_cast<unsigned long long>(value));
  return text;
}

std::int64_t SizeOf(const std::string& path) {
  std::error_code failed;
  const std::uintmax_t size = std::filesystem::file_size(path, failed);
  if (!failed) return static_cast<std::int64_t>(size);
  throw FileError(Text("cannot read '", path, "': ", failed.message()));
}

/// The digest of at most `count` bytes from `first` on; fewer at the end of the file.
std::string DigestOfPart(const std::string& path, std::int64_t first, std::int64_t count) {
  const auto fail = [&path] {
    throw FileError(Text("cannot read '", path, "': ", std::strerror(errno)));
  };
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "rb"),
                                                             &std::fclose);
  if (!file || fseeko(file.get(), static_cast<off_t>(first), SEEK_SET) != 0) fail();
  constexpr std::int64_t kChunk = std::int64_t{1} << 17;  // fits into the cache of a core
  std::vector<std::byte> bytes(kChunk);
  Digest digest;
  while (count > 0) {
    const auto requested = static_cast<std::size_t>(std::min(kChunk, count));
    const std::size_t read = std::fread(bytes.data(), 1, requested, file.get());
    digest.Add(std::span(bytes).first(read));
    if (read < requested) break;
    count -= static_cast<std::int64_t>(read);
  }
  if (std::ferror(file.get()) != 0) fail();
  return Hexadecimal(digest.Value());
}

constexpr const char* kHead = "# XXH64 of blocks of ";
constexpr const char* kHeadEnd = " bytes, then of the lines above\n";

std::size_t CountBlocks(const std::string& path, std::int64_t block) {
  const std::int64_t size = SizeOf(path);
  return static_cast<std::size_t>(size / block + (size % block > 0 ? 1 : 0));
}

/// Text with one line for each block of this rank.
std::string LinesOf(const std::string& path, std::int64_t block, const RowShare& share) {
  std::string lines;
  for (std::size_t k = share.first; k < share.first + share.count; ++k) {
    lines += DigestOfPart(path, static_cast<std::int64_t>(k) * block, block) + "\n";
  }
  return lines;
}

/// The digest text of a file of several blocks. @param lines  digests of all blocks
std::string TextOfBlocks(const std::string& lines, const std::string& name, std::int64_t block) {
  const std::string text = Text(kHead, block, kHeadEnd) + lines;
  return text + DigestOf(text) + "  " + name + "\n";
}

/// The stored digest of a file.
struct StoredDigest {
  std::int64_t block = 0;  // block size in bytes; 0: the digest is of the whole file
  std::string text;

  explicit StoredDigest(const std::string& path) {
    if (!IsRegularFile(DigestName(path))) return;  // reading a pipe would block
    std::ifstream file(DigestName(path), std::ios::binary);
    text.assign(std::istreambuf_iterator<char>(file), {});
    // An invalid block size counts as 0. The comparison with the whole file's digest then fails.
    if (text.starts_with(kHead)) {
      block = std::max<std::int64_t>(0, std::atoll(text.c_str() + std::strlen(kHead)));
    }
  }
  /// The first word of the last line.
  std::string LastDigest() const {
    const std::size_t last = text.find_last_not_of('\n');
    if (last == text.npos) return "";
    const std::size_t line = text.rfind('\n', last) + 1;  // 0 for the first line
    return text.substr(line, text.find_first_of(" \n", line) - line);
  }
};

/// The digest of the whole file, computed by one rank.
std::string DigestOfWhole(const std::string& path) {
  return DigestOfPart(path, 0, std::numeric_limits<std::int64_t>::max());
}

/// The reason why the digest cannot be compared; empty if it can.
std::string DescribeProblem(const std::string& path, const StoredDigest& stored) {
  if (!FileExists(path)) return Text("'", path, "' does not exist");
  if (!IsRegularFile(path)) return Text("'", path, "' is not a regular file");
  if (stored.LastDigest().empty()) return Text("'", path, "' has no digest next to it");
  // A rough bound on the number of blocks: a damaged block size could be one byte.
  const auto max_blocks = static_cast<std::int64_t>(stored.text.size());
  if (stored.block == 0 || SizeOf(path) / stored.block <= max_blocks) return "";
  return Text("'", path, "' is damaged: it has more blocks than digests");
}

std::string DescribeDifference(const std::string& path, const std::string& found_text,
                               const std::string& expected, const std::string& location = "") {
  if (found_text == expected) return "";
  return Text("'", path, "' is damaged", location, ": its digest is ", found_text, ", expected ",
              expected);
}

/// Describes which blocks differ from the stored digest.
/// @param found  digest text of the existing file
std::string DescribeDifferenceOfBlocks(const std::string& path, const StoredDigest& stored,
                                       const std::string& found) {
  std::istringstream found_lines(found), expected(stored.text);
  std::string line, expected_line;
  for (std::int64_t number = -1; std::getline(found_lines, line); ++number) {  // -1: the head
    expected_line.clear();
    std::getline(expected, expected_line);
    line.resize(16);  // ignore the name after the last digest, because the file may be a copy
    if (line == expected_line.substr(0, 16)) continue;
    const std::string location = Text(" in its block ", number, " of ", stored.block, " bytes");
    return DescribeDifference(path, line, expected_line.substr(0, 16), number < 0 ? "" : location);
  }
  if (!std::getline(expected, expected_line)) return "";
  return Text("'", path, "' is damaged: it has fewer blocks than digests");
}

std::string NameOf(const std::string& path) {
  return std::filesystem::path(path).filename().string();
}

}  // namespace

std::string DigestOf(const std::string& text) {
  Digest digest;
  digest.Add(std::as_bytes(std::span(text)));
  return Hexadecimal(digest.Value());
}

std::string DigestName(const std::string& path) { return path + ".xxh64"; }

std::string DigestText(const Communicator& communicator, const std::string& path,
                       const std::string& name, std::int64_t block) {
  std::string own_lines;
  bool is_short = false;
  CallOnAll<OutputError>(communicator, [&] {
    is_short = SizeOf(path) <= block;
    if (!is_short) {
      own_lines = LinesOf(path, block, ShareOf(communicator, CountBlocks(path, block)));
    } else if (communicator.IsRoot()) {
      own_lines = DigestOfWhole(path);
    }
  });
  std::string lines;
  for (const std::string& rank_lines : communicator.GatherAtRoot(own_lines)) lines += rank_lines;
  if (!communicator.IsRoot()) return "";
  return is_short ? lines + "  " + NameOf(name) + "\n" : TextOfBlocks(lines, NameOf(name), block);
}

std::string DamageOf(const std::string& path) {
  try {
    const StoredDigest stored(path);
    if (const std::string problem = DescribeProblem(path, stored); !problem.empty()) return problem;
    if (stored.block == 0)
      return DescribeDifference(path, DigestOfWhole(path), stored.LastDigest());
    const std::string lines = LinesOf(path, stored.block, {0, CountBlocks(path, stored.block)});
    return DescribeDifferenceOfBlocks(path, stored,
                                      TextOfBlocks(lines, NameOf(path), stored.block));
  } catch (const FileError& error) {
    return error.what();
  }
}

std::string DamageOf(const Communicator& communicator, const std::string& path) {
  std::int64_t block = 0;
  if (communicator.IsRoot()) {
    const StoredDigest stored(path);
    if (DescribeProblem(path, stored).empty()) block = stored.block;
  }
  block = communicator.Max(block);
  std::string damage;
  try {
    const std::string digest_text = block > 0 ? DigestText(communicator, path, path, block) : "";
    if (communicator.IsRoot()) {
      damage = block > 0 ? DescribeDifferenceOfBlocks(path, StoredDigest(path), digest_text)
                         : DamageOf(path);
    }
  } catch (const std::exception& error) {  // on all ranks
    return error.what();
  }
  return communicator.Broadcast(damage);
}

std::string WrittenDigest(const std::string& path) {
  const std::string digest = StoredDigest(path).LastDigest();
  if (digest.empty()) throw FileError(Text("'", path, "' has no digest next to it"));
  return digest;
}

}  // namespace scree
