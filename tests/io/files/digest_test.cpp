// The digest is XXH64, and no damage of a file goes unseen.
#include "io/files/digest.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "solvers/check.hpp"
#include "tests/io/scratch.hpp"

namespace scree::digest_test {
namespace {

using testing::HasSubstr;

std::uint64_t Of(std::string_view text) {
  Digest digest;
  digest.Add(std::as_bytes(std::span(text)));
  return digest.Value();
}

/// 0, 1, 2, ... as bytes.
std::string Counting(std::size_t size) {
  std::string bytes;
  for (std::size_t k = 0; k < size; ++k) bytes += static_cast<char>(k * 7 + k / 256);
  return bytes;
}

// Values of the reference implementation (libxxhash 0.8.1).
TEST(Digest, AgreesWithTheReference) {
  EXPECT_EQ(Of(""), 0xef46db3751d8e999U);
  EXPECT_EQ(Of("a"), 0xd24ec4f1a98c6e5bU);
  EXPECT_EQ(Of("abc"), 0x44bc2cf5ad770999U);
  EXPECT_EQ(Of(Counting(31)), 0x0f187c62b1e722b7U);
  EXPECT_EQ(Of(Counting(32)), 0x91b0cb0931a8c629U);
  EXPECT_EQ(Of(Counting(33)), 0x931b043cf8d65b94U);
  EXPECT_EQ(Of(Counting(63)), 0x219110bf13e2fa26U);
  EXPECT_EQ(Of(Counting(64)), 0xbf3052e3445775d0U);
  EXPECT_EQ(Of(Counting(79)), 0xe4e589158e6e0c1aU);
  EXPECT_EQ(Of(Counting(1000)), 0x698399d62f9c1695U);
}

TEST(Digest, CutsDoNotMatter) {
  const std::string bytes = Counting(200);
  for (std::size_t first = 0; first <= 100; ++first) {
    Digest digest;
    const auto all = std::as_bytes(std::span(bytes));
    digest.Add(all.first(first));
    digest.Add(all.subspan(first, 3));
    digest.Add(all.subspan(first + 3));
    EXPECT_EQ(digest.Value(), Of(bytes)) << first;
  }
}

struct DigestOfAFile : testing::Test {
  const Communicator self = Communicator::Self();
  const Scratch scratch{self};
  const std::string path = scratch / "a.h5";
  void SetUp() override {
    PutFile(self, path, Counting(3 << 20));
    PutFile(self, DigestName(path), DigestText(path, FileDigest(path)));
  }
};

TEST_F(DigestOfAFile, IsKeptBesideItAsXxh64sumDoes) {
  EXPECT_EQ(FileBytes(path + ".xxh64"), FileDigest(path) + "  a.h5\n");
  EXPECT_EQ(DamageOf(path), "");
}

TEST_F(DigestOfAFile, EveryDamageIsSeen) {
  const std::string whole = Counting(3 << 20);
  std::string flipped = whole;
  flipped[1234567] = static_cast<char>(flipped[1234567] ^ 4);
  for (const std::string& damaged :
       {flipped, whole.substr(0, whole.size() - 1), whole + '\0', std::string()}) {
    PutFile(self, path, damaged);
    EXPECT_THAT(DamageOf(path), HasSubstr("is damaged"));
  }
}

TEST_F(DigestOfAFile, MissingFilesAreSaid) {
  std::filesystem::remove(path);
  EXPECT_THAT(DamageOf(path), HasSubstr("does not exist"));
  PutFile(self, path, "x");
  std::filesystem::remove(path + ".xxh64");
  EXPECT_THAT(DamageOf(path), HasSubstr("no digest"));
  EXPECT_THROW(FileDigest(scratch / "no"), FileError);
  EXPECT_THROW(FileDigest(scratch.Path()), FileError);  // a directory
}

}  // namespace
}  // namespace scree::digest_test
