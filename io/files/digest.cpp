#include "io/files/digest.hpp"

#include <xxhash.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <memory>
#include <new>
#include <vector>

#include "io/files/file_exists.hpp"
#include "solvers/check.hpp"

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
