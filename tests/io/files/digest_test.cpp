// The digest is XXH64, and it detects any damage of a file.
#include "io/files/digest.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "solvers/base/check.hpp"
#include "tests/io/scratch.hpp"

namespace scree::digest_test {
namespace {

using testing::HasSubstr;

std::uint64_t DigestOf(std::string_view text) {
  Digest digest;
  digest.Add(std::as_bytes(std::span(text)));
  return digest.Value();
}

/// Bytes without a short period.
std::string SampleBytes(std::size_t size) {
  std::string bytes;
  for (std::size_t k = 0; k < size; ++k) bytes += static_cast<char>(k * 7 + k / 256);
  return bytes;
}

// Values of the reference implementation (libxxhash 0.8.1).
TEST(Digest, DigestEqualsTheReference) {
  EXPECT_EQ(DigestOf(""), 0xef46db3751d8e999U);
  EXPECT_EQ(DigestOf("a"), 0xd24ec4f1a98c6e5bU);
  EXPECT_EQ(DigestOf("abc"), 0x44bc2cf5ad770999U);
  EXPECT_EQ(DigestOf(SampleBytes(31)), 0x0f187c62b1e722b7U);
  EXPECT_EQ(DigestOf(SampleBytes(32)), 0x91b0cb0931a8c629U);
  EXPECT_EQ(DigestOf(SampleBytes(33)), 0x931b043cf8d65b94U);
  EXPECT_EQ(DigestOf(SampleBytes(63)), 0x219110bf13e2fa26U);
  EXPECT_EQ(DigestOf(SampleBytes(64)), 0xbf3052e3445775d0U);
  EXPECT_EQ(DigestOf(SampleBytes(79)), 0xe4e589158e6e0c1aU);
  EXPECT_EQ(DigestOf(SampleBytes(1000)), 0x698399d62f9c1695U);
}

TEST(Digest, DigestDoesNotDependOnTheChunks) {
  const std::string bytes = SampleBytes(200);
  for (std::size_t first = 0; first <= 100; ++first) {
    Digest digest;
    const auto all = std::as_bytes(std::span(bytes));
    digest.Add(all.first(first));
    digest.Add(all.subspan(first, 3));
    digest.Add(all.subspan(first + 3));
    EXPECT_EQ(digest.Value(), DigestOf(bytes)) << first;
  }
}

std::string HexadecimalOf(std::string_view text) {
  char digits[17];
  std::snprintf(digits, sizeof digits, "%016llx", static_cast<unsigned long long>(DigestOf(text)));
  return digits;
}

constexpr std::size_t kSize = 3 << 20;

struct DigestOfAFile : InOwnScratch {
  const std::string path = scratch / "a.h5";
  void SetUp() override {
    PutFile(self, path, SampleBytes(kSize));
    PutFile(self, DigestName(path), DigestText(self, path, path));
  }
};

TEST_F(DigestOfAFile, IsStoredNextToTheFileInTheFormatOfXxh64sum) {
  EXPECT_EQ(FileBytes(path + ".xxh64"), HexadecimalOf(SampleBytes(kSize)) + "  a.h5\n");
  EXPECT_EQ(WrittenDigest(path), HexadecimalOf(SampleBytes(kSize)));
  EXPECT_EQ(DamageOf(self, path), "");
}

TEST_F(DigestOfAFile, EveryDamageIsDetected) {
  const std::string intact = SampleBytes(kSize);
  std::string flipped = intact;
  flipped[1234567] = static_cast<char>(flipped[1234567] ^ 4);
  for (const std::string& damaged :
       {flipped, intact.substr(0, intact.size() - 1), intact + '\0', std::string()}) {
    PutFile(self, path, damaged);
    EXPECT_THAT(DamageOf(self, path), HasSubstr("is damaged"));
  }
}

/// Tests with a file of several blocks, written and read by all ranks.
struct DigestOfBlocks : InScratch {
  static constexpr std::int64_t kBlock = 1000;
  const std::string path = scratch / "a.h5";

