// Plain and gzip files give the same text; damaged files are errors.
#include "io/files/text_file.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <string>

#include "solvers/base/check.hpp"
#include "tests/io/scratch.hpp"
#include "tests/support/gzip.hpp"

namespace scree::text_file_test {
namespace {

using testing::HasSubstr;

/// Longer than one read, and not a multiple of its size.
std::string LongText() {
  std::string text;
  for (std::int64_t line = 0; text.size() < 3'000'000; ++line) {
    text += std::to_string(line * 7919) + "\n";
  }
  return text;
}

struct TextFile : InOwnScratch {
  std::string Read(const std::string& bytes) const {
    PutFile(self, scratch / "text", bytes);
    return ReadTextFile(scratch / "text");
  }
  std::string ErrorMessage(const std::string& bytes) const {
    return MessageOf<FileError>([&] { Read(bytes); });
  }
};

TEST_F(TextFile, PlainAndPackedTextIsTheSame) {
  for (const std::string& text : {std::string(), std::string("a"), LongText()}) {
    EXPECT_EQ(Read(text), text);
    const std::string packed = test::Gzip(text);
    EXPECT_NE(packed, text);
    EXPECT_EQ(Read(packed), text);
    EXPECT_EQ(Read(packed + packed), text + text) << "gzip files may be joined";
  }
}

TEST_F(TextFile, TruncatedOrChangedPackedFileIsDamaged) {
  const std::string packed = test::Gzip(LongText());
  for (const std::size_t length : {packed.size() - 1, packed.size() / 2, std::size_t{12}}) {
    EXPECT_THAT(ErrorMessage(packed.substr(0, length)), HasSubstr("damaged gzip file")) << length;
  }
  std::string damaged = packed;
  damaged[damaged.size() / 2] = static_cast<char>(damaged[damaged.size() / 2] ^ 0x10);
  EXPECT_THAT(ErrorMessage(damaged), HasSubstr("damaged gzip file"));
}

TEST_F(TextFile, MissingFileAndDirectoryAreErrors) {
  EXPECT_THAT(MessageOf<FileError>([&] { ReadTextFile("/dev/null/a"); }),
              HasSubstr("cannot read '/dev/null/a': Not a directory"));
  EXPECT_THAT(MessageOf<FileError>([&] { ReadTextFile(scratch.Path()); }),
              HasSubstr("Is a directory"));
}

}  // namespace
}  // namespace scree::text_file_test