  void Write(const std::string& bytes, const std::string& digests) const {
    PutFile(world, path, bytes);
    PutFile(world, DigestName(path), digests);
  }
};

TEST_F(DigestOfBlocks, HasTheDigestOfEachBlockAndOneOfTheseLines) {
  const std::string bytes = SampleBytes(3500);
  PutFile(world, path, bytes);
  const std::string text = DigestText(world, path, "b.h5", kBlock);
  if (!world.IsRoot()) return;
  std::string expected = "# XXH64 of blocks of 1000 bytes, then of the lines above\n";
  for (std::size_t k = 0; k < 4; ++k) {
    expected += HexadecimalOf(bytes.substr(k * kBlock, kBlock)) + "\n";
  }
  EXPECT_EQ(text, expected + HexadecimalOf(expected) + "  b.h5\n");
}

TEST_F(DigestOfBlocks, EveryDamageIsDetectedAndItsBlockReported) {
  const std::string intact = SampleBytes(3500);
  PutFile(world, path, intact);
  const std::string digests = world.Broadcast(DigestText(world, path, "a.h5", kBlock));
  Write(intact, digests);
  EXPECT_EQ(DamageOf(world, path), "");
  Write(intact, digests.substr(0, digests.size() - 5) + "copy.h5\n");
  EXPECT_EQ(DamageOf(world, path), "");
  if (world.IsRoot()) {
    EXPECT_EQ(DamageOf(path), "") << "on one rank";
    EXPECT_EQ(WrittenDigest(path), digests.substr(digests.size() - 23, 16));
  }
  std::string flipped = intact;
  flipped[2345] = static_cast<char>(flipped[2345] ^ 4);
  Write(flipped, digests);
  EXPECT_THAT(DamageOf(world, path), HasSubstr("is damaged in its block 2 of 1000 bytes"));
  if (world.IsRoot()) {
    EXPECT_THAT(DamageOf(path), HasSubstr("is damaged in its block 2 of 1000 bytes"));
  }
  for (const std::string& damaged : {intact.substr(0, 3499), intact.substr(0, 3000),
                                     intact.substr(0, 900), intact + '\0', std::string()}) {
    Write(damaged, digests);
    EXPECT_THAT(DamageOf(world, path), HasSubstr("is damaged"));
  }
  for (std::string damaged : {digests.substr(0, 60), digests.substr(0, digests.size() - 30)}) {
    Write(intact, damaged);
    EXPECT_THAT(DamageOf(world, path), HasSubstr("is damaged")) << "damaged digests";
  }
}

TEST_F(DigestOfBlocks, InvalidBlockSizesAreDamage) {
  const std::string bytes = SampleBytes(3500);
  PutFile(world, path, bytes);
  const std::string digests = world.Broadcast(DigestText(world, path, "a.h5", kBlock));
  for (const char* size : {"-5", "0", "much", "3", "9223372036854775807", "99999999999999999999"}) {
    std::string damaged = digests;
    Write(bytes, damaged.replace(damaged.find("1000"), 4, size));
    EXPECT_THAT(DamageOf(world, path), HasSubstr("is damaged")) << size;
    if (world.IsRoot()) {
      EXPECT_THAT(DamageOf(path), HasSubstr("is damaged")) << size;
    }
    world.Barrier();
  }
}

TEST_F(DigestOfBlocks, WholeFileDigestsOfEarlierVersionsAreRead) {
  const std::string bytes = SampleBytes(3500);
  Write(bytes, HexadecimalOf(bytes) + "  a.h5\n");
  EXPECT_EQ(DamageOf(world, path), "");
  Write(bytes, HexadecimalOf("other") + "  a.h5\n");
  EXPECT_THAT(DamageOf(world, path), HasSubstr("is damaged"));
}

TEST_F(DigestOfAFile, MissingFilesAreReported) {
  std::filesystem::remove(path);
  EXPECT_THAT(DamageOf(self, path), HasSubstr("does not exist"));
  PutFile(self, path, "x");
  std::filesystem::remove(path + ".xxh64");
  EXPECT_THAT(DamageOf(self, path), HasSubstr("no digest"));
  EXPECT_THROW(WrittenDigest(path), FileError);
  EXPECT_THROW(DigestText(self, scratch / "no", "no"), OutputError);
  EXPECT_THROW(DigestText(self, scratch.Path(), "a"), OutputError);  // a directory
}

}  // namespace
}  // namespace scree::digest_test
